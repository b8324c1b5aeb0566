import {
  ApiError,
  type Client,
  isAlreadyExists,
  isApplyConflict,
  isExact,
  type KubernetesObject,
  keyText,
  type ObjectKey,
  OptionTypeError,
  type OwnerReference,
  resourceName,
  type Scope,
  type View,
  type Whole,
} from '@wherry/client'
import { abortSignal, callback } from '@wherry/client/checks'
import {
  type Applied,
  type ApplyIfChangedOptions,
  applyIfChanged,
  hashParts,
  isWriteConflict,
  type PartHashes,
  type Parts,
  parts,
  specPart,
  statusPart,
  type Write,
} from '@wherry/hash-compare/compare'
import { asError } from '../as-error.ts'
import { AlreadyOwnedError, controllerOf, ownerReference, withOwner } from '../objects/owner.ts'
import { ReadClosedError } from '../reads/errors.ts'
import type { Read, ReadOptions } from '../reads/read.ts'
import type { DesiredOptions } from './context.ts'
import { ChangedMeanwhileError } from './errors.ts'
import { type Placed, place } from './placed.ts'
import type { Compared, DigestOf, HowRefused, Repair, Repairs } from './repairs.ts'
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
  /** The key for which it is. */
  readonly key: string
  /** What is to wait, and what was done. */
  readonly repairs: Pick<
    Repairs,
    'hold' | 'putOff' | 'wrote' | 'tried' | 'refused' | 'allowed' | 'found' | 'left' | 'again'
  >
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

/** What came of one try. `known`: what is there now, as far as the try has seen it. */
type Attempt<T> = { readonly known: T | undefined; readonly isHeld: boolean } & (
  | { readonly applied: Applied<T> }
  | { readonly applied?: undefined; readonly error: unknown }
)

/** One object that is made as desired. */
class DesiredObject<T extends KubernetesObject, S extends Scope> {
  readonly #about: ApplyFor
  readonly #view: View<T, S>
  readonly #placed: Placed
  readonly #reference: OwnerReference | undefined
  readonly #compared: Parts<KubernetesObject, PartName>
  readonly #digestOf: DigestOf
  #hashes: PartHashes<PartName> | undefined
  readonly #options: ApplyIfChangedOptions
  /** The run bounds its reads by itself. */
  readonly #reading: ReadOptions
  readonly #writes: Write[] = []
  /** To the last of them. */
  #answered: T | undefined

  constructor(about: ApplyFor, view: View<T, S>, desired: Whole<T>, { owner = true, ...rest }: DesiredOptions) {
    const { signal, onWrite } = rest
    if (signal !== undefined) abortSignal('apply.signal', signal)
    if (onWrite !== undefined) callback('apply.onWrite', onWrite)
    const { primary } = about
    const plain = view as unknown as View
    this.#about = about
    this.#view = view
    this.#placed = place(primary, about.owner, plain, desired)
    const { object, key } = this.#placed
    this.#reference =
      owner === false ? undefined : ownerReference(primary, about.owner, key.namespace, owner === true ? {} : owner)
    this.#compared = partsOf(object, this.#reference?.uid, isExact(plain))
    this.#digestOf = digester(this.#compared)
    this.#options = { ...rest, signal: signal === undefined ? about.signal : AbortSignal.any([signal, about.signal]) }
    this.#reading = { signal }
  }

