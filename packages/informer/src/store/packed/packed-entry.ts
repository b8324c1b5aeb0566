import { Entry } from '../../entries/entry.ts'
import type { Identity } from '../../entries/identity.ts'
import { Tombstone } from '../../entries/tombstone.ts'
import { TransformError } from '../../errors.ts'
import type { PackedValues } from './packed-values.ts'

/** What an entry has that has no value. */
interface Failed {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly error: TransformError
}

/** An object whose value is outside the V8 heap, and is made anew whenever it is read. */
export class PackedEntry<C> extends Entry<C> {
  readonly #values: PackedValues<C>
  /** The handle of its value; `undefined` once that was let go of. */
  #held: number | Failed | undefined

  /** @throws UnpackableValueError */
  constructor(values: PackedValues<C>, identity: Identity, value: C | TransformError, bytes: number) {
    super(identity.key, bytes)
    this.#values = values
    this.#held = this.#keep(identity, value)
  }

  get uid(): string | undefined {
    const held = this.#live
    return typeof held === 'number' ? this.#values.uid(held, this.key) : held.uid
  }

  get resourceVersion(): string | undefined {
    const held = this.#live
    return typeof held === 'number' ? this.#values.resourceVersion(held, this.key) : held.resourceVersion
  }

  get value(): C | TransformError {
    const held = this.#live
    return typeof held === 'number' ? this.#values.value(held, this.key) : held.error
  }

  get failure(): TransformError | undefined {
    const held = this.#live
    return typeof held === 'number' ? undefined : held.error
  }

  passTo({ uid, resourceVersion }: Identity): void {
    const held = this.#keep({ key: this.key, uid, resourceVersion }, this.value)
    this.drop()
    this.#held = held
  }

  take(received: Entry<C>): void {
    const other = received as PackedEntry<C>
    this.drop()
    this.#held = other.#held
    other.#held = undefined
  }

  retain(finalStateUnknown: boolean, bytes: number): Tombstone<C> {
    const held = this.#live as number
    this.#held = undefined
    return new PackedTombstone(this.#values, held, this.key, finalStateUnknown, bytes)
  }

  drop(): void {
    if (typeof this.#held === 'number') this.#values.free(this.#held)
    this.#held = undefined
  }

  get #live(): number | Failed {
    if (this.#held === undefined) throw new Error(`${this.key} was read after it was let go of: please report this`)
    return this.#held
  }

  #keep(identity: Identity, value: C | TransformError): number | Failed {
    if (!(value instanceof TransformError)) return this.#values.pack(identity, value)
    return { uid: identity.uid, resourceVersion: identity.resourceVersion, error: value }
  }
}

/** What is kept of such an object when it is gone. */
class PackedTombstone<C> extends Tombstone<C> {
  readonly #values: PackedValues<C>
  readonly #handle: number

  constructor(values: PackedValues<C>, handle: number, key: string, finalStateUnknown: boolean, bytes: number) {
    super(key, finalStateUnknown, bytes)
    this.#values = values
    this.#handle = handle
  }

  get object(): C {
    return this.#values.value(this.#handle, this.key)
  }

  drop(): void {
    this.#values.free(this.#handle)
  }
}
