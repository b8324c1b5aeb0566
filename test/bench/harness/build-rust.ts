import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Outside of committed folders, and kept: a second run builds nothing. */
const folder = fileURLToPath(new URL('../../../.cache/clients/cargo', import.meta.url))

/** Builds a program on kube-rs as users deploy it, and returns its path. It needs Cargo, and minutes the first time. */
export async function buildRust(program: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const cwd = fileURLToPath(new URL('../../clients/rust', import.meta.url))
  const env = { ...process.env, CARGO_TARGET_DIR: folder }
  await promisify(execFile)('cargo', ['build', '--locked', '--release', '--bin', program], { cwd, env })
  return join(folder, 'release', program)
}
