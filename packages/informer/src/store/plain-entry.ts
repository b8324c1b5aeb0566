import { Entry } from '../entries/entry.ts'
import type { Identity } from '../entries/identity.ts'
import { Tombstone } from '../entries/tombstone.ts'
import { TransformError } from '../errors.ts'

/** An object whose value is one of JavaScript: the same at each read. */
export class PlainEntry<C> extends Entry<C> {
  uid: string | undefined
  resourceVersion: string | undefined
  value: C | TransformError

  constructor({ key, uid, resourceVersion }: Identity, value: C | TransformError, bytes: number) {
    super(key, bytes)
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.value = value
  }

  get failure(): TransformError | undefined {
    return this.value instanceof TransformError ? this.value : undefined
  }

  passTo({ uid, resourceVersion }: Identity): void {
    this.uid = uid
    this.resourceVersion = resourceVersion
  }

  take(received: Entry<C>): void {
    this.passTo(received)
    this.value = received.value
  }

  retain(finalStateUnknown: boolean, bytes: number): Tombstone<C> {
    return new PlainTombstone(this.key, this.value as C, finalStateUnknown, bytes)
  }

  drop(): void {}
}

class PlainTombstone<C> extends Tombstone<C> {
  readonly object: C

  constructor(key: string, object: C, finalStateUnknown: boolean, bytes: number) {
    super(key, finalStateUnknown, bytes)
    this.object = object
  }

  drop(): void {}
}
