import { type Environment, isAlreadyExists, isObjectNotFound } from '@wherry/client'
import { type Event, events, type ObjectReference } from '@wherry/client/resources/core'
import type { RecorderSettings } from './options.ts'

/** An event that is the same as those before it, and how often it came. */
export interface Series {
  readonly key: string
  /** Where events about the object are kept. */
  readonly namespace: string
  readonly object: ObjectReference
  readonly type: string
  readonly reason: string
  readonly action: string
  message: string
  count: number
  /** So many of them were told to the server, or dropped. */
  told: number
  /** On the monotonic clock. */
  readonly firstAt: number
  lastAt: number
  /** In the server, once it was asked to create it. */
  name: string | undefined
  isCreated: boolean
  /** Answers of the server in a row that were no success. */
  refusals: number
}

/** Writes events to the server. */
export class EventWriter {
  readonly #settings: RecorderSettings
  readonly #environment: Environment

  constructor(settings: RecorderSettings) {
    this.#settings = settings
    this.#environment = settings.client.environment
  }

  /** Creates the event, or counts it on. Rejects with what the client does. */
  async write(series: Series, signal: AbortSignal): Promise<void> {
    if (series.isCreated) {
      try {
        return await this.#patch(series, signal)
      } catch (error) {
        // Events are forgotten after an hour or so: the series begins anew.
        if (!isObjectNotFound(error)) throw error
        series.isCreated = false
        series.name = undefined
      }
    }
    series.name ??= this.#newName(series.object.name)
    try {
      await this.#settings.client.create(events, this.#event(series), { signal })
    } catch (error) {
      // The answer to an earlier go was lost.
      if (!isAlreadyExists(error)) throw error
      await this.#patch(series, signal)
    }
    series.isCreated = true
  }

  async #patch(series: Series, signal: AbortSignal): Promise<void> {
    const { name = '', namespace, count, message, lastAt } = series
    const change = { count, message, lastTimestamp: this.#time(lastAt) }
    await this.#settings.client.patch(events, { name, namespace }, change, { signal })
  }

  #event({ name, namespace, object, type, reason, action, message, count, firstAt, lastAt }: Series): Event {
    const { controller, instance } = this.#settings
    return {
      metadata: { name, namespace },
      involvedObject: object,
      ...{ type, reason, action, message, count },
      firstTimestamp: this.#time(firstAt),
      lastTimestamp: this.#time(lastAt),
      source: { component: controller },
      reportingComponent: controller,
      reportingInstance: instance,
    }
  }

  /** The object's, as far as a name of an event may be that (those of RBAC may have colons), and what makes it its own. */
  #newName(object = ''): string {
    const { clock, random } = this.#environment
    const labels = object
      .toLowerCase()
      .replaceAll(/[^a-z0-9.]/g, '-')
      .slice(0, 220)
      .split('.')
    const name = labels.map(label => label.replaceAll(/^-+|-+$/g, '')).filter(label => label !== '')
    const digits = Math.floor(random() * 2 ** 20).toString(16)
    return [...name, `${clock.now().toString(16)}${digits.padStart(5, '0')}`].join('.')
  }

  /** The wall clock's time of a monotonic one, to the second, as the server keeps it. */
  #time(at: number): string {
    const { clock } = this.#environment
    return `${new Date(clock.now() - (clock.monotonic() - at)).toISOString().slice(0, 19)}Z`
  }
}
