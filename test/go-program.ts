import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../packages/testing/src/real/binary-cache.ts'
import { withLock } from '../packages/testing/src/real/lock.ts'

/**
 * Builds a Go module into a program (it needs Go), and gives its path. It is kept where the real API server is, so that it is built once for a
 * machine, and again when a file of the module has changed.
 *
 * @param name what the program is called there
 * @param options of `go build`
 */
export async function buildGoProgram(module: string, name: string, options: readonly string[] = []): Promise<string> {
  const all = ['-trimpath', '-buildvcs=false', ...options]
  const hash = createHash('sha256').update(`${process.platform}/${process.arch} ${all.join(' ')}\n`)
  for (const file of readdirSync(module).sort()) hash.update(`${file}\0`).update(readFileSync(join(module, file)))
  const program = join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`)
  await withLock(
    `${program}.lock`,
    () => {},
    async () => {
      if (existsSync(program)) return
      const partial = `${program}.partial`
      const build = ['go', 'build', ...all, '-o', partial, '.']
      await promisify(execFile)('nice', build, { cwd: module, maxBuffer: 2 ** 26 })
      await rename(partial, program)
    },
  )
  return program
}
