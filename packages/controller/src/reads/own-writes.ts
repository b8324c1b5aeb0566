import {
  type Clock,
  isAtLeast,
  type KubernetesObject,
  keyText,
  type ObjectKey,
  type ResourceDefinition,
  type View,
  type WriteListener,
  wentWith,
} from '@wherry/client'
import { having } from '@wherry/client/checks'
import type { CachedInformer } from '@wherry/dynamic-cache'
import { SyncWaiters } from '@wherry/informer/parts'
import { isOfKeys, isWithin } from './selection-scope.ts'

/** How long a write is remembered for informers that are to be read later, in milliseconds: until then any has seen it. */
export const rememberedMs = 65_000
/** How often an informer is looked at while a write is waited for, in milliseconds: a bookmark makes no event. */
const lookMs = 250
/** Of how many names at most. */
const mostRemembered = 10_000

/** What is remembered of a write of this process. */
export interface Write {
  readonly uid: string | undefined
  /** What the write made of the object; `undefined`: it is gone. */
  readonly made: Made | undefined
  /** Until when it counts for informers that had not begun, on the monotonic clock, in milliseconds. */
  readonly until: number
}

interface Made {
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>> | undefined
}

/** Hears of what this process writes to objects of one resource. */
export interface WriteSubscriber {
  wrote(key: string, write: Write): void
  /** The answer to a write did not come. */
  unanswered?(key: string): void
}

/** What {@link OwnWrites} are made of. */
export interface OwnWritesOptions {
  readonly clock: Clock
  readonly cache: { readonly informers: readonly CachedInformer<unknown>[] }
}

/**
 * What this process wrote in the last minute, by resource and key: no reader may be given anything older (rules A8 and C10). All
 * controllers of an operator share one, and their client notifies it.
 *
 * There may be several writes of one name: that an object is gone says nothing of the one that has its name now.
 */
export class OwnWrites implements WriteListener {
  readonly #options: OwnWritesOptions
  /** By resource and key; the key that was written last is the last one. */
  readonly #writes = new Map<string, readonly Write[]>()
  readonly #subscribers = new Map<string, Set<WriteSubscriber>>()

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** Of how many objects it remembers writes. */
  get size(): number {
    return this.#writes.size
  }

  /** From now on the subscriber hears of writes to a resource in all its versions. What is returned ends that. */
  subscribe(resource: ResourceDefinition, subscriber: WriteSubscriber): () => void {
    const name = resourceKey(resource)
    const known = this.#subscribers.get(name) ?? new Set()
    this.#subscribers.set(name, known.add(subscriber))
    return () => {
      known.delete(subscriber)
      if (known.size === 0 && this.#subscribers.get(name) === known) this.#subscribers.delete(name)
    }
  }

  /** What is remembered of one key, the last one last. */
  get(resource: ResourceDefinition, key: string): readonly Write[] {
    const now = this.#options.clock.monotonic()
    return (this.#writes.get(idOf(resource, key)) ?? []).filter(({ until }) => until > now)
  }

  *of(resource: ResourceDefinition): IterableIterator<readonly [string, readonly Write[]]> {
    const start = idOf(resource, '')
    for (const id of this.#writes.keys()) {
      const key = id.slice(start.length)
      const writes = id.startsWith(start) ? this.get(resource, key) : []
      if (writes.length > 0) yield [key, writes]
    }
  }

  /** Says that an object was written, and what the server answered. */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace, uid, resourceVersion, labels } = object.metadata ?? {}
    if (name === undefined) return
    const key = keyText({ name, namespace })
    if (wentWith(object)) this.#note(view.resource, key, { uid, made: undefined })
    else if (resourceVersion !== undefined) this.#note(view.resource, key, { uid, made: { resourceVersion, labels } })
  }

  /** Says that an object was deleted. @param uid of that object; `undefined`: whatever the informers have now. */
  deleted(view: View, key: ObjectKey, uid?: string | undefined): void {
    const text = keyText(key)
    const uids = uid === undefined ? this.uids(view, key) : [uid]
    for (const gone of uids) this.#note(view.resource, text, { uid: gone, made: undefined })
  }

