import type { Clock, KubernetesObject, ObjectKey, View } from '@wherry/client'
import {
  having,
  isAtLeast,
  keyText,
  type ResourceDefinition,
  type WriteListener,
  wentWith,
} from '@wherry/client/internal'
import type { CachedInformer } from '@wherry/dynamic-cache/internal'
import { SyncWaiters } from '@wherry/informer/internal'
import { isWithin } from './selection-scope.ts'

/** How long a write is remembered for informers that are to be read later, in milliseconds: until then any has seen it. */
export const rememberedMs = 65_000
/** How often an informer is looked at while a write is waited for, in milliseconds: a bookmark makes no event. */
const lookMs = 250
/** Of how many names at most. */
const mostRemembered = 10_000
/** How many uids of deleted objects are remembered of one name. */
const mostGone = 10

/** The least that a reader may be given of an object. */
export interface Floor {
  /** The state that the last write made: no older one may be shown. */
  readonly made: Made | undefined
  /** The uids of the objects of that name that were deleted last: none of them may be shown at all. */
  readonly gone: readonly string[]
  /** Until when it counts for informers that had not begun, on the monotonic clock, in milliseconds. */
  readonly until: number
}

interface Made {
  readonly uid: string | undefined
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>> | undefined
}

/** Hears of what this process writes to objects of one resource. */
export interface WriteSubscriber {
  /** @param write one write, as the floor that it alone makes */
  wrote?(key: string, write: Floor): void
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
 */
export class OwnWrites implements WriteListener {
  readonly #options: OwnWritesOptions
  /** By resource and key; the key that was written last is the last one. */
  readonly #floors = new Map<string, Floor>()
  /** Each subscriber with the name of its resource. */
  readonly #subscribers = new Set<readonly [string, WriteSubscriber]>()

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** Of how many objects it remembers writes. */
  get size(): number {
    return this.#floors.size
  }

  /** From now on the subscriber hears of writes to a resource in all its versions. What is returned ends that. */
  subscribe(resource: ResourceDefinition, subscriber: WriteSubscriber): () => void {
    const known = [resourceKey(resource), subscriber] as const
    this.#subscribers.add(known)
    return () => void this.#subscribers.delete(known)
  }

  /** The floor that is remembered of one key. */
  get(resource: ResourceDefinition, key: string): Floor | undefined {
    const floor = this.#floors.get(idOf(resource, key))
    return floor !== undefined && floor.until > this.#options.clock.monotonic() ? floor : undefined
  }

  *of(resource: ResourceDefinition): IterableIterator<readonly [string, Floor]> {
    const start = idOf(resource, '')
    for (const id of this.#floors.keys()) {
      const key = id.slice(start.length)
      const floor = id.startsWith(start) ? this.get(resource, key) : undefined
      if (floor !== undefined) yield [key, floor]
    }
  }

  /** Says that an object was written, and what the server answered. */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace, uid, resourceVersion, labels } = object.metadata ?? {}
    if (name === undefined) return
    if (wentWith(object)) this.deleted(view, { name, namespace } as ObjectKey, uid)
    else if (resourceVersion !== undefined) {
      this.#note(view.resource, keyText({ name, namespace }), { made: { uid, resourceVersion, labels }, gone: [] })
    }
  }

  /** Says that an object was deleted. @param uid of that object; `undefined`: whatever the informers have now. */
  deleted(view: View, key: ObjectKey, uid?: string | undefined): void {
    const gone = uid === undefined ? [...this.uids(view, key)] : [uid]
    if (gone.length > 0) this.#note(view.resource, keyText(key), { made: undefined, gone })
  }

  unanswered({ resource }: View, key: string): void {
    this.#tell(resource, subscriber => subscriber.unanswered?.(key))
  }

  /** The uids that a key has now in any informer of its resource, since reads may be served from each, and that of what was written last. */
  uids({ resource }: View, key: ObjectKey): ReadonlySet<string> {
    const text = keyText(key)
    const name = resourceKey(resource)
    const informers = this.#options.cache.informers.filter(({ view }) => resourceKey(view.resource) === name)
    const shown = informers.map(informer => informer.version(text)?.uid)
    const written = this.get(resource, text)?.made?.uid
    return new Set([...shown, written].filter(uid => uid !== undefined))
  }

  #note(resource: ResourceDefinition, key: string, noted: Omit<Floor, 'until'>): void {
    const now = this.#options.clock.monotonic()
    const write = { ...noted, until: now + rememberedMs }
    const known = this.get(resource, key)
    const floor = raised(known, write)
    if (floor === known) return
    const id = idOf(resource, key)
    this.#floors.delete(id)
    this.#floors.set(id, floor)
    for (const [old, { until }] of this.#floors) {
      if (this.#floors.size <= mostRemembered && until > now) break
      this.#floors.delete(old)
    }
    this.#tell(resource, subscriber => subscriber.wrote?.(key, write))
  }

  #tell(resource: ResourceDefinition, tell: (subscriber: WriteSubscriber) => void): void {
    const name = resourceKey(resource)
    for (const [subscribed, subscriber] of this.#subscribers) if (subscribed === name) tell(subscriber)
  }
}

