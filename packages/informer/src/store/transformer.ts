import type { View } from '@wherry/client'
import { projector, redactError } from '@wherry/client/internal'
import { TransformError } from '../errors.ts'
import { watched } from '../watched.ts'
import { freezeDeep } from './freeze.ts'
import { Interner } from './interner.ts'

export interface TransformerOptions<C> {
  readonly view: View<C>
  readonly transform?: ((object: object) => C) | undefined
  readonly freeze: boolean
}

/** Makes of an object as decoded what the store keeps of it (rules R30, R37, T1). */
export class Transformer<C> {
  /** Some object had labels, and its kept value has none: no label selector can find it. */
  dropsLabels = false
  /** Named in errors. */
  view: View<C>
  readonly #transform: (object: object) => C
  readonly #freeze: boolean
  readonly #interner: Interner
  /** Only what the caller's own function builds may lack labels, or be nothing. */
  readonly #isOwn: boolean
  /** `managedFields` may have been left out before the object was decoded. */
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
    // A function of the caller's is given what it may change, as long as nothing is frozen.
    this.#interner = new Interner({ keepsManagers, sharesValues: !this.#isOwn })
  }

  /** The part of what was received that is `managedFields`, from 0 to 1: measured in one of some objects, in the end of 64. */
  get managedFieldsShare(): number {
    return this.#sampledBytes === 0 ? 0 : Math.min(1, this.#managedBytes / this.#sampledBytes)
  }

  /**
   * Never throws: what the transform threw, or that it gave nothing to keep, is a `TransformError`.
   * @param bytes as received
   * @param former what it gave of an earlier state of the object
   */
  run(object: object, key: string, bytes: number, former?: unknown): C | TransformError {
    this.#sample(object, bytes)
    try {
      this.#interner.intern(object, key, former)
      // Other views are made of it too: a function that changes it damages them.
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
    // The first ones all count, so that a small store's share is right too.
    if (count === sampledEach * this.#step && this.#step < sampledEach) this.#step *= 2
    if (count % this.#step !== 0) return
    this.#sampledBytes += this.#step * bytes
    this.#managedBytes += this.#step * managedBytesOf(object, bytes, this.#isLean)
  }

  #check(object: object, value: unknown): void {
    if (value === undefined) throw new TypeError('the projection gave undefined')
    // Nobody waits for a promise: that it rejects is no news.
    if (watched(value, noNews)) throw new TypeError('the projection gave a promise: it must give what is to be kept')
    if (!this.dropsLabels && hasLabels(object) && !hasLabels(value)) this.dropsLabels = true
  }
}

/** Of so many objects one is looked at, once there are many; of the first ones all are. */
const sampledEach = 64
/** What a line of a watch has around its object, or an item of a list gets from the list, is less; managedFields are more. */
const leastManagedBytes = 100

/** How much of an object, as received, its `managedFields` were. */
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

const noNews = (): void => {}

/** The labels that a value has where objects have them. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const metadata = (value as { readonly metadata?: unknown } | null | undefined)?.metadata
  const labels = (metadata as { readonly labels?: unknown } | null | undefined)?.labels
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : undefined
}

function hasLabels(value: unknown): boolean {
  const labels = labelsOf(value)
  return labels !== undefined && Object.keys(labels).length > 0
}
