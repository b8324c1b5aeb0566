import { type FSWatcher, watch } from 'node:fs'
import { dirname, join } from 'node:path'

/** Watches files for changes. */
export interface FileChanges extends Disposable {
  /** Watches these files too. Returns the files that were not watched yet. */
  add(files: ReadonlySet<string>): ReadonlySet<string>
  /** Resolves with true as soon as a file has changed since the last call, and with false once the command is to end. */
  next(): Promise<boolean>
}

/** The time after the last change of a file until it is read, in milliseconds, because an editor writes a file in several steps. */
const QUIET_MS = 50

/** Watches the folders of files, since many editors replace a file when they save it. */
export class FolderChanges implements FileChanges {
  readonly #files = new Set<string>()
  readonly #folders = new Map<string, FSWatcher>()
  readonly #ending: AbortSignal | undefined
  #waiting = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined

  constructor(ending?: AbortSignal) {
    this.#ending = ending
    ending?.addEventListener('abort', this.#wake)
  }

  add(files: ReadonlySet<string>): ReadonlySet<string> {
    const added = new Set([...files].filter(file => !this.#files.has(file)))
    for (const file of added) {
      this.#files.add(file)
      this.#watch(dirname(file))
    }
    return added
  }

  async next(): Promise<boolean> {
    if (this.#ending?.aborted) return false
    await this.#waiting.promise
    this.#waiting = Promise.withResolvers()
    return !this.#ending?.aborted
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#ending?.removeEventListener('abort', this.#wake)
    for (const watcher of this.#folders.values()) watcher.close()
  }

  readonly #wake = (): void => this.#waiting.resolve()

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return
    const watcher = watch(folder, (_, name) => {
      if (name !== null && !this.#files.has(join(folder, name))) return
      clearTimeout(this.#timer)
      this.#timer = setTimeout(this.#wake, QUIET_MS)
    })
    this.#folders.set(folder, watcher)
  }
}
