import type { Entry } from '../../entries/entry.ts'
import type { Identity } from '../../entries/identity.ts'
import type { TransformError } from '../../errors.ts'
import type { Packed } from '../packing.ts'
import type { PackedStats } from '../store.ts'
import { Decoder } from './decoder.ts'
import { Encoder } from './encoder.ts'
import { PackedEntry } from './packed-entry.ts'
import { Shapes } from './shapes.ts'
import { Sightings } from './sightings.ts'
import { Slab } from './slab.ts'
import { Texts } from './texts.ts'

/** The values of a packed store, each with its uid and resourceVersion, as bytes outside the V8 heap (rule T5). */
export class PackedValues<C> implements Packed<C> {
  readonly #texts: Texts
  readonly #shapes: Shapes
  readonly #slab = new Slab()
  readonly #encoder: Encoder
  readonly #decoder: Decoder
  #isOver = false

  /** @param freeze what is read */
  constructor(freeze: boolean) {
    const sightings = new Sightings()
    this.#texts = new Texts(sightings)
    this.#shapes = new Shapes(sightings)
    this.#encoder = new Encoder(this.#texts, this.#shapes)
    this.#decoder = new Decoder(this.#texts, this.#shapes, freeze)
  }

  get stats(): PackedStats {
    return {
      values: this.#slab.size,
      bytes: this.#slab.allocatedBytes,
      usedBytes: this.#slab.usedBytes,
      texts: this.#texts.size,
      shapes: this.#shapes.size,
    }
  }

  entry(identity: Identity, value: C | TransformError, bytes: number): Entry<C> {
    return new PackedEntry(this, identity, value, bytes)
  }

  /** Gives the handle of what it keeps. @throws UnpackableValueError */
  pack(identity: Identity, value: C): number {
    const bytes = this.#encoder.encode(identity, value)
    try {
      return this.#slab.write(bytes)
    } catch (error) {
      this.#encoder.undo()
      throw error
    }
  }

  resourceVersion(handle: number, key: string): string | undefined {
    return this.#token(handle, key, 0) as string | undefined
  }

  uid(handle: number, key: string): string | undefined {
    return this.#token(handle, key, 1) as string | undefined
  }

  /** The value, made anew. */
  value(handle: number, key: string): C {
    return this.#token(handle, key, 2) as C
  }

  #token(handle: number, key: string, index: 0 | 1 | 2): unknown {
    this.#slab.find(handle)
    return this.#decoder.token(this.#slab.bytes, this.#slab.at, key, index)
  }

  /** Whoever has the handle reads it no more. Nothing once all is over. */
  free(handle: number): void {
    if (this.#isOver) return
    this.#slab.find(handle)
    this.#decoder.release(this.#slab.bytes, this.#slab.at)
    this.#slab.free(handle)
  }

  /** Lets go of all of them, for good. */
  end(): void {
    this.#isOver = true
    this.#slab.clear()
    this.#texts.clear()
    this.#shapes.clear()
  }
}
