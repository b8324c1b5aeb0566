import type { TransformError } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { Owner } from './owner.ts'
import type { Tombstone } from './tombstone.ts'

/**
 * One object of a store, in a shape that is always the same, and the node of both orders of the journal. What is rare is kept beside
 * it. Whoever has made one, or taken one out, lets go of its value in the end: by {@link drop}, {@link retain}, or {@link take}.
 */
export abstract class Entry<C> {
  readonly key: string
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

  constructor(key: string, bytes: number) {
    this.key = key
    this.bytes = bytes
    this.owner = undefined
  }

  /** As the server has it, also where the value is of an earlier state because this one could not be transformed. */
  abstract readonly uid: string | undefined
  abstract readonly resourceVersion: string | undefined
  /** What readers get; a `TransformError` where there is nothing to get. Reading it may cost as much as making it. */
  abstract readonly value: C | TransformError
  /** That error, which costs nothing. */
  abstract readonly failure: TransformError | undefined

  /** It is in another state now, of which there is no value: it keeps the one that it has. */
  abstract passTo(identity: Identity): void
  /** Has what was received from now on; that is used up. */
  abstract take(received: Entry<C>): void
  /** It is gone: what the journal keeps of its value, which is used up. */
  abstract retain(finalStateUnknown: boolean, bytes: number): Tombstone<C>
  /** Nobody reads it any more. Idempotent, and harmless for what is used up. */
  abstract drop(): void
}
