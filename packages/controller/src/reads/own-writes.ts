import { type Clock, isAtLeast, type KubernetesObject, keyText, type ResourceDefinition } from '@wherry/client'
import type { CachedInformer } from '@wherry/dynamic-cache'
import type { ObjectVersion } from '@wherry/informer'
import { wentWith } from '@wherry/informer/parts'
import { isCertainlySelected } from './selected-fields.ts'
import { isWithin } from './selection-scope.ts'

/** How long a write is remembered for informers that are to be read later, in milliseconds: until then any has seen it. */
export const rememberedMs = 65_000
/** Of how many names of one resource at most. */
const mostRemembered = 10_000

/** What this process wrote of one object. */
export interface Written {
  /** As the server answered; `undefined`: it was deleted. */
  readonly object: KubernetesObject | undefined
  /** Of what was deleted; `undefined`: whatever an informer has at that moment. */
  readonly gone: string | undefined
  /** The keys of views whose fields certainly select it, where that can not be told by `object` any more. */
  readonly selectedBy?: readonly string[] | undefined
}

/** A write, and until when it counts, on the monotonic clock, in milliseconds. */
interface Remembered {
  readonly written: Written
  readonly until: number
}

/**
 * What was written in the last minute, by resource and key (rule C10), for informers that are read from later: what was last written
 * of each object that had that name, and that it is gone. One informer may show another of them than the next.
 */
