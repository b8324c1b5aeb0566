import {
  type Client,
  isAlreadyExists,
  isExact,
  type KubernetesObject,
  keyText,
  type ObjectKey,
  OptionTypeError,
  type OwnerReference,
  type Scope,
  type View,
  type Whole,
} from '@wherry/client'
import { abortSignal } from '@wherry/client/checks'
import {
  type Applied,
  type ApplyIfChangedOptions,
  applyIfChanged,
  hashParts,
  type PartHashes,
  type Parts,
  parts,
  specPart,
  statusPart,
} from '@wherry/hash-compare/compare'
import { asError } from '../as-error.ts'
import { controllerOf, ownerReference, withOwner } from '../objects/owner.ts'
import type { Read, ReadOptions } from '../reads/read.ts'
import type { DesiredOptions } from './context.ts'
import { ChangedMeanwhileError } from './errors.ts'
import { type Placed, place } from './placed.ts'
import type { Repair } from './repairs.ts'
import { alreadyExists, isSelective, unselected } from './unselected.ts'

/** What a desired state became on the server: a later one that is equal needs no write while the object is still so. */
export interface Learned {
  readonly wanted: string
  readonly held: string
}

/** For whom objects are made as desired. */
export interface ApplyFor {
  readonly client: Client
  /** The view of the primary object, and who it is. */
  readonly primary: View
  readonly owner: KubernetesObject
  readonly signal: AbortSignal
  /** What the reconcile reads through. */
  readonly read: Read
  /** By object; lives as long as the primary object does, and its runs apply the object. */
  learned(): Map<string, Learned>
  /** An object is applied, by its key in {@link ApplyFor.learned}. */
  applies(object: string): void
  /** How long a repair has to wait, in milliseconds, since somebody else changes the object again and again; 0: not at all. */
  delayMs(repair: Repair): number
  /** It is to wait: the key runs again then. */
  putOff(repair: Repair): void
  /** It was written. `wasThere`: and not made. */
  wrote(repair: Repair, wasThere: boolean): void
}

type PartName = 'spec' | 'status' | 'owner'

/** How often it is looked again at an object that somebody else changes meanwhile. */
const mostPasses = 3

/** What `apply` of a reconcile's context does: see there. */
export async function applyDesired<T extends KubernetesObject, S extends Scope>(
  about: ApplyFor,
  view: View<T, S>,
  desired: Whole<T>,
  options: DesiredOptions = {},
): Promise<Applied<T>> {
  if (desired === null || typeof desired !== 'object') {
    throw new OptionTypeError('apply.desired', 'an object', typeof desired)
  }
  return new DesiredObject(about, view, desired, options).run()
}

/** What came of one try. */
type Attempt<T> = { readonly applied: Applied<T> } | { readonly applied?: undefined; readonly error: unknown }

/** One object that is made as desired. */
class DesiredObject<T extends KubernetesObject, S extends Scope> {
  readonly #about: ApplyFor
  readonly #view: View<T, S>
  readonly #placed: Placed
  readonly #reference: OwnerReference | undefined
  readonly #compared: Parts<KubernetesObject, PartName>
  readonly #options: ApplyIfChangedOptions
  /** The run bounds its reads by itself. */
  readonly #reading: ReadOptions

  constructor(about: ApplyFor, view: View<T, S>, desired: Whole<T>, { owner = true, ...rest }: DesiredOptions) {
    const { signal } = rest
    if (signal !== undefined) abortSignal('apply.signal', signal)
    const { primary } = about
    const plain = view as unknown as View
    this.#about = about
    this.#view = view
    this.#placed = place(primary, about.owner, plain, desired)
    const { object, key } = this.#placed
    this.#reference =
      owner === false ? undefined : ownerReference(primary, about.owner, key.namespace, owner === true ? {} : owner)
    this.#compared = partsOf(object, this.#reference?.uid, isExact(plain))
    this.#options = { ...rest, signal: signal === undefined ? about.signal : AbortSignal.any([signal, about.signal]) }
    this.#reading = { signal }
  }

