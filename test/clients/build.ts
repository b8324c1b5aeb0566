import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from '../../tools/vitest/aliases.ts'

const run = promisify(execFile)

/** Where they are built: outside of what is committed, and kept, so that a second run builds nothing. */
const folder = join(repository, '.cache/clients')

/** Builds kubectl and an informer of client-go into one program (it needs Go), and gives its path. */
export async function buildGoClients(): Promise<string> {
  await mkdir(folder, { recursive: true })
  const program = join(folder, 'wherry-clients')
  const args = ['go', 'build', '-trimpath', '-buildvcs=false', '-o', program, '.']
  await run('nice', args, { cwd: join(import.meta.dirname, 'go'), maxBuffer: 2 ** 26 })
  return program
}

/** Builds a watcher of kube-rs (it needs Cargo), and gives its path. */
export async function buildRustWatcher(): Promise<string> {
  await mkdir(folder, { recursive: true })
  const target = join(folder, 'cargo')
  const env = { ...process.env, CARGO_TARGET_DIR: target }
  await run('nice', ['cargo', 'build', '--locked'], { cwd: join(import.meta.dirname, 'rust'), env, maxBuffer: 2 ** 26 })
  return join(target, 'debug/wherry-watcher')
}
