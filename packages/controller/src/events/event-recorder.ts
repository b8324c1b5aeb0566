import { createHash } from 'node:crypto'
import {
  type Environment,
  InvalidNameError,
  isApiError,
  isResourceNotFound,
  type KubernetesObject,
  type View,
} from '@wherry/client'
import { apiVersionOf, asError, checkOptions, isConnectionError, milliseconds } from '@wherry/client/internal'
import { isClosed } from '@wherry/informer/internal'
import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
import { named } from '../objects/identity.ts'
import { isNamespaceTerminating } from '../objects/namespace-terminating.ts'
import { remember } from '../objects/remember.ts'
import { work } from '../workers.ts'
import { EventSpamFilter, mostRemembered, windowMs } from './event-spam-filter.ts'
import { type Series, writeEvent } from './event-writer.ts'
import { type EventRecorderOptions, type RecorderSettings, recorderSettings } from './options.ts'

/** An event about an object. */
export interface RecordedEvent {
  /** @default 'Normal' */
  readonly type?: 'Normal' | 'Warning' | undefined
  /** The reason in one CamelCase word, at most 128 characters. */
  readonly reason: string
  /** Text for people; it is cut after 1,024 characters. */
  readonly message: string
  /** The action that was taken or failed, for example `Scaling`. @default the reason */
  readonly action?: string | undefined
}

/** How many series may wait to be sent; more are dropped. client-go's queue holds as many events. */
const maxPending = 1000
/** How many series are written at a time. */
const atOnce = 8
/** After how many failed answers in a row a series is given up, as in client-go. */
const maxRefusals = 12

/**
 * Records events about objects, for `kubectl describe` and similar tools.
 *
 * - It never throws to its caller and never waits. It sends events in the background, and retries each with its own backoff while the server can't
 *   take it: up to twelve tries if the server answers. Failures go to the client's `onError`.
 * - A repeated event increases the count of the existing one. From the tenth different message of one type and reason about one object on, with
 *   less than ten minutes between them, the messages are merged into one event.
 * - It sends 25 events about one object at once, and one more every five minutes; it drops the rest. It also drops new events while 1,000 wait.
 *   `wherry_events_dropped_total` counts dropped events by reason.
 *
 * It writes events of the core `v1` API, which every server has and which operators' usual roles allow (create and patch of `events`).
 * controller-runtime's newer recorder writes `events.k8s.io/v1`, its older one core `v1`; the server stores the same object, and both APIs show it.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { EventRecorder } from '@wherry/controller'
 *
 * const client = await Client.connect()
 * const recorder = new EventRecorder({ client, controller: 'importer' })
 * const settings = await client.get(configMaps, { namespace: 'arcade', name: 'settings' })
 * if (settings !== undefined) recorder.record(configMaps, settings, { reason: 'Imported', message: 'from the old cluster' })
 * await recorder.close()
 * ```
 */
export class EventRecorder {
  readonly #settings: RecorderSettings
  readonly #environment: Environment
  readonly #filter = new EventSpamFilter()
  readonly #known = new Map<string, Series>()
  /** The events that wait to be sent, or are being sent. */
  readonly #pending = new Set<Series>()
  readonly #queue: WorkQueue<Series>
  readonly #ending = new AbortController()
  #closed: Promise<void> | undefined
  #dropped = 0

  /** @throws OptionTypeError or OptionRangeError for a wrong option. */
  constructor(options: EventRecorderOptions) {
    this.#settings = recorderSettings(options)
    this.#environment = this.#settings.client.environment
    const rateLimiter = new ExponentialRateLimiter<Series>({ baseMs: 1000, maxMs: 60_000 })
    const { clock } = this.#environment
    this.#queue = new WorkQueue<Series>({ clock, rateLimiter })
    void work(this.#queue, atOnce, clock, async series => {
      // Events that the caller records together are combined before they are sent.
      await clock.turn()
      if (this.#pending.has(series)) await this.#send(series)
    })
  }

  /** How many events were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  /** How many different events wait to be sent. */
  get pending(): number {
    return this.#pending.size
  }

  /** Records an event about an object of `view`'s resource. Mistakes in the event go to `onError`. */
  record(view: View, object: KubernetesObject, event: RecordedEvent): void {
    try {
      this.#record(view, object, event)
    } catch (error) {
      this.#drop('invalid')
      this.#report(error)
    }
  }

