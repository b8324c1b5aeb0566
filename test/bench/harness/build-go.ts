import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Outside of committed folders, and kept: a second run builds nothing. */
const folder = fileURLToPath(new URL('../../../.cache/bench', import.meta.url))

/** Builds the operators in Go, and gives the program. It needs Go. */
export async function buildGo(): Promise<string> {
  await mkdir(folder, { recursive: true })
  const program = `${folder}/wherry-reconciler`
  const cwd = fileURLToPath(new URL('../go', import.meta.url))
  await promisify(execFile)('go', ['build', '-trimpath', '-buildvcs=false', '-o', program, '.'], { cwd })
  return program
}