/** One name for a resource in all its versions. */
export function resourceKey({ group, plural }: ResourceDefinition): string {
  return `${plural}.${group}`
}

function idOf(resource: ResourceDefinition, key: string): string {
  return `${resourceKey(resource)} ${key}`
}

/** The floor after one more write. The server may have answered in another order than it wrote: such a write changes nothing. */
function raised(floor: Floor | undefined, write: Floor): Floor {
  if (floor === undefined) return write
  const { made, gone } = floor
  if (write.made === undefined) {
    // Who has come to what was made knows that it went. Without an order of versions nobody is known to have come to it.
    const isLeft = isAmong(made?.uid, write.gone) && !isAtLeast(made?.resourceVersion, made?.resourceVersion)
    return { ...write, made: isLeft ? undefined : made, gone: [...gone, ...write.gone].slice(-mostGone) }
  }
  const { uid, resourceVersion } = write.made
  const isAfter = made?.resourceVersion !== resourceVersion && isAtLeast(made?.resourceVersion, resourceVersion)
  return isAfter || isAmong(uid, gone) ? floor : { ...write, gone }
}

/** What this process wrote and one informer may not show yet. */
export class UnseenWrites implements WriteSubscriber {
  readonly #informer: CachedInformer<unknown>
  readonly #clock: Clock
  /** Ends the subscription. */
  readonly close: () => void
  /** Those that the informer has not come to. The one that was looked at last is the last one. */
  readonly #floors = new Map<string, Floor>()
  readonly #waiters = new SyncWaiters()

  constructor(informer: CachedInformer<unknown>, clock: Clock, writes: OwnWrites) {
    this.#informer = informer
    this.#clock = clock
    const { resource } = informer.view
    for (const [key, floor] of writes.of(resource)) this.#floors.set(key, floor)
    this.close = writes.subscribe(resource, this)
  }

  wrote(key: string, write: Floor): void {
    const floor = raised(this.#look(key), write)
    this.#floors.delete(key)
    this.#floors.set(key, floor)
    // Nobody may ask for the others: of those that are kept, two are looked at.
    let kept = 0
    for (const other of this.#floors.keys()) {
      if (this.#look(other) !== undefined) kept += 1
      if (kept === 2) break
    }
  }

  /** A key of which the informer does not show yet what was written. @param asked that key, or those that a reader asks for */
  lacking(asked: string | ((key: string) => boolean)): string | undefined {
    if (typeof asked === 'string') {
      const floor = this.#look(asked)
      return floor !== undefined && isOlder(this.#informer, asked, floor) ? asked : undefined
    }
    for (const key of [...this.#floors.keys()]) if (asked(key) && this.lacking(key) !== undefined) return key
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
  #look(key: string): Floor | undefined {
    const known = this.#floors.get(key)
    if (known === undefined) return undefined
    const informer = this.#informer
    const isCurrent = known.until > this.#clock.monotonic()
    // A delete that was never heard of is forgotten.
    const floor = isCurrent ? known : { ...known, gone: [] }
    // An informer that is still to hear of an object does not know yet that it went.
    const isComing = !informer.hasSynced || !hasCome(informer, key, floor.made)
    this.#floors.delete(key)
    // It may never hear of what it does not select.
    if (!(isCurrent && isComing) && !isOlder(informer, key, floor)) return undefined
    this.#floors.set(key, floor)
    return floor
  }
}

/** Whether an informer shows an older state than it may. */
export function isOlder(informer: CachedInformer<unknown>, key: string, { made, gone }: Floor): boolean {
  const held = informer.version(key)
  if (isAmong(held?.uid, gone)) return true
  if (made === undefined || hasCome(informer, key, made)) return false
  // It shows an older one, or it is to hear of a new one. Only the server knows what fields select.
  if (held !== undefined) return true
  const { view } = informer
  return view.fields.isOfKeys && isWithin(view, key) && view.labels.matches(made.labels)
}

function isAmong(uid: string | undefined, gone: readonly string[]): boolean {
  return uid !== undefined && gone.includes(uid)
}

function hasCome(informer: CachedInformer<unknown>, key: string, made: Made | undefined): boolean {
  const held = informer.version(key)?.resourceVersion
  return (
    made === undefined ||
    held === made.resourceVersion ||
    isAtLeast(held, made.resourceVersion) ||
    isAtLeast(informer.lastSyncedResourceVersion, made.resourceVersion)
  )
}
