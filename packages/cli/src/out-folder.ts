import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { refused } from './failure.ts'

/** The folder of `--out`. No file outside of it is read or written. */
export class OutFolder {
  /** The path of the folder as the user wrote it. */
  readonly #out: string
  readonly #path: string

  constructor(out: string, cwd: string) {
    this.#out = out
    this.#path = resolve(cwd, out)
  }

  /** The path of a file as messages show it. */
  shown(name: string): string {
    return `${this.#out}/${name}`
  }

  /** Reads the text of a file. Resolves with `undefined` if the file does not exist. Rejects with a CommandFailure if it can't be read, or is no file. */
  async read(name: string): Promise<string | undefined> {
    const mode = await this.#mode(name)
    if (mode === undefined) return undefined
    return readFile(join(this.#path, name), 'utf8').catch((error: Error) => {
      throw refused(`${this.shown(name)} can't be read: ${error.message}`)
    })
  }

  /** Writes a file atomically: a reader finds the old text or the new text. Makes the folder if it does not exist. */
  async write(name: string, text: string): Promise<void> {
    const mode = await this.#mode(name)
    await mkdir(this.#path, { recursive: true })
    const partial = join(this.#path, `.${randomUUID()}.new`)
    try {
      await writeFile(partial, text, { flag: 'wx' })
      if (mode !== undefined) await chmod(partial, mode)
      // A link that was made meanwhile is replaced, and not followed.
      await rename(partial, join(this.#path, name))
    } finally {
      await rm(partial, { force: true })
    }
  }

  /** The permissions of a file, or `undefined` if it does not exist. */
  async #mode(name: string): Promise<number | undefined> {
    if (!/^[\w-][\w.-]*$/.test(name)) throw refused(`${JSON.stringify(name)} is no name for a file in ${this.#out}`)
    const found = await lstat(join(this.#path, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw refused(`${this.shown(name)} can't be read: ${error.message}`)
    })
    if (found === undefined) return undefined
    if (found.isFile()) return found.mode & 0o777
    const what = found.isSymbolicLink() ? 'a link' : found.isDirectory() ? 'a folder' : 'no file'
    throw refused(`${this.shown(name)} is ${what}: remove it, or name another folder with --out`)
  }
}