  async run(): Promise<Applied<T>> {
    const { read, applies } = this.#about
    let first: Applied<T> | undefined
    applies(this.#id)
    for (let pass = 1; ; pass++) {
      const observed = await read.peek(this.#view, this.#placed.key, this.#reading)
      const attempt = await this.#attempt(observed)
      const isLast = pass === mostPasses
      first ??= attempt.applied
      const isSettled =
        attempt.applied === undefined ? await this.#isRefused(attempt, isLast) : await this.#isDone(attempt)
      if (!isSettled && !isLast) continue
      if (attempt.applied === undefined) throw attempt.error
      if (isSettled) return this.#outcome(first ?? attempt.applied, attempt.applied)
      this.#about.repairs.again(this.#about.key, this.#names)
      throw new ChangedMeanwhileError(this.#view.key, keyText(this.#placed.key))
    }
  }

  /** What came of all passes. */
  #outcome({ reason, differences }: Applied<T>, last: Applied<T>): Applied<T> {
    if (this.#writes.length === last.writes.length) return last
    return { ...last, reason, differences, writes: this.#writes, object: this.#answered }
  }

  async #attempt(observed: T | undefined): Promise<Attempt<T>> {
    const { key, repairs } = this.#about
    try {
      const repair = this.#repair(observed)
      if (observed !== undefined && this.#isFixed(repair)) {
        repairs.found(key, repair, observed, this.#digestOf)
        return { applied: nothingDone('equal', []), known: observed, isHeld: false }
      }
      const held = repair.differing.length > 0 ? repairs.hold(key, repair) : undefined
      if (held === undefined) return await this.#write(observed, repair)
      repairs.putOff(key, repair, held)
      const attempt = { known: observed, isHeld: true }
      if (held.refusal !== undefined) return { ...attempt, error: held.refusal.error }
      const applied: Applied<T> =
        observed === undefined ? nothingDone('missing', []) : nothingDone('differs', repair.differing)
      return { ...attempt, applied }
    } catch (error) {
      return { error, known: observed, isHeld: false }
    }
  }

  /** It is known that the server makes the same of it again. */
  #isFixed({ held }: Repair): boolean {
    const known = this.#about.learned().get(this.#id)
    return known?.held === held && known?.wanted === textOf(this.#wanted)
  }

  /** Does what `applyIfChanged` does, and learns from it. */
  async #write(observed: T | undefined, repair: Repair): Promise<Attempt<T>> {
    const { key, client, learned, repairs } = this.#about
    let known = observed
    let isChanged = false
    let isAnswered = false
    const onWrite: NonNullable<ApplyIfChangedOptions['onWrite']> = (what, object) => {
      this.#writes.push(what)
      this.#answered = object as T
      isAnswered = true
      // A write that changes nothing keeps the resourceVersion.
      if (object.metadata?.resourceVersion !== known?.metadata?.resourceVersion) {
        if (!isChanged) repairs.wrote(key, repair)
        isChanged = true
      }
      known = object as T
      return this.#options.onWrite?.(what, object)
    }
    try {
      const object = this.#withOwners(observed?.metadata?.ownerReferences ?? []) as Whole<T>
      if (observed === undefined) await this.#mustBeFree()
      // Of a write that does not end well it is not known what it made of the object.
      learned().delete(this.#id)
      const options = { ...this.#options, onWrite }
      const applied = await applyIfChanged(client, this.#view, object, observed, this.#compared, options)
      if (applied.object !== undefined) repairs.allowed(key, repair)
      if (applied.object !== undefined && applied.remaining.length > 0) {
        learned().set(this.#id, { wanted: textOf(this.#wanted), held: this.#digestOf(applied.object) })
      }
      return { applied, known, isHeld: false }
    } catch (error) {
      repairs.refused(key, repair, error, this.#howRefused(error, observed))
      return { error, known, isHeld: false }
    } finally {
      if (isAnswered && !isChanged) repairs.tried(key, repair)
      // What is there now is from here on changed by others.
      if (known !== undefined && known !== observed) repairs.left(key, this.#names, known, this.#digestOf, observed)
      else if (known !== undefined && repair.differing.length === 0) repairs.found(key, repair, known, this.#digestOf)
    }
  }

  #howRefused(error: unknown, observed: T | undefined): HowRefused {
    if (!isRefusal(error)) return this.#options.signal?.aborted === true ? 'given up' : 'passing'
    if (isPassing(error)) return 'passing'
    // Why an object can't be made may lie in another one, which the reconcile may have read.
    return observed === undefined ? 'refused' : 'lasting'
  }

  #repair(observed: T | undefined): Repair {
    const hashes = observed && hashParts<KubernetesObject, PartName>(observed, this.#compared)
    const { mode, force, fieldManager, fieldValidation } = this.#options
    return {
      ...this.#names,
      request: () => {
        // What is sent and not compared. The rest of what a reconcile may have read with the object says nothing.
        const { finalizers, ownerReferences } = this.#withOwners([]).metadata ?? {}
        const rest = [finalizers, ownerReferences, mode, force, fieldManager, fieldValidation]
        return `${textOf(this.#wanted)} ${JSON.stringify(rest)}`
      },
      // Server-side apply leaves to others what it does not name, and is refused what others have of what it does.
      isShared: mode === 'apply',
      differing: hashes === undefined ? ['all'] : this.#differing(hashes),
      standing: observed === undefined ? '' : standing(observed),
      held: hashes && textOf(hashes),
    }
  }

  /** The digests of the desired object. */
  get #wanted(): PartHashes<PartName> {
    this.#hashes ??= hashParts<KubernetesObject, PartName>(this.#withOwners([]), this.#compared)
    return this.#hashes
  }

  #differing(held: PartHashes<PartName>): PartName[] {
    const wanted = this.#wanted
    return this.#compared.names.filter(part => wanted[part] !== undefined && wanted[part] !== held[part])
  }

  /**
   * The desired object with its owners, the others of what is there among them. Server-side apply is not sent those: they would
   * become this manager's too, and stay when theirs lets go of them.
   */
  #withOwners(held: readonly OwnerReference[]): KubernetesObject {
    const { object } = this.#placed
    const reference = this.#reference
    if (reference === undefined) return object
    const wanted = object.metadata?.ownerReferences ?? []
    const others = held.filter(({ uid }) => !wanted.some(one => one.uid === uid))
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

  /** Tracks what is there now. Gives whether that is what the attempt has left. */
  async #isDone({ known, isHeld }: Attempt<T>): Promise<boolean> {
    const select = isHeld ? (object: T) => textOfSeen(this.#coarse(object)) : this.#digestOf
    // What this wrote is no news for this run, what others do is. The run before may have read what was there until now; for
    // that the key runs once more, and changes nothing.
    const there = await this.#about.read.get(this.#view, this.#placed.key, { ...this.#reading, select })
    return there === (known === undefined ? undefined : select(known))
  }

  /**
   * Tracks what is in the way: the object, who controls it, or one that is not of the view. Gives whether it is so still; `false`:
   * it is worth another try at once.
   */
  async #isRefused(attempt: Attempt<T> & { readonly error: unknown }, isLast: boolean): Promise<boolean> {
    const { key: of, read, repairs, client } = this.#about
    const { error, known, isHeld } = attempt
    const { key } = this.#placed
    const view = this.#view as unknown as View
    const select = isHeld ? this.#coarse : isRefusal(error) ? this.#exact : this.#whole
    try {
      const there: Seen | undefined = await read.get(this.#view, key, { ...this.#reading, select })
      const isOutside = isAlreadyExists(error) && isSelective(view)
      const outside = isOutside ? await read.get(unselected(view), key, { ...this.#reading, select: standing }) : ''
      const expected = known && select(known)
      const isAnother = there?.standing !== expected?.standing
      const isGone = outside === undefined && !isHeld
      if (!isLast && (isAnother || isGone)) return false
      if (isAnother || isGone || there?.rest !== expected?.rest) repairs.again(of, this.#names)
    } catch (thrown) {
      // The refusal says more, and is what is thrown. Where nobody hears of that any more it is told, unless it was before.
      const isTold = this.#options.signal?.aborted === true || isHeld
      const told = thrown instanceof ReadClosedError ? error : thrown
      if (!isTold) client.environment.onError(asError(told), { phase: 'apply', resource: view.key, key: keyText(key) })
    }
    return true
  }

  /** Of what waits for its time: that it becomes as desired, or differs in more. */
  readonly #coarse = (object: KubernetesObject): Seen => {
    return {
      standing: standing(object),
      rest: unlessOdd(() => `${this.#differing(hashParts(object, this.#compared))}`),
    }
  }

  /** Of what may go well the next time. */
  readonly #whole = (object: KubernetesObject): Seen => {
    return { standing: standing(object), rest: unlessOdd(() => this.#digestOf(object)) }
  }

  /** Why a server refuses what it is sent may lie in anything of the object. */
  readonly #exact = (object: KubernetesObject): Seen => {
    return { standing: standing(object), rest: `${object.metadata?.resourceVersion}` }
  }

  get #names(): Compared {
    const { metadata, status } = this.#placed.object as KubernetesObject & { readonly status?: unknown }
    const { labels = {}, annotations = {} } = metadata ?? {}
    const view = this.#view.key
    const compared = [view, Object.keys(labels), Object.keys(annotations), status !== undefined, this.#reference?.uid]
    return {
      owner: this.#about.owner.metadata?.uid ?? '',
      resource: resourceName(this.#view.resource),
      view,
      object: keyText(this.#placed.key),
      compared: JSON.stringify(compared),
    }
  }

  get #id(): string {
    return `${this.#view.key} ${keyText(this.#placed.key)}`
  }
}

/** What is tracked of an object that is not as desired. */
interface Seen {
  readonly standing: string
  readonly rest: string
}

function textOfSeen({ standing, rest }: Seen): string {
  return `${standing} ${rest}`
}

function nothingDone<T>(reason: Applied<T>['reason'], parts: readonly string[]): Applied<T> {
  return { reason, differences: parts.map(part => ({ part })), writes: [], object: undefined, remaining: parts }
}

/** By the parts alone, so that who keeps it keeps nothing else. */
function digester(compared: Parts<KubernetesObject, PartName>): DigestOf {
  return object => textOf(hashParts(object, compared))
}

/** The server, or who controls the object, does not want it. */
function isRefusal(error: unknown): boolean {
  return error instanceof AlreadyOwnedError || error instanceof ApiError
}

/** A conflict that ends when it is looked at what is there by now, as one with the owner of a field does not. */
export function isPassing(error: unknown): boolean {
  return isWriteConflict(error) && !isApplyConflict(error)
}

/** What can't be hashed is told of otherwise, and no news. */
function unlessOdd(text: () => string): string {
  try {
    return text()
  } catch {
    return ''
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
