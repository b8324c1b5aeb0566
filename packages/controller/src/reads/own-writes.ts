import type {
  Clock,
  KubernetesObject,
  MinVersion,
  ObjectKey,
  ResourceDefinition,
  View,
  WriteListener,
} from '@wherry/client'
import { type HeldVersion, hasReached, having, isDeleted, keyText, raised, wasFinalized } from '@wherry/client/internal'
import type { CachedInformer } from '@wherry/dynamic-cache'
import { SyncWaiters } from '@wherry/informer/internal'
import { isWithin } from './selection-scope.ts'

/** How long a write is remembered for informers that start later, in milliseconds. After that, every server shows it. */
export const rememberedMs = 65_000
/** How often a waiting reader looks at the informer, in milliseconds: a bookmark makes no event. */
const lookMs = 250
/** The maximum number of objects with remembered writes. */
const mostRemembered = 10_000

/** A minimum version that is remembered for a time. */
export interface RememberedVersion extends MinVersion {
  /** The time until which the write counts for informers that start later, on the monotonic clock, in milliseconds. */
  readonly until: number
}

/** Is notified of the writes of this process to one resource. */
export interface WriteSubscriber {
  /** @param write the minimum version after this write alone */
  wrote?(key: string, write: RememberedVersion): void
  /** The answer to a write was lost. */
  unanswered?(key: string): void
}

export interface OwnWritesOptions {
  readonly clock: Clock
  readonly cache: { readonly informers: readonly CachedInformer<unknown>[] }
}

/**
 * The writes of this process in the last minute, by resource and key: no reader may get an older state (rules A8 and C10). All controllers of an
 * operator share one, and their client reports writes to it.
 */
export class OwnWrites implements WriteListener {
  readonly #options: OwnWritesOptions
  /** By resource and key, in the order of the last writes. */
  readonly #minVersions = new Map<string, RememberedVersion>()
  /** Each subscriber with its {@link resourceKey}. */
  readonly #subscribers = new Set<readonly [string, WriteSubscriber]>()

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** The number of objects with remembered writes. */
  get size(): number {
    return this.#minVersions.size
  }

  /** Notifies the subscriber of later writes to a resource, in all its versions. Returns a function that ends this. */
  subscribe(resource: ResourceDefinition, subscriber: WriteSubscriber): () => void {
    const known = [resourceKey(resource), subscriber] as const
    this.#subscribers.add(known)
    return () => void this.#subscribers.delete(known)
  }

  get(resource: ResourceDefinition, key: string): RememberedVersion | undefined {
    const min = this.#minVersions.get(idOf(resource, key))
    return min !== undefined && min.until > this.#options.clock.monotonic() ? min : undefined
  }

  *of(resource: ResourceDefinition): IterableIterator<readonly [string, RememberedVersion]> {
    const start = idOf(resource, '')
    for (const id of this.#minVersions.keys()) {
      const key = id.slice(start.length)
      const min = id.startsWith(start) ? this.get(resource, key) : undefined
      if (min !== undefined) yield [key, min]
    }
  }

  /** An object was written. @param answer the server's answer */
  wrote(view: View, answer: object): void {
    having('the object that the server answered')('wrote.answer', answer)
    const object = answer as KubernetesObject
    const { name, namespace, uid, resourceVersion, labels } = object.metadata ?? {}
    if (name === undefined) return
    if (wasFinalized(object)) this.deleted(view, { name, namespace } as ObjectKey, uid)
    else if (resourceVersion !== undefined) {
      this.#note(view.resource, keyText({ name, namespace }), {
        written: { uid, resourceVersion, labels },
        deleted: [],
      })
    }
  }

  /** An object was deleted. @param uid its uid; `undefined`: whichever the informers have now */
  deleted(view: View, key: ObjectKey, uid?: string | undefined): void {
    const deleted = uid === undefined ? [...this.uids(view, key)] : [uid]
    if (deleted.length > 0) this.#note(view.resource, keyText(key), { written: undefined, deleted })
  }

  unanswered({ resource }: View, key: string): void {
    this.#notify(resource, subscriber => subscriber.unanswered?.(key))
  }

  /** The uids that the informers of the resource have for a key now (any of them may serve a read), and the uid of the last write. */
  uids({ resource }: View, key: ObjectKey): ReadonlySet<string> {
    const text = keyText(key)
    const name = resourceKey(resource)
    const informers = this.#options.cache.informers.filter(({ view }) => resourceKey(view.resource) === name)
    const shown = informers.map(informer => informer.version(text)?.uid)
    const written = this.get(resource, text)?.written?.uid
    return new Set([...shown, written].filter(uid => uid !== undefined))
  }

  #note(resource: ResourceDefinition, key: string, noted: MinVersion): void {
    const now = this.#options.clock.monotonic()
    const write = { ...noted, until: now + rememberedMs }
    const known = this.get(resource, key)
    const min = raised(known, write)
    if (min === known) return
    const id = idOf(resource, key)
    this.#minVersions.delete(id)
    this.#minVersions.set(id, min)
    for (const [old, { until }] of this.#minVersions) {
      if (this.#minVersions.size <= mostRemembered && until > now) break
      this.#minVersions.delete(old)
    }
    this.#notify(resource, subscriber => subscriber.wrote?.(key, write))
  }

  #notify(resource: ResourceDefinition, report: (subscriber: WriteSubscriber) => void): void {
    const name = resourceKey(resource)
    for (const [subscribed, subscriber] of this.#subscribers) if (subscribed === name) report(subscriber)
  }
}

