import { type Check, having } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { Identity } from '../entries/identity.ts'
import type { TransformError } from '../errors.ts'
import type { PackedStats } from './store.ts'

/** How values are kept that are not to be objects of the V8 heap: what `packed` of `@wherry/informer/packed` is. */
export interface Packing {
  /** For one store. @param freeze what is read */
  open<C>(freeze: boolean): Packed<C>
}

/** What of a store is packed. */
export interface Packed<C> {
  readonly stats: PackedStats
  /** @throws UnpackableValueError */
  entry(identity: Identity, value: C | TransformError, bytes: number): Entry<C>
  /** Lets go of all values, for good. */
  end(): void
}

/** @throws OptionTypeError for an option that is something else. */
export const packingCheck: Check = having('packed of @wherry/informer/packed', 'open')
