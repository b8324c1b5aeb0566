import type { Entry } from './entry.ts'

/** What came by one intake. */
export class Owner<C> {
  /** In no order. */
  readonly members: Entry<C>[] = []
  isOpen = true

  /** Takes an entry over from whomever it was. */
  claim(entry: Entry<C>): void {
    if (entry.owner === this) return
    entry.owner?.release(entry)
    entry.owner = this
    entry.ownedAt = this.members.length
    this.members.push(entry)
  }

  release(entry: Entry<C>): void {
    const last = this.members.pop() as Entry<C>
    if (last !== entry) {
      this.members[entry.ownedAt] = last
      last.ownedAt = entry.ownedAt
    }
    entry.owner = undefined
    entry.ownedAt = -1
  }
}
