import { TransformError } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { Owner } from './owner.ts'

/** One object of a store, in a shape that is always the same, and the node of both orders of the journal. What is rare is kept beside it. */
export class Entry<C> {
  readonly key: string
  /** As the server has it, even if the value is of an earlier state because this one could not be transformed. */
  uid: string | undefined
  resourceVersion: string | undefined
  /** What readers get; a `TransformError` if the object never had a value. */
  value: C | TransformError
  /** As received. */
  bytes: number
  /** The intake that it came by last. */
  owner: Owner<C> | undefined
  /** The replacement that saw it last, unchanged. */
  mark = 0
  /** The number of its last change; while it has had no value, of the last change of all before it came. */
  changed = 0
  changedAt = -1
  /** When it changed, in ticks of the journal. */
  tick = 0
  /** The number of the change that it began with. */
  born = 0

  constructor({ key, uid, resourceVersion }: Identity, value: C | TransformError, bytes: number) {
    this.key = key
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.value = value
    this.bytes = bytes
    this.owner = undefined
  }

  /** Why it has no value, if it has none. */
  get failure(): TransformError | undefined {
    return this.value instanceof TransformError ? this.value : undefined
  }

  /** Its state on the server is another now. */
  passTo({ uid, resourceVersion }: Identity): void {
    this.uid = uid
    this.resourceVersion = resourceVersion
  }
}
