import { Backoff, type Environment, isApiError, isNotFound, type KubernetesObject, type View } from '@wherry/client'
import { checkOptions, milliseconds } from '@wherry/client/checks'
import { type Event, events, type ObjectReference } from '@wherry/client/resources/core'
import { asError } from '../as-error.ts'
import { apiVersionOfView, named } from '../objects/identity.ts'
import { Bounded } from './bounded.ts'
import { type EventRecorderOptions, type RecorderSettings, recorderSettings } from './options.ts'
import { keyOf, Sieve } from './sieve.ts'

/** What happened to an object. */
export interface RecordedEvent {
  /** @default 'Normal' */
  readonly type?: 'Normal' | 'Warning' | undefined
  /** Why, in one CamelCase word, at most 128 characters. */
  readonly reason: string
  /** For people; what is longer than 1,024 characters is cut. */
  readonly message: string
  /** What was done or failed, as `Scaling`. @default the reason */
  readonly action?: string | undefined
}

/** An event that is the same as those before it, and how often it came. */
interface Series {
  readonly key: string
  /** Name and namespace in the server, once it was created. */
  name: string | undefined
  readonly namespace: string
  readonly object: ObjectReference
  readonly type: string
  readonly reason: string
  readonly action: string
  message: string
  count: number
  readonly firstAt: number
  lastAt: number
}

/**
 * Records events about objects, for `kubectl describe` and the like.
 *
 * - Never throws to its caller, and never waits: events are sent one after the other in the background, each tried again while
 *   the server can't take it. Failures go to the client's `onError`.
 * - The same event again is counted on the one that is there. Ten different messages of one type and reason about one
 *   object within ten minutes are told as one from then on.
 * - About one object, 25 at once and one more every five minutes; what does not fit is dropped, and counted in
 *   `wherry_events_dropped_total`, by reason.
 *
 * They are objects of the core `v1` API, which every server has, and operators' usual roles allow (create and patch of
 * `events`). controller-runtime's newer recorder writes `events.k8s.io/v1`, its older one core `v1`; what is stored is the
 * same object, and read at either.
 */
export class EventRecorder {
  readonly #settings: RecorderSettings
  readonly #environment: Environment
  readonly #sieve: Sieve
  readonly #known = new Bounded<Series>()
  readonly #pending = new Map<string, Series>()
  readonly #ending = new AbortController()
  #sending: Promise<void> | undefined
  #state: 'open' | 'closing' | 'closed' = 'open'
  #dropped = 0

  /** @throws OptionTypeError or OptionRangeError for a wrong option. */
  constructor(options: EventRecorderOptions) {
    this.#settings = recorderSettings(options)
    this.#environment = this.#settings.client.environment
    this.#sieve = new Sieve(this.#settings)
  }

  /** How many were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  /** How many wait to be sent. */
  get pending(): number {
    return this.#pending.size
  }

  /** Records what happened to an object of `view`'s resource. What is wrong with it is told to `onError`. */
  record(view: View, object: KubernetesObject, event: RecordedEvent): void {
    try {
      this.#record(view, object, event)
    } catch (error) {
      this.#drop('invalid')
      this.#report(error)
    }
  }

