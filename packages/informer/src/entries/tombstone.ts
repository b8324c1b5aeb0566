/** What the journal keeps of an object that is gone, for those who have not heard of that. */
export abstract class Tombstone<C> {
  readonly key: string
  /** The last that is known of it. */
  abstract readonly object: C
  readonly finalStateUnknown: boolean
  readonly bytes: number
  /** The number of the change that the deletion was. */
  changed = 0
  changedAt = -1
  tick = 0
  /** Among tombstones, in the same order. */
  older: Tombstone<C> | undefined = undefined
  younger: Tombstone<C> | undefined = undefined

  constructor(key: string, finalStateUnknown: boolean, bytes: number) {
    this.key = key
    this.finalStateUnknown = finalStateUnknown
    this.bytes = bytes
  }

  /** All have heard of it: its object is read no more. */
  abstract drop(): void
}
