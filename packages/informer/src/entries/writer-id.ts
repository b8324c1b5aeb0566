/** A writer of a store, as the entries know it. An entry belongs to the writer that wrote it last. */
export class WriterId {
  /** The only key that it writes; `undefined`: any key. */
  readonly key: string | undefined
  isOpen = true
  /** The number of entries that belong to it. {@link Store} finds them: lists of them would cost memory. */
  size = 0

  constructor(key?: string | undefined) {
    this.key = key
  }
}