  /**
   * Sends what is pending and ends. What could not be sent within `timeoutMs` (default 5,000) is dropped. Idempotent.
   */
  async close(options: { readonly timeoutMs?: number | undefined } = {}): Promise<void> {
    checkOptions('close', options, { timeoutMs: milliseconds() })
    if (this.#state === 'open') {
      this.#state = 'closing'
      const timer = this.#environment.clock.timer(options.timeoutMs ?? 5000, () => {
        this.#ending.abort(new Error('the recorder was closed'))
      })
      void this.#sending?.finally(() => timer.cancel())
      if (this.#sending === undefined) timer.cancel()
    }
    await this.#sending
    this.#state = 'closed'
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
    if (typeof message !== 'string') throw new TypeError(`an event's message is text, not a ${typeof message}`)
    const { name, namespace, uid } = named('object', object)
    if (this.#state !== 'open') return this.#drop('closed')
    const now = this.#environment.clock.monotonic()
    const about = uid ?? `${view.resource.group}/${view.resource.plural}/${namespace ?? ''}/${name}`
    if (!this.#sieve.admits(about, now)) return this.#drop('rate')
    const kind = { object: about, type, reason, action }
    const merged = this.#sieve.merges(kind, message, now)
    const key = merged ? keyOf(kind) : keyOf(kind, message)
    const text = cut(merged ? `(combined from similar events): ${message}` : message, 1024)
    const known = this.#known.get(key)
    const goesOn = known !== undefined && now - known.lastAt <= this.#settings.windowMs
    const series = goesOn
      ? known
      : {
          key,
          name: undefined,
          namespace: namespace ?? 'default',
          object: referenceTo(view, object),
          ...{ type, reason, action: cut(action, 128) },
          message: text,
          count: 0,
          firstAt: now,
          lastAt: now,
        }
    if (!this.#pending.has(key) && this.#pending.size >= this.#settings.maxPending) return this.#drop('full')
    series.count += 1
    series.lastAt = now
    series.message = text
    this.#known.set(key, series)
    this.#pending.set(key, series)
    this.#environment.metrics.count('wherry_events_recorded_total', { type })
    this.#sending ??= this.#send()
  }

  /** Sends until nothing is pending. Never rejects. */
  async #send(): Promise<void> {
    // What is recorded in one go is told in one go.
    await this.#environment.clock.turn()
    const backoff = new Backoff(this.#environment)
    for (;;) {
      const [series] = this.#pending.values()
      if (series === undefined) break
      this.#pending.delete(series.key)
      try {
        if (this.#ending.signal.aborted) this.#drop('closed')
        else await this.#write(series)
        backoff.reset()
      } catch (error) {
        if (this.#ending.signal.aborted) {
          this.#drop('closed')
          continue
        }
        this.#report(error)
        if (isApiError(error) && error.status < 500 && error.status !== 429) {
          this.#drop('refused')
          this.#known.delete(series.key)
          continue
        }
        // It may have grown meanwhile, and then waits already.
        this.#pending.set(series.key, series)
        await backoff.wait(this.#ending.signal).catch(() => {})
      }
    }
    this.#sending = undefined
  }

  async #write(series: Series): Promise<void> {
    const { client } = this.#settings
    const { signal } = this.#ending
    const { count, message, namespace } = series
    if (series.name !== undefined) {
      const change = { count, message, lastTimestamp: this.#time(series.lastAt) }
      try {
        await client.patch(events, { name: series.name, namespace }, change, { signal })
        return
      } catch (error) {
        // Events are forgotten after an hour or so: the series begins anew.
        if (!isNotFound(error)) throw error
        series.name = undefined
      }
    }
    const created = await client.create(events, this.#event(series), { signal })
    series.name = created.metadata.name
  }

  #event(series: Series): Event {
    const { controller, instance } = this.#settings
    const { object, type, reason, action, message, count, namespace } = series
    const { clock, random } = this.#environment
    const unique = `${clock.now().toString(16)}${Math.floor(random() * 2 ** 20)
      .toString(16)
      .padStart(5, '0')}`
    return {
      metadata: { name: `${(object.name ?? '').slice(0, 220).replace(/[.-]+$/, '')}.${unique}`, namespace },
      involvedObject: object,
      ...{ type, reason, action, message, count },
      firstTimestamp: this.#time(series.firstAt),
      lastTimestamp: this.#time(series.lastAt),
      source: { component: controller },
      reportingComponent: controller,
      reportingInstance: instance,
    }
  }

  /** The wall clock's time of a monotonic one, to the second, as the server keeps it. */
  #time(at: number): string {
    const { clock } = this.#environment
    return `${new Date(clock.now() - (clock.monotonic() - at)).toISOString().slice(0, 19)}Z`
  }

  #drop(reason: string): void {
    this.#dropped += 1
    this.#environment.metrics.count('wherry_events_dropped_total', { reason })
  }

  #report(thrown: unknown): void {
    const error = asError(thrown)
    this.#environment.onError(error, { phase: 'event', resource: 'v1/events' })
  }
}

function referenceTo(view: View, object: KubernetesObject): ObjectReference {
  const { name, namespace, uid } = named('object', object)
  const resourceVersion = object.metadata?.resourceVersion
  return {
    apiVersion: apiVersionOfView(view),
    kind: view.resource.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
