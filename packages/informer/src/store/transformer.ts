import type { View } from '@wherry/client'
import { ignored, projector, redactError, watched } from '@wherry/client/internal'
import { TransformError } from '../errors.ts'
import { freezeDeep } from './freeze.ts'
import { Interner } from './interner.ts'

export interface TransformerOptions<C> {
  readonly view: View<C>
  readonly transform?: ((object: object) => C) | undefined
  readonly freeze: boolean
}

/** Makes the stored value of a decoded object (rules R30, R37, T1). */
export class Transformer<C> {
  /** Whether a stored value lacks the labels of its object, so that no label selector can find it. */
  dropsLabels = false
  /** Named in errors. */
  view: View<C>
  readonly #transform: (object: object) => C
  readonly #freeze: boolean
  readonly #interner: Interner
  /** Whether the projection is the caller's function: only its values may lack labels, or be `undefined`. */
  readonly #isOwn: boolean
  /** Whether `managedFields` may have been left out before the object was decoded. */
  readonly #isLean: boolean
  #count = 0
  #step = 1
  #sampledBytes = 0
  #managedBytes = 0

  constructor({ view, transform, freeze }: TransformerOptions<C>) {
    const { kind } = view.projection
    this.view = view
    this.#transform = transform ?? projector(view)
    this.#freeze = freeze
    this.#isOwn = transform !== undefined || kind === 'named'
    this.#isLean = kind === 'default' || kind === 'metadata'
    const keepsManagers = kind === 'full' || kind === 'exact'
    // The caller's function may change the object, so it must not be shared.
    this.#interner = new Interner({ keepsManagers, sharesValues: !this.#isOwn })
  }

  /** The share of `managedFields` in the received bytes, from 0 to 1, measured in a sample of the objects, 1 of 64 in the end. */
  get managedFieldsShare(): number {
    return this.#sampledBytes === 0 ? 0 : Math.min(1, this.#managedBytes / this.#sampledBytes)
  }

  /**
   * Never throws: returns a `TransformError` if the transform threw, or returned no value.
   * @param bytes the received size
   * @param former the stored value of an earlier state
   */
  run(object: object, key: string, bytes: number, former?: unknown): C | TransformError {
    this.#sample(object, bytes)
    try {
      this.#interner.intern(object, key, former)
      // Other views use the object too, so a function that changes it must fail.
      if (this.#freeze && this.#isOwn) freezeDeep(object)
      const value = this.#transform(object)
      if (this.#isOwn) this.#check(object, value)
      if (this.#freeze) freezeDeep(value)
      return value
    } catch (error) {
      return new TransformError(this.view.key, key, redactError(this.view.resource, error))
    }
  }

  #sample(object: object, bytes: number): void {
    const count = this.#count++
    // All of the first objects count, so that the share of a small store is right, too.
    if (count === sampledEach * this.#step && this.#step < sampledEach) this.#step *= 2
    if (count % this.#step !== 0) return
    this.#sampledBytes += this.#step * bytes
    this.#managedBytes += this.#step * managedBytesOf(object, bytes, this.#isLean)
  }

  #check(object: object, value: unknown): void {
    checkProjected(value)
    if (!this.dropsLabels && hasLabels(object) && !hasLabels(value)) this.dropsLabels = true
  }
}

/** In the end, the sample takes one object in so many. It takes all of the first objects. */
const sampledEach = 64
/** The minimum size of managedFields. The rest of an event's line around its object is smaller. */
const leastManagedBytes = 100

/** The size of an object's `managedFields`, in bytes as received; an estimate. */
function managedBytesOf(object: object, bytes: number, isLean: boolean): number {
  const { metadata } = object as { readonly metadata?: { readonly managedFields?: unknown } | null | undefined }
  try {
    if (metadata?.managedFields !== undefined) return JSON.stringify(metadata.managedFields).length
    const left = isLean ? bytes - Buffer.byteLength(JSON.stringify(object)) : 0
    return left < leastManagedBytes ? 0 : left
  } catch {
    return 0
  }
}

/** Throws unless a caller's projection has returned a value at once. @throws TypeError */
export function checkProjected(value: unknown): void {
  if (value === undefined) throw new TypeError('the projection gave undefined')
  // A promise is not awaited, and its error is not reported.
  if (watched(value, ignored)) throw new TypeError('the projection gave a promise: it must give what is to be kept')
}

/** The labels of a stored value, at the place where objects have them. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const metadata = (value as { readonly metadata?: unknown } | null | undefined)?.metadata
  const labels = (metadata as { readonly labels?: unknown } | null | undefined)?.labels
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : undefined
}

function hasLabels(value: unknown): boolean {
  const labels = labelsOf(value)
  return labels !== undefined && Object.keys(labels).length > 0
}
