import { type Client, type Clock, type Environment, isAlreadyExists } from '@wherry/client'
import { isObjectNotFound } from '@wherry/client/internal'
import { type Event, events, type ObjectReference } from '@wherry/client/resources/core'
import type { RecorderSettings } from './options.ts'

/** Equal events, and their number. */
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
  /** How many of the `count` events were sent to the server. */
  reported: number
  /** On the monotonic clock. */
  readonly firstAt: number
  lastAt: number
  /** The name of the event in the server; `undefined` before the request that creates it. */
  name: string | undefined
  isCreated: boolean
  /** Answers of the server in a row that were no success. */
  refusals: number
}

/** Creates the event in the server, or increases its count. Rejects as the client does. */
export async function writeEvent(settings: RecorderSettings, series: Series, signal: AbortSignal): Promise<void> {
  const { client } = settings
  if (series.isCreated) {
    try {
      return await patch(client, series, signal)
    } catch (error) {
      // The server deletes events after about an hour. A new series begins.
      if (!isObjectNotFound(error)) throw error
      series.isCreated = false
      series.name = undefined
    }
  }
  series.name ??= newName(series.object.name, client.environment)
  try {
    await client.create(events, eventOf(series, settings), { signal })
  } catch (error) {
    // An earlier try has created the event, and its answer was lost.
    if (!isAlreadyExists(error)) throw error
    await patch(client, series, signal)
  }
  series.isCreated = true
}

async function patch(client: Client, series: Series, signal: AbortSignal): Promise<void> {
  const { name = '', namespace, count, message, lastAt } = series
  const change = { count, message, lastTimestamp: wallTime(lastAt, client.environment.clock) }
  await client.patch(events, { name, namespace }, change, { signal })
}

function eventOf(series: Series, { client, controller, instance }: RecorderSettings): Event {
  const { name, namespace, object, type, reason, action, message, count, firstAt, lastAt } = series
  const { clock } = client.environment
  return {
    metadata: { name, namespace },
    involvedObject: object,
    ...{ type, reason, action, message, count },
    firstTimestamp: wallTime(firstAt, clock),
    lastTimestamp: wallTime(lastAt, clock),
    source: { component: controller },
    reportingComponent: controller,
    reportingInstance: instance,
  }
}

/** A unique name of an event: the object's name without characters that an event's name can't have, such as the colons of RBAC, and digits. */
function newName(object = '', { clock, random }: Environment): string {
  const text = object.toLowerCase().replaceAll(/[^a-z0-9.]/g, '-')
  const labels = text.slice(0, 220).match(/[a-z0-9]([-a-z0-9]*[a-z0-9])?/g) ?? []
  const digits = Math.floor(random() * 2 ** 20).toString(16)
  return [...labels, `${clock.now().toString(16)}${digits.padStart(5, '0')}`].join('.')
}

/** Converts a monotonic time to the wall clock's, to the second, as the server keeps it. */
function wallTime(at: number, clock: Clock): string {
  return `${new Date(clock.now() - (clock.monotonic() - at)).toISOString().slice(0, 19)}Z`
}
