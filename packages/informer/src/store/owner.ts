import type { Entry } from './entry.ts'

/** Of all that have none. Never changed. */
const none: never[] = []

/** What came by one intake. */
export class Owner<C> {
  /** In no order. */
  members: Entry<C>[] = none
  isOpen = true

  /** Takes an entry over from whomever it was. */
  claim(entry: Entry<C>): void {
    if (entry.owner === this) return
    entry.owner?.release(entry)
    entry.owner = this
    entry.ownedAt = this.members.length
    // An array of its own, and no longer than needed, while there is one: most owners of single objects never have two.
    if (this.members.length === 0) this.members = [entry]
    else this.members.push(entry)
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
