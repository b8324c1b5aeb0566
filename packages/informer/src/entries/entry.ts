import { TransformError } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { WriterId } from './writer-id.ts'

/** One object of a store, and its node in both orders of the journal. All entries have the same shape; rare data is kept elsewhere. */
export class Entry<C> {
  readonly key: string
  /** As on the server, even if the value is of an earlier state because the newest one could not be transformed. */
  uid: string | undefined
  resourceVersion: string | undefined
  /** What readers get; a `TransformError` if the object never had a value. */
  value: C | TransformError
  /** As received. */
  bytes: number
  writer: WriterId | undefined
  /** The mark of the last snapshot that contained it unchanged. */
  mark = 0
  /** The number of its last change. While it has no value: the number of the last change of any entry before it came. */
  changed = 0
  changedAt = -1
  /** When it changed, in ticks of the journal. */
  tick = 0
  /** The number of the change that added it. */
  born = 0

  constructor({ key, uid, resourceVersion }: Identity, value: C | TransformError, bytes: number) {
    this.key = key
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.value = value
    this.bytes = bytes
    this.writer = undefined
  }

  /** Why it has no value, if it has none. */
  get failure(): TransformError | undefined {
    return this.value instanceof TransformError ? this.value : undefined
  }

  /** Makes it an entry of this writer. */
  assignTo(writer: WriterId): void {
    if (this.writer === writer) return
    this.release()
    this.writer = writer
    writer.size++
  }

  /** Makes it an entry of no writer. */
  release(): void {
    if (this.writer === undefined) return
    this.writer.size--
    this.writer = undefined
  }
}
