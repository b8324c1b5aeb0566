import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CatalogIndex } from './index/catalog-index.ts'
import { digestOf } from './registry/verified.ts'

/** An index as a registry gave it, and where it was. */
export interface KeptIndex {
  readonly host: string
  readonly repository: string
  /** Of its manifest. */
  readonly digest: string
  readonly bytes: Buffer
}

/**
 * A file with the last good index of a CatalogSource, so that a restart without a registry serves it. It is written whole or not at all. A file that
 * can't be written or read is reported to `onError`, and changes nothing else: the registry has the index.
 */
export class IndexFile {
  readonly #path: string
  readonly #onError: (error: Error) => void

  constructor(path: string, onError: (error: Error) => void) {
    this.#path = path
    this.#onError = onError
  }

  /** `undefined` if there is none, it has changed since it was written, or another program wrote a format that this one does not read. */
  async load(): Promise<(Omit<KeptIndex, 'bytes'> & { readonly index: CatalogIndex }) | undefined> {
    return this.#attempt(async () => {
      let content: Buffer
      try {
        content = await readFile(this.#path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
      const end = content.indexOf('\n')
      const bytes = content.subarray(end + 1)
      const { host, repository, digest, content: expected } = JSON.parse(content.toString('utf8', 0, end)) as Header
      if (digestOf(bytes) !== expected) throw new Error(`${this.#path} has changed since it was written`)
      return { host, repository, digest, index: CatalogIndex.parse(bytes) }
    })
  }

  async save({ bytes, ...place }: KeptIndex): Promise<void> {
    await this.#attempt(async () => {
      const header: Header = { ...place, content: digestOf(bytes) }
      const partial = `${this.#path}.partial`
      await mkdir(dirname(this.#path), { recursive: true })
      await writeFile(partial, [Buffer.from(`${JSON.stringify(header)}\n`), bytes], { flush: true })
      await rename(partial, this.#path)
    })
  }

  async delete(): Promise<void> {
    await this.#attempt(() => rm(this.#path, { force: true }))
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#onError(error as Error)
      return undefined
    }
  }
}

/** The first line of the file. */
interface Header extends Omit<KeptIndex, 'bytes'> {
  /** The digest of all other lines. */
  readonly content: string
}
