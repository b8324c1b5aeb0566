import type { TransformError } from '../errors.ts'
import type { Owner } from './owner.ts'

/**
 * One object of a store, in a shape that is always the same. It also is the node of both orders of the journal, by its
 * numbers and places there; what is rare is kept beside it.
 */
export class Entry<C> {
  readonly key: string
  /** As the server has it, also where the value is of an earlier state because this one could not be transformed. */
  uid: string | undefined
  resourceVersion: string | undefined
  /** What readers get; a `TransformError` where there is nothing to get. */
  value: C | TransformError
  /** As received. */
  bytes: number
  /** The intake that it came by last. */
  owner: Owner<C> | undefined
  /** The replacement that saw it last, unchanged. */
  mark = 0
  /** The number of its last change; 0 while there is no value. */
  changed = 0
  changedAt = -1
  /** When it changed, in ticks of the journal. */
  tick = 0
  /** The number of the change that it began with. */
  born = 0

  constructor(
    key: string,
    uid: string | undefined,
    resourceVersion: string | undefined,
    value: C | TransformError,
    bytes: number,
  ) {
    this.key = key
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.value = value
    this.bytes = bytes
    this.owner = undefined
  }
}
