import type { Entry } from '../entries/entry.ts'
import type { Tombstone } from '../entries/tombstone.ts'
import { Order } from './order.ts'

/** All objects, and the tombstones that a reader may not have read, in the order of their last change. */
export class ChangeOrder<C> extends Order<Entry<C> | Tombstone<C>> {
  protected numberOf(node: Entry<C> | Tombstone<C>): number {
    return node.changed
  }

  protected override indexOf(node: Entry<C> | Tombstone<C>): number {
    return node.changedAt
  }

  protected override setIndex(node: Entry<C> | Tombstone<C>, index: number): void {
    node.changedAt = index
  }
}

/** All objects in the order of their creation. Only deleted objects are removed, so entries need not keep their index. */
export class BirthOrder<C> extends Order<Entry<C>> {
  protected numberOf(node: Entry<C>): number {
    return node.born
  }
}