  unanswered({ resource }: View, key: string): void {
    for (const one of this.#subscribers.get(resourceKey(resource)) ?? []) one.unanswered?.(key)
  }

  /** The uids that a key has now in any informer of its resource: reads may be served from each of them. */
  uids({ resource }: View, key: ObjectKey): ReadonlySet<string> {
    const text = keyText(key)
    const uids = this.#informers(resource).map(informer => informer.version(text)?.uid)
    return new Set(uids.filter(uid => uid !== undefined))
  }

  #note(resource: ResourceDefinition, key: string, write: Omit<Write, 'until'>): void {
    const now = this.#options.clock.monotonic()
    const known = this.get(resource, key)
    // The server may have answered in another order than it wrote.
    if (known.some(one => isAfter(one, write))) return
    const remembered = { ...write, until: now + rememberedMs }
    const id = idOf(resource, key)
    this.#writes.delete(id)
    this.#writes.set(id, and(known, remembered))
    for (const [old, writes] of this.#writes) {
      if (this.#writes.size <= mostRemembered && writes.some(({ until }) => until > now)) break
      this.#writes.delete(old)
    }
    for (const one of this.#subscribers.get(resourceKey(resource)) ?? []) one.wrote(key, remembered)
  }

  #informers(resource: ResourceDefinition): readonly CachedInformer<unknown>[] {
    const name = resourceKey(resource)
    return this.#options.cache.informers.filter(({ view }) => resourceKey(view.resource) === name)
  }
}

/** One name for a resource in all its versions. */
export function resourceKey({ group, plural }: ResourceDefinition): string {
  return `${plural}.${group}`
}

function idOf(resource: ResourceDefinition, key: string): string {
  return `${resourceKey(resource)} ${key}`
}

/** Writes of one key, and the last one. */
function and(writes: readonly Write[], last: Write): Write[] {
  return [...writes.filter(one => !tellsAllOf(last, one)), last]
}

/** Whether one write says all that an earlier one does. That an object is gone does not say that the one before it is. */
function tellsAllOf(write: Write, earlier: Write): boolean {
  const resourceVersion = earlier.made?.resourceVersion
  const isOrdered = isAtLeast(resourceVersion, resourceVersion)
  return write.uid === earlier.uid && !(write.made === undefined && isOrdered)
}

/** Whether `one` is certainly what became of the object after `write`. */
function isAfter(one: Write, write: Omit<Write, 'until'>): boolean {
  if (write.made === undefined) return false
  if (one.made === undefined) return one.uid !== undefined && one.uid === write.uid
  const { resourceVersion } = one.made
  return resourceVersion !== write.made.resourceVersion && isAtLeast(resourceVersion, write.made.resourceVersion)
}

/** What this process wrote and one informer may not show yet. */
export class UnseenWrites implements WriteSubscriber {
  readonly #informer: CachedInformer<unknown>
  readonly #clock: Clock
  readonly unanswered: (key: string) => void
  /** Ends the subscription. */
  readonly close: () => void
  /** Those that the informer has not come to. The one that was looked at last is the last one. */
  readonly #writes = new Map<string, readonly Write[]>()
  readonly #waiters = new SyncWaiters()

  /** @param unanswered is told of keys to which a write went whose answer was lost */
  constructor(
    informer: CachedInformer<unknown>,
    clock: Clock,
    writes: OwnWrites,
    unanswered: (key: string) => void = () => {},
  ) {
    this.#informer = informer
    this.#clock = clock
    this.unanswered = unanswered
    const { resource } = informer.view
    for (const [key, known] of writes.of(resource)) this.#writes.set(key, known)
    this.close = writes.subscribe(resource, this)
  }

  wrote(key: string, write: Write): void {
    const writes = this.#look(key)
    this.#writes.delete(key)
    this.#writes.set(key, and(writes, write))
    // Nobody may ask for the others: of those that are kept, two are looked at.
    let kept = 0
    for (const other of this.#writes.keys()) {
      if (this.#look(other).length > 0) kept += 1
      if (kept === 2) break
    }
  }

  /** A key of which the informer does not show yet what was written. @param asked that key, or those that a reader asks for */
  lacking(asked: string | ((key: string) => boolean)): string | undefined {
    if (typeof asked === 'string') {
      return this.#look(asked).some(write => isHidden(this.#informer, asked, write)) ? asked : undefined
    }
    for (const key of [...this.#writes.keys()]) if (asked(key) && this.lacking(key) !== undefined) return key
    return undefined
  }

  /** Resolves when the informer lacks nothing that is asked for; or when the time is over, with a key that it lacks. */
  async shown(
    asked: string | ((key: string) => boolean),
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const until = this.#clock.monotonic() + timeoutMs
    for (;;) {
      const key = this.lacking(asked)
      if (key === undefined || this.#clock.monotonic() >= until) return key
      const look = this.#clock.timer(lookMs, () => this.#waiters.resolve())
      await this.#waiters.wait(signal).finally(() => look.cancel())
    }
  }

  /** The informer has heard of something. */
  heard(): void {
    this.#waiters.resolve()
  }

  /** What the informer has not come to. */
  #look(key: string): readonly Write[] {
    const writes = this.#writes.get(key)
    if (writes === undefined) return []
    const now = this.#clock.monotonic()
    const informer = this.#informer
    const isOpen = ({ made }: Write): boolean => made !== undefined && !hasCome(informer, key, made)
    // An informer that is still to hear of an object does not know yet that it went.
    const isBehind = !informer.hasSynced || writes.some(isOpen)
    const kept = writes.filter(write => {
      const hidden = isHidden(informer, key, write)
      if (write.made === undefined) return write.until > now && (hidden || isBehind)
      // It may never hear of what it does not select.
      return isOpen(write) && (hidden || write.until > now)
    })
    this.#writes.delete(key)
    if (kept.length > 0) this.#writes.set(key, kept)
    return kept
  }
}

/** Whether an informer shows an older state than that which is remembered of the object. */
export function isOlder(informer: CachedInformer<unknown>, key: string, write: Write): boolean {
  return (write.made === undefined || !hasCome(informer, key, write.made)) && isHidden(informer, key, write)
}

function hasCome(informer: CachedInformer<unknown>, key: string, { resourceVersion }: Made): boolean {
  const held = informer.version(key)?.resourceVersion
  return (
    held === resourceVersion ||
    isAtLeast(held, resourceVersion) ||
    isAtLeast(informer.lastSyncedResourceVersion, resourceVersion)
  )
}

/** Whether an informer that has not come to a write must not be read. */
function isHidden(informer: CachedInformer<unknown>, key: string, { uid, made }: Write): boolean {
  const held = informer.version(key)
  if (made === undefined) return held?.uid !== undefined && held.uid === uid
  // It shows an older one, or it is to hear of a new one. Only the server knows what fields select.
  if (held !== undefined) return true
  const { view } = informer
  return isOfKeys(view) && isWithin(view, key) && view.labels.matches(made.labels)
}
