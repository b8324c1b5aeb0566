import {
  type Client,
  type FullObject,
  type KubernetesObject,
  type ObjectKey,
  OptionTypeError,
  type Scope,
  type View,
  type WriteOptions,
} from '@wherry/client'
import { type HashedObject, isHashedObject } from '../ingest/hashed-object.ts'
import { compareParts, type PartDifference } from '../parts/compare-parts.ts'
import type { Part } from '../parts/part.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import type { Applied, ApplyIfChangedOptions, Write } from './applied.ts'
import { finalizersTaken, type Precondition, replacement } from './replacement.ts'

export interface ApplicationParts<T extends KubernetesObject, S extends Scope, N extends string> {
  readonly client: Client
  readonly view: View<T, S>
  readonly desired: FullObject<T>
  readonly parts: Parts<T, N>
  /** The options, which are checked already. */
  readonly options: ApplyIfChangedOptions
  /** The digests of the desired object, if they are known. */
  readonly wanted?: PartHashes<N> | undefined
  /** Returns whether a part with another digest is accepted as desired, because the server stores it in another form. */
  readonly accepts?: ((part: N, digest: string | undefined) => boolean) | undefined
  /** Called after each successful write. */
  readonly onWrite?: ((what: Write, object: T) => void | Promise<void>) | undefined
}

/** Makes an object as desired, for `applyIfChanged`. */
export class Application<T extends KubernetesObject, S extends Scope, N extends string> {
  readonly #client: Client
  readonly #view: View<T, S>
  readonly #desired: FullObject<T>
  readonly #parts: Parts<T, N>
  readonly #options: ApplyIfChangedOptions
  readonly #wanted: PartHashes<N>
  readonly #accepts: (part: N, digest: string | undefined) => boolean
  readonly #onWrite: ((what: Write, object: T) => void | Promise<void>) | undefined
  readonly #writes: Write[] = []

  constructor({ client, view, desired, parts, options, wanted, accepts, onWrite }: ApplicationParts<T, S, N>) {
    this.#client = client
    this.#view = view
    this.#desired = desired
    this.#parts = parts
    this.#options = options
    this.#wanted = wanted ?? hashParts(desired as T, parts)
    this.#accepts = accepts ?? (() => false)
    this.#onWrite = onWrite
  }

