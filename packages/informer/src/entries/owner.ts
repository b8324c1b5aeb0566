import type { Entry } from './entry.ts'

/** One intake, as entries know it. Which they are is not kept: {@link Contents.of} finds them. */
export class Owner<C> {
  /** The one key that it is for; `undefined`: any. */
  readonly key: string | undefined
  isOpen = true
  /** How many entries are its own. */
  size = 0

  constructor(key?: string | undefined) {
    this.key = key
  }

  /** Takes an entry over from whomever it was. */
  claim(entry: Entry<C>): void {
    if (entry.owner === this) return
    entry.owner?.release(entry)
    entry.owner = this
    this.size++
  }

  release(entry: Entry<C>): void {
    entry.owner = undefined
    this.size--
  }
}
