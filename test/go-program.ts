import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../packages/testing/src/real/binary-cache.ts'
import { withLock } from '../packages/testing/src/real/lock.ts'

/** What of a module is built, and how. */
interface Build {
  /** Options of `go build`. */
  readonly options?: readonly string[]
  /** The package that is the program. @default that of the module's folder */
  readonly main?: string
}

/**
 * Builds a Go module into a program (it needs Go), and gives its path. It is kept where the real API server is, so that it is built once for a
 * machine, and again when a file of the module has changed.
 *
 * @param name what the program is called there
 */
export async function buildGoProgram(
  module: string,
  name: string,
  { options = [], main = '.' }: Build = {},
): Promise<string> {
  const all = ['-trimpath', '-buildvcs=false', ...options]
  const hash = createHash('sha256').update(
    `${process.platform}/${process.arch} ${all.join(' ')}${main === '.' ? '' : ` ${main}`}\n`,
  )
  for (const file of filesIn(module)) hash.update(`${file}\0`).update(readFileSync(join(module, file)))
  const program = join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`)
  await withLock(
    `${program}.lock`,
    () => {},
    async () => {
      if (existsSync(program)) return
      const partial = `${program}.partial`
      const build = ['go', 'build', ...all, '-o', partial, main]
      await promisify(execFile)('nice', build, { cwd: module, maxBuffer: 2 ** 26 })
      await rename(partial, program)
    },
  )
  return program
}

/** The paths of all files in a folder and the folders in it. */
function filesIn(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return all.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort()
}