  async run(): Promise<Applied<T>> {
    const { read, applies } = this.#about
    const { key } = this.#placed
    const hashOf = (object: KubernetesObject): string => textOf(hashParts(object, this.#compared))
    applies(this.#id)
    for (let pass = 1; ; pass++) {
      const observed = await read.peek(this.#view, key, this.#reading)
      const attempt = await this.#attempt(observed)
      if (attempt.applied === undefined) {
        const hasGone = await this.#hasGone(observed, attempt.error)
        if (!hasGone || pass === mostPasses) throw attempt.error
        continue
      }
      // Tracked is what was compared, after the write: what this wrote is no news for this run, what others do is. The run before
      // may have read what was there until now; for that the key runs once more, and changes nothing.
      const there = await read.get(this.#view, key, { ...this.#reading, select: hashOf })
      const expected = attempt.applied.object ?? observed
      if (there === (expected === undefined ? undefined : hashOf(expected))) return attempt.applied
      if (pass === mostPasses) throw new ChangedMeanwhileError(this.#view.key, keyText(key))
    }
  }

  async #attempt(observed: T | undefined): Promise<Attempt<T>> {
    try {
      const object = this.#owned(observed)
      if (observed === undefined) await this.#mustBeFree()
      return { applied: await this.#apply(object as Whole<T>, observed) }
    } catch (error) {
      return { error }
    }
  }

  /**
   * The desired object with its owners, the others of what is there among them. Server-side apply is not sent those: they would
   * become this manager's too, and stay when theirs lets go of them.
   */
  #owned(observed: T | undefined): KubernetesObject {
    const { object } = this.#placed
    const reference = this.#reference
    if (reference === undefined) return object
    const wanted = object.metadata?.ownerReferences ?? []
    const others = (observed?.metadata?.ownerReferences ?? []).filter(({ uid }) => !wanted.some(one => one.uid === uid))
    const all = withOwner([...others, ...wanted], reference)
    const ownerReferences = this.#options.mode === 'apply' ? withOwner(wanted, reference) : all
    return { ...object, metadata: { ...object.metadata, ownerReferences } }
  }

  /**
   * Server-side apply would merge the object into one that the view hides.
   * @throws ApiError where there is one: as a create does.
   */
  async #mustBeFree(): Promise<void> {
    const view = this.#view as unknown as View
    const { mode, signal, timeoutMs } = this.#options
    if (mode !== 'apply' || !isSelective(view)) return
    const key = this.#placed.key as ObjectKey
    const there = await this.#about.client.get(unselected(view), key, { signal, timeoutMs })
    if (there !== undefined) throw alreadyExists(view, key, there)
  }

  /** Does what `applyIfChanged` does, unless it is known that the server makes the same of it again. */
  async #apply(desired: Whole<T>, observed: T | undefined): Promise<Applied<T>> {
    const compared = this.#compared
    const hashes = hashParts<KubernetesObject, PartName>(desired, compared)
    const wanted = textOf(hashes)
    const { client, learned } = this.#about
    const known = learned().get(this.#id)
    if (observed !== undefined && known?.wanted === wanted && known.held === textOf(hashParts(observed, compared))) {
      return { reason: 'equal', differences: [], writes: [], object: undefined, remaining: [] }
    }
    const repair = { view: this.#view.key, object: keyText(this.#placed.key), wanted }
    const putOff = observed && this.#putOff(repair, hashes, observed)
    if (putOff !== undefined) return putOff
    const applied = await applyIfChanged(client, this.#view, desired, observed, compared, this.#options)
    // A write that changes nothing keeps the resourceVersion.
    const version = applied.object?.metadata?.resourceVersion
    if (version !== undefined && version !== observed?.metadata?.resourceVersion) {
      this.#about.wrote(repair, observed !== undefined)
    }
    if (applied.object !== undefined && applied.remaining.length > 0) {
      learned().set(this.#id, { wanted, held: textOf(hashParts(applied.object, compared)) })
    } else if (known !== undefined) learned().delete(this.#id)
    return applied
  }

  /** What comes of a repair that is to wait; `undefined`: it is to be made, or there is nothing to repair. */
  #putOff(repair: Repair, wanted: PartHashes<PartName>, observed: T): Applied<T> | undefined {
    const { delayMs, putOff } = this.#about
    if (delayMs(repair) === 0) return undefined
    const held = hashParts<KubernetesObject, PartName>(observed, this.#compared)
    const differing = this.#compared.names.filter(part => wanted[part] !== undefined && wanted[part] !== held[part])
    if (differing.length === 0) return undefined
    putOff(repair)
    const differences = differing.map(part => ({ part }))
    return { reason: 'differs', differences, writes: [], object: undefined, remaining: differing }
  }

  /**
   * Tracks what may be in the way: the object, and who controls it, or one that is not of the view. Of what else changes in it the key
   * does not run: it would be refused as often. Gives whether that is another by now.
   */
  async #hasGone(observed: T | undefined, error: unknown): Promise<boolean> {
    const { read, client } = this.#about
    const { key } = this.#placed
    const view = this.#view as unknown as View
    try {
      const there = await read.get(this.#view, key, { ...this.#reading, select: standing })
      if (there !== (observed === undefined ? undefined : standing(observed))) return true
      if (!isAlreadyExists(error) || !isSelective(view)) return false
      return (await read.get(unselected(view), key, { ...this.#reading, select: standing })) === undefined
    } catch (thrown) {
      // The refusal says more, and is what is thrown.
      if (this.#options.signal?.aborted !== true) {
        client.environment.onError(asError(thrown), { phase: 'apply', resource: view.key, key: keyText(key) })
      }
      return false
    }
  }

  get #id(): string {
    return `${this.#view.key} ${keyText(this.#placed.key)}`
  }
}

/** Which object it is, and who controls it. */
function standing(object: KubernetesObject): string {
  return `${object.metadata?.uid} ${controllerOf(object)?.uid}`
}

/** What is compared: labels and annotations that are desired, the rest of the object, a status if one is desired, and whether it is owned. */
function partsOf(
  desired: KubernetesObject,
  owner: string | undefined,
  isExact: boolean,
): Parts<KubernetesObject, PartName> {
  const { labels = {}, annotations = {} } = desired.metadata ?? {}
  const hasStatus = (desired as { readonly status?: unknown }).status !== undefined
  const ownedBy = (object: KubernetesObject): unknown => {
    if (owner === undefined) return undefined
    const {
      apiVersion,
      kind,
      name,
      uid,
      controller = false,
    } = object.metadata?.ownerReferences?.find(({ uid }) => uid === owner) ?? {}
    return { apiVersion, kind, name, uid, controller }
  }
  const compared = {
    spec: specPart({ labels: Object.keys(labels), annotations: Object.keys(annotations) }),
    status: hasStatus ? statusPart : nothing,
    owner: ownedBy,
  }
  return parts<KubernetesObject, PartName>(compared, isExact ? { integers: 'bigint' } : undefined)
}

/** What is another's to say. */
const nothing = { of: () => undefined }

function textOf({ spec, status, owner }: PartHashes<PartName>): string {
  return `${spec} ${status} ${owner}`
}
