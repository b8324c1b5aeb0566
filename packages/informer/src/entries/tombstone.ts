/** A deleted object in the journal, for the cursors that have not read the deletion. */
export class Tombstone<C> {
  readonly key: string
  /** Its last known state. */
  readonly object: C
  readonly finalStateUnknown: boolean
  readonly bytes: number
  /** The number of the deletion among the changes. */
  changed = 0
  changedAt = -1
  tick = 0
  /** The neighbours in the list of all tombstones, which has the order of the changes. */
  older: Tombstone<C> | undefined = undefined
  younger: Tombstone<C> | undefined = undefined

  constructor(key: string, object: C, finalStateUnknown: boolean, bytes: number) {
    this.key = key
    this.object = object
    this.finalStateUnknown = finalStateUnknown
    this.bytes = bytes
  }
}