  /**
   * Sends the pending events once, without waiting for their backoff, and ends. Drops the events that the server does not accept then, or not within
   * `timeoutMs` (default 5,000). Idempotent.
   */
  async close(options: { readonly timeoutMs?: number | undefined } = {}): Promise<void> {
    checkOptions('close', options, { timeoutMs: milliseconds() })
    this.#closed ??= this.#close(options.timeoutMs ?? 5000)
    await this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #record(view: View, object: KubernetesObject, event: RecordedEvent): void {
    const { reason, message, type = 'Normal', action = reason } = event
    if (type !== 'Normal' && type !== 'Warning')
      throw new RangeError(`an event's type is Normal or Warning, not ${type}`)
    if (!/^[^\s]{1,128}$/.test(reason))
      throw new RangeError(`an event's reason is one word, not ${JSON.stringify(reason)}`)
    if (typeof message !== 'string')
      throw new TypeError(`an event's message is text, not ${typeof message}: record({ reason, message })`)
    const { name, namespace, uid } = named('object', object)
    if (this.#closed !== undefined) return this.#drop('closed')
    const now = this.#environment.clock.monotonic()
    const { resource } = view
    const about = uid ?? `${resource.group}/${resource.plural}/${namespace ?? ''}/${name}`
    if (!this.#filter.admits(about, now)) return this.#drop('rate')
    const kind = JSON.stringify([about, type, reason, cut(action, 128)])
    const said = cut(message, 1024)
    const digest = createHash('sha256').update(said).digest('base64')
    const merged = this.#filter.merges(kind, digest, now)
    const key = merged ? kind : `${kind} ${digest}`
    const known = this.#known.get(key)
    const isPending = known !== undefined && this.#pending.has(known)
    const goesOn = isPending || (known !== undefined && now - known.lastAt <= windowMs)
    const { resourceVersion } = object.metadata ?? {}
    const series: Series = goesOn
      ? known
      : {
          key,
          namespace: namespace ?? 'default',
          object: { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion },
          ...{ type, reason, action: cut(action, 128) },
          message: said,
          ...{ count: 0, reported: 0, refusals: 0 },
          ...{ firstAt: now, lastAt: now },
          ...{ name: undefined, isCreated: false },
        }
    if (!isPending && this.#pending.size >= maxPending) return this.#drop('full')
    series.count += 1
    series.lastAt = now
    series.message = merged ? cut(`(combined from similar events): ${said}`, 1024) : said
    remember(this.#known, key, series, mostRemembered)
    this.#environment.metrics.count('wherry_events_recorded_total', { type })
    // A pending series is sent with its count at that time, and keeps its backoff.
    if (isPending) return
    this.#pending.add(series)
    this.#queue.add(series)
  }

  /** Never rejects. */
  async #send(series: Series): Promise<void> {
    const { signal } = this.#ending
    const { count } = series
    try {
      signal.throwIfAborted()
      await writeEvent(this.#settings, series, signal)
    } catch (error) {
      return this.#failed(series, error)
    }
    series.reported = count
    series.refusals = 0
    this.#queue.forget(series)
    // The event may have come again meanwhile.
    if (series.count > count) this.#queue.add(series)
    else this.#pending.delete(series)
  }

  #failed(series: Series, error: unknown): void {
    // A namespace that is being deleted refuses events, and nobody needs them.
    if (!this.#ending.signal.aborted && !isNamespaceTerminating(error)) this.#report(error)
    if (!isConnectionError(error)) series.refusals += 1
    if (this.#closed !== undefined) this.#giveUp(series, 'closed')
    else if (!mayPass(error)) this.#giveUp(series, 'refused')
    else if (series.refusals >= maxRefusals) this.#giveUp(series, 'failed')
    else this.#queue.addRateLimited(series)
  }

  async #close(timeoutMs: number): Promise<void> {
    const timer = this.#environment.clock.timer(timeoutMs, () => {
      this.#ending.abort(new Error('the recorder was closed'))
    })
    for (const series of this.#pending) this.#queue.add(series)
    await this.#queue.stop({ drain: true })
    timer.cancel()
  }

  /** Forgets a series, and counts its unsent events as dropped. */
  #giveUp(series: Series, reason: string): void {
    this.#queue.forget(series)
    this.#pending.delete(series)
    this.#known.delete(series.key)
    this.#drop(reason, series.count - series.reported)
  }

  #drop(reason: string, howMany = 1): void {
    this.#dropped += howMany
    this.#environment.metrics.count('wherry_events_dropped_total', { reason }, howMany)
  }

  #report(thrown: unknown): void {
    this.#environment.onError(asError(thrown), { phase: 'event', resource: 'v1/events' })
  }
}

/** Returns true if the server may take the event at another time. */
function mayPass(error: unknown): boolean {
  // Every server has events, so a proxy has answered.
  if (isResourceNotFound(error)) return true
  // After a lost answer the client reads the event. If it may not read events, the event may exist nevertheless.
  if (isApiError(error)) return error.status >= 500 || error.status === 429 || error.method === 'GET'
  return !isClosed(error) && !(error instanceof InvalidNameError)
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