/** One name for a resource in all its versions. */
export function resourceKey({ group, plural }: ResourceDefinition): string {
  return `${plural}.${group}`
}

function idOf(resource: ResourceDefinition, key: string): string {
  return `${resourceKey(resource)} ${key}`
}

/** The writes of this process that an informer may not show yet. */
export class UnseenWrites implements WriteSubscriber {
  readonly #informer: CachedInformer<unknown>
  readonly #clock: Clock
  /** Ends the subscription. */
  readonly close: () => void
  /** The writes that the informer has not reached, the least recently checked first. */
  readonly #minVersions = new Map<string, RememberedVersion>()
  readonly #waiters = new SyncWaiters()

  constructor(informer: CachedInformer<unknown>, clock: Clock, writes: OwnWrites) {
    this.#informer = informer
    this.#clock = clock
    const { resource } = informer.view
    for (const [key, min] of writes.of(resource)) this.#minVersions.set(key, min)
    this.close = writes.subscribe(resource, this)
  }

  wrote(key: string, write: RememberedVersion): void {
    const min = raised(this.#look(key), write)
    this.#minVersions.delete(key)
    this.#minVersions.set(key, min)
    // Other keys may never be read. So each call drops entries that the informer has reached, until it meets two that it has not.
    let kept = 0
    for (const other of this.#minVersions.keys()) {
      if (this.#look(other) !== undefined) kept += 1
      if (kept === 2) break
    }
  }

  /** A key with a last write that the informer does not show yet. @param asked the key, or the keys, of a read */
  lacking(asked: string | ((key: string) => boolean)): string | undefined {
    if (typeof asked === 'string') {
      const min = this.#look(asked)
      return min !== undefined && isOlder(this.#informer, asked, min) ? asked : undefined
    }
    for (const key of [...this.#minVersions.keys()]) if (asked(key) && this.lacking(key) !== undefined) return key
    return undefined
  }

  /** Resolves when the informer shows all writes to the asked keys or, after the time-out, with a key of a write that it lacks. */
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

  /** The informer had an event. */
  received(): void {
    this.#waiters.resolve()
  }

  /** The minimum version of a key, if the informer has not reached it. */
  #look(key: string): RememberedVersion | undefined {
    const known = this.#minVersions.get(key)
    if (known === undefined) return undefined
    const informer = this.#informer
    const isCurrent = known.until > this.#clock.monotonic()
    // A delete for which no event came is forgotten.
    const min = isCurrent ? known : { ...known, deleted: [] }
    // An informer that has not reached the written object has not reached its deletion either.
    const isBehind = !informer.hasSynced || !hasReached(heldBy(informer, key), min.written)
    this.#minVersions.delete(key)
    // The informer may never receive an event of an object that it does not select.
    if (!(isCurrent && isBehind) && !isOlder(informer, key, min)) return undefined
    this.#minVersions.set(key, min)
    return min
  }
}

/** Whether an informer shows an older state than the minimum version. */
export function isOlder(informer: CachedInformer<unknown>, key: string, min: MinVersion): boolean {
  const held = heldBy(informer, key)
  if (isDeleted(held, min)) return true
  const { written } = min
  if (written === undefined || hasReached(held, written)) return false
  // The informer shows an older state, or an add is still to come. Only the server can evaluate field selectors.
  if (informer.version(key) !== undefined) return true
  const { view } = informer
  if (view.shard?.has(written.uid ?? '') === false) return false
  return view.fields.isOfKeys && isWithin(view, key) && view.labels.matches(written.labels)
}

function heldBy(informer: CachedInformer<unknown>, key: string): HeldVersion {
  const { uid, resourceVersion } = informer.version(key) ?? {}
  return { uid, resourceVersion, reached: [informer.lastSyncedResourceVersion] }
}