export class RecentWrites {
  readonly #clock: Clock
  /** The resource that was written last is the last one, and so is the key within each. */
  readonly #recent = new Map<string, Map<string, readonly Remembered[]>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Of how many objects it remembers writes. */
  get size(): number {
    return [...this.#recent.values()].reduce((sum, { size }) => sum + size, 0)
  }

  note(resource: ResourceDefinition, key: string, written: Written): void {
    // What an informer has later under that key may be another object.
    if (written.object === undefined && written.gone === undefined) return
    const now = this.#clock.monotonic()
    const known = this.get(resource, key)
    // Answers may come in another order than what they answer was done.
    if (known.some(one => isAfter(one.written, written))) return
    const left = known.filter(one => !isInstead(written, one.written))
    const name = resourceKey(resource)
    const ofResource = this.#recent.get(name) ?? new Map<string, readonly Remembered[]>()
    this.#recent.delete(name)
    this.#recent.set(name, ofResource)
    ofResource.delete(key)
    ofResource.set(key, [...left, { written: outline(written), until: now + rememberedMs }])
    forgetOld(ofResource, now)
    // A resource may come, be written, and go: nobody writes to it again.
    for (const [oldest, writes] of this.#recent) {
      forgetOld(writes, now)
      if (writes.size > 0) break
      this.#recent.delete(oldest)
    }
  }

  /** Of one key, the last one last. */
  get(resource: ResourceDefinition, key: string): readonly Remembered[] {
    const now = this.#clock.monotonic()
    return (this.#recent.get(resourceKey(resource))?.get(key) ?? []).filter(({ until }) => until > now)
  }

  *of(resource: ResourceDefinition): IterableIterator<readonly [string, Remembered]> {
    for (const key of this.#recent.get(resourceKey(resource))?.keys() ?? []) {
      for (const remembered of this.get(resource, key)) yield [key, remembered]
    }
  }
}

/** Forgets, of one resource, the keys whose last write is long ago, and what is too much. */
function forgetOld(ofResource: Map<string, readonly Remembered[]>, now: number): void {
  for (const [oldest, writes] of ofResource) {
    if (writes.some(({ until }) => until > now) && ofResource.size <= mostRemembered) break
    ofResource.delete(oldest)
  }
}

/** What is remembered of a write: not the whole object, which may be large. */
function outline({ object, gone, selectedBy }: Written): Written {
  if (object === undefined) return { object, gone }
  const { name, namespace, uid, resourceVersion, labels } = object.metadata ?? {}
  return { object: { metadata: { name, namespace, uid, resourceVersion, labels } }, gone, selectedBy }
}

/** Whether one write tells all that an earlier one does: that an object is gone does not tell that what it has replaced is too. */
function isInstead(one: Written, earlier: Written): boolean {
  const resourceVersion = earlier.object?.metadata?.resourceVersion
  const isOrdered = isAtLeast(resourceVersion, resourceVersion)
  return uidOf(one) === uidOf(earlier) && !(one.object === undefined && isOrdered)
}

function uidOf({ object, gone }: Written): string | undefined {
  return object === undefined ? gone : object.metadata?.uid
}

/** Whether `one` is certainly what came of the object after `other`. */
function isAfter(one: Written, { object: other }: Written): boolean {
  const { uid, resourceVersion } = other?.metadata ?? {}
  if (other === undefined) return false
  if (one.object === undefined) return one.gone !== undefined && one.gone === uid
  const version = one.object.metadata?.resourceVersion
  return version !== resourceVersion && isAtLeast(version, resourceVersion)
}

/** One name for a resource in all its versions. */
export function resourceKey({ group, plural }: ResourceDefinition): string {
  return `${plural}.${group}`
}

/** The key of an object that was written, and what is known of it by the answer. */
export function writtenOf(answer: object): { readonly key: string; readonly written: Written } | undefined {
  const object = answer as KubernetesObject
  const { name, namespace, uid } = object.metadata ?? {}
  if (name === undefined) return undefined
  // An answer to the write that it went with has its last state.
  const written = wentWith(object) ? { object: undefined, gone: uid } : { object, gone: undefined }
  return { key: keyText({ name, namespace }), written }
}

/** What must not be read any more. */
interface Past {
  /** It may never be heard of. */
  readonly until: number
  /** Only what it was before that resourceVersion, which the informer has not come to. `undefined`: whatever it was. */
  readonly before: string | undefined
  /** The informer has had it. */
  wasHeld: boolean
}

interface Unseen {
  /** An informer that has come so far has seen the write. */
  resourceVersion: string | undefined
  /** By uid. */
  past: Map<string, Past> | undefined
  /** When it is looked whether it has come, where nobody has asked by then. */
  lookAt: number
}

/** What this process wrote and one informer may not show yet. */
export class UnseenWrites {
  readonly #informer: CachedInformer<unknown>
  readonly #clock: Clock
  /** In the order in which they were noted, or looked at since then. */
  readonly #unseen = new Map<string, Unseen>()

  constructor(informer: CachedInformer<unknown>, clock: Clock, recent: Iterable<readonly [string, Remembered]>) {
    this.#informer = informer
    this.#clock = clock
    for (const [key, { written, until }] of recent) this.#note(key, written, until)
  }

  note(key: string, written: Written): void {
    const now = this.#clock.monotonic()
    this.#note(key, written, now + rememberedMs)
    // It may never be heard of, nor asked for.
    for (const [oldest, unseen] of this.#unseen) {
      if (unseen.lookAt > now) break
      if (!this.#forget(oldest, unseen, this.#informer.version(oldest))) this.#of(oldest)
    }
  }

  #note(key: string, { object, gone, selectedBy = [] }: Written, until: number): void {
    const informer = this.#informer
    const held = informer.version(key)
    if (object === undefined) {
      this.#isPast(key, gone ?? held?.uid, until, undefined)
      return
    }
    const { uid, resourceVersion, labels } = object.metadata ?? {}
    if (resourceVersion === undefined || resourceVersion === held?.resourceVersion) return
    if (isAtLeast(held?.resourceVersion, resourceVersion) || this.#hasCome(resourceVersion)) return
    // Answers may come in another order than what they answer was done.
    if (isAtLeast(this.#unseen.get(key)?.resourceVersion, resourceVersion)) return
    const { view } = informer
    const isOfFields = selectedBy.includes(view.key) || isCertainlySelected(view.fields, object)
    const isSelected = isWithin(view, key) && view.labels.matches(labels) && isOfFields
    // It is to enter, to change, or to leave: the informer will hear of it.
    if (isSelected || held !== undefined) this.#of(key).resourceVersion = resourceVersion
    // It may hear of what that was before, and only then that it is not selected.
    else if (isWithin(view, key)) this.#isPast(key, uid, until, resourceVersion)
  }

  /** Whether the informer does not show yet what was written to an object. */
  has(key: string): boolean {
    const unseen = this.#unseen.get(key)
    if (unseen === undefined) return false
    const held = this.#informer.version(key)
    this.#forget(key, unseen, held)
    return unseen.resourceVersion !== undefined || (held?.uid !== undefined && unseen.past?.has(held.uid) === true)
  }

  /** One of those that it does not show yet, and that a reader asks for. */
  find(isAskedFor: (key: string) => boolean): string | undefined {
    for (const key of this.#unseen.keys()) if (isAskedFor(key) && this.has(key)) return key
    return undefined
  }

  /** The informer has heard of an object. */
  heard(key: string): void {
    const unseen = this.#unseen.get(key)
    if (unseen !== undefined) this.#forget(key, unseen, this.#informer.version(key))
  }

  /** Forgets what has come. Gives whether nothing is left of that object. */
  #forget(key: string, unseen: Unseen, held: ObjectVersion | undefined): boolean {
    const { resourceVersion, past } = unseen
    if (resourceVersion !== undefined) {
      const isHeld = held?.resourceVersion === resourceVersion || isAtLeast(held?.resourceVersion, resourceVersion)
      if (isHeld || this.#hasCome(resourceVersion)) unseen.resourceVersion = undefined
    }
    const now = this.#clock.monotonic()
    for (const [uid, one] of past ?? []) {
      const { until, before, wasHeld } = one
      one.wasHeld = held?.uid === uid
      const isGone = wasHeld && !one.wasHeld && before === undefined && this.#takesAll
      if (isGone || until <= now || (before !== undefined && this.#hasCome(before))) past?.delete(uid)
    }
    if (unseen.resourceVersion !== undefined || (past?.size ?? 0) > 0) return false
    return this.#unseen.delete(key)
  }

  #isPast(key: string, uid: string | undefined, until: number, before: string | undefined): void {
    if (uid === undefined) return
    const unseen = this.#of(key)
    unseen.past ??= new Map()
    const known = unseen.past.get(uid)
    if (known !== undefined && before !== undefined && (known.before === undefined || isAtLeast(known.before, before)))
      return
    unseen.past.set(uid, { until, before, wasHeld: this.#informer.version(key)?.uid === uid })
  }

  /** What is unseen of an object, as the last that is to be looked at. */
  #of(key: string): Unseen {
    const lookAt = this.#clock.monotonic() + rememberedMs
    const found = this.#unseen.get(key) ?? { resourceVersion: undefined, past: undefined, lookAt }
    found.lookAt = lookAt
    this.#unseen.delete(key)
    this.#unseen.set(key, found)
    return found
  }

  /** What it lets go of was deleted, and has not just left its selection, to come again. */
  get #takesAll(): boolean {
    const { labels, fields } = this.#informer.view
    return labels.text === '' && fields.text === ''
  }

  #hasCome(resourceVersion: string): boolean {
    return isAtLeast(this.#informer.lastSyncedResourceVersion, resourceVersion)
  }
}
