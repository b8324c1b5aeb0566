import { TransformError } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { WriterId } from './writer-id.ts'

/** One object of a store, and its node in both orders of the journal. All entries have the same shape; rare data is kept elsewhere. */
export class Entry<C> {
  readonly key: string
  /** The uid of the server's newest state, even if that could not be transformed and the value is of an earlier state. */
  uid: string | undefined
  resourceVersion: string | undefined
  /** The value for readers; a `TransformError` if the object never had a value. */
  value: C | TransformError
  /** The size of the object, in bytes as received. */
  bytes: number
  writer: WriterId | undefined
  /** The mark of the last snapshot that contained the object unchanged. */
  mark = 0
  /** The number of the entry's last change. While it has no value: the number of the last change of any entry before its creation. */
  changed = 0
  changedAt = -1
  /** The time of the last change, in ticks of the journal. */
  tick = 0
  /** The number of the change that added the entry. */
  born = 0

  constructor({ key, uid, resourceVersion }: Identity, value: C | TransformError, bytes: number) {
    this.key = key
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.value = value
    this.bytes = bytes
    this.writer = undefined
  }

  /** The error of the entry if it has no value. */
  get failure(): TransformError | undefined {
    return this.value instanceof TransformError ? this.value : undefined
  }

  /** Assigns the entry to a writer. */
  assignTo(writer: WriterId): void {
    if (this.writer === writer) return
    this.release()
    this.writer = writer
    writer.size++
  }

  /** Takes the entry from its writer. */
  release(): void {
    if (this.writer === undefined) return
    this.writer.size--
    this.writer = undefined
  }
}