  async run(observed: T | HashedObject<N> | undefined): Promise<Applied<T, N>> {
    const differences = observed === undefined ? [] : this.#differences(observed)
    if (observed !== undefined && differences.length === 0) return this.#applied('equal', differences, undefined)
    const first =
      observed === undefined
        ? await this.#create()
        : differences.some(({ part }) => !this.#isOfStatus(part))
          ? await this.#write(observed)
          : undefined
    const statusDiffers = first === undefined || this.#differing(hashParts(first, this.#parts)).some(this.#isOfStatus)
    const last = statusDiffers ? await this.#writeStatus((first ?? observed) as T | HashedObject<N>) : first
    return this.#applied(observed === undefined ? 'missing' : 'differs', differences, last)
  }

  /**
   * Makes the writes of {@link run} for an existing object as dry runs. Resolves with the digest of each part that differs, in the server's
   * answer.
   */
  async rehearse(observed: T | HashedObject<N>): Promise<Map<N, string | undefined>> {
    const differing = this.#differences(observed).map(({ part }) => part)
    const found = new Map<N, string | undefined>()
    const learn = (parts: readonly N[], answer: T): void => {
      const hashes = hashParts(answer, this.#parts)
      for (const part of parts) found.set(part, hashes[part])
    }
    const ofStatus = differing.filter(this.#isOfStatus)
    const ofObject = differing.filter(part => !this.#isOfStatus(part))
    if (ofObject.length > 0) learn(ofObject, await this.#write(observed, true))
    if (ofStatus.length > 0) learn(ofStatus, await this.#writeStatus(observed, true))
    return found
  }

  #create(): Promise<T> {
    const { mode, force } = this.#options
    if (mode === 'apply') {
      return this.#wrote('apply', this.#client.apply(this.#view, this.#desired as never, { ...this.#call, force }))
    }
    return this.#wrote('create', this.#client.create(this.#view, this.#desired, this.#call))
  }

  async #write(observed: T | HashedObject<N>, dryRun?: boolean): Promise<T> {
    const { mode, force, signal, timeoutMs } = this.#options
    const precondition = preconditionOf(observed)
    if (mode === 'apply') {
      // If only hashes are observed, it is unknown whether the object is being deleted.
      const finalizers = finalizersTaken(this.#desired, observed as KubernetesObject)
      const metadata = { ...this.#desired.metadata, ...(finalizers !== undefined && { finalizers }), ...precondition }
      const object = { ...this.#desired, metadata }
      return this.#sent(
        dryRun,
        'apply',
        this.#client.apply(this.#view, object as never, { ...this.#call, force, dryRun }),
      )
    }
    const held = isHashedObject(observed)
      ? await this.#client.get(this.#view, keyOf<S>(observed), { signal, timeoutMs })
      : observed
    const { list } = this.#parts as Parts<never>
    const object = replacement(this.#desired, held ?? {}, precondition, list)
    return this.#sent(
      dryRun,
      'update',
      this.#client.update(this.#view, object as FullObject<T>, { ...this.#call, dryRun }),
    )
  }

  /**
   * Replaces the status by a patch. A PUT would need the whole metadata too, because some resources change labels by a write of their status.
   * (For a write of a custom resource's status the server ignores the uid, so only the resourceVersion protects it, which is unique on
   * a server.)
   */
  #writeStatus(base: T | HashedObject<N>, dryRun?: boolean): Promise<T> {
    const { mode, force } = this.#options
    const { uid, resourceVersion } = preconditionOf(base)
    const { status } = this.#desired as { readonly status?: unknown }
    if (mode === 'apply') {
      const object = { metadata: { ...keyOf<S>(base), uid, resourceVersion }, status }
      const options = { ...this.#call, force, dryRun }
      return this.#sent(
        dryRun,
        'status',
        this.#client.status.apply(this.#view as View<object, S>, object, options) as Promise<T>,
      )
    }
    const steps = [
      { op: 'add', path: '/metadata/uid', value: uid },
      { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value: status },
    ] as const
    return this.#sent(
      dryRun,
      'status',
      this.#client.status.patch(this.#view, keyOf<S>(base), steps, { ...this.#call, dryRun }),
    )
  }

  #sent(dryRun: boolean | undefined, what: Write, answer: Promise<T>): Promise<T> {
    return dryRun === true ? answer : this.#wrote(what, answer)
  }

  async #wrote(what: Write, answer: Promise<T>): Promise<T> {
    const object = await answer
    this.#writes.push(what)
    await this.#onWrite?.(what, object)
    return object
  }

  /** The options of every write. */
  get #call(): WriteOptions {
    const { signal, timeoutMs, fieldManager, fieldValidation } = this.#options
    return { signal, timeoutMs, fieldManager, fieldValidation }
  }

  #differences(observed: T | HashedObject<N>): PartDifference<N>[] {
    const hashed = isHashedObject(observed)
    const held = hashed ? (observed as HashedObject<N>).hashes : hashParts(observed as T, this.#parts)
    const differing = new Set<string>(this.#differing(held))
    const all = hashed
      ? compareParts(this.#wanted, held)
      : compareParts(this.#wanted, held, {
          parts: this.#parts,
          objects: [this.#desired as T, observed as T],
          maxPaths: this.#options.maxPaths,
        })
    return all.filter(({ part }) => differing.has(part))
  }

  /** The parts of the desired object that the held object does not have as desired. */
  #differing(held: PartHashes<N>): N[] {
    return this.#parts.names.filter(part => {
      const wanted = this.#wanted[part]
      return wanted !== undefined && wanted !== held[part] && !this.#accepts(part, held[part])
    })
  }

  readonly #isOfStatus = (part: N): boolean => {
    return (this.#parts.list[this.#parts.names.indexOf(part)] as Part<T>).subresource === 'status'
  }

  #applied(
    reason: Applied<T, N>['reason'],
    differences: readonly PartDifference<N>[],
    object: T | undefined,
  ): Applied<T, N> {
    const remaining = object === undefined ? [] : this.#differing(hashParts(object, this.#parts))
    return { reason, differences, writes: this.#writes, object, remaining }
  }
}

function preconditionOf({ metadata }: KubernetesObject | HashedObject): Precondition {
  const { uid, resourceVersion } = metadata ?? {}
  if (!uid || !resourceVersion) {
    throw new OptionTypeError('observed', 'an object as a server sent it', 'one without uid or resourceVersion')
  }
  return { uid, resourceVersion }
}

function keyOf<S extends Scope>({ metadata }: KubernetesObject | HashedObject): ObjectKey<S> {
  return { name: metadata?.name, namespace: metadata?.namespace } as ObjectKey<S>
}
