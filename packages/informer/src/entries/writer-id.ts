/** The identity of a writer of a store. An entry belongs to the writer that wrote it last. */
export class WriterId {
  /** The only key of the writer; `undefined`: any key. */
  readonly key: string | undefined
  isOpen = true
  /** The number of entries of the writer. {@link Store} finds them by a scan: a list of them would cost memory. */
  size = 0

  constructor(key?: string | undefined) {
    this.key = key
  }
}
