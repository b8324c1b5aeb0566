import { callback, checkOptions, integer } from '@wherry/client/internal'
import type { Sink, SinkFunction } from '../sink.ts'

/** How a sink calls its function. */
export interface CallbackSinkOptions {
  /** How many calls may run at the same time, for different objects. @default 1 */
  readonly concurrency?: number | undefined
}

/**
 * A sink that calls a function for each event, and awaits the promise that it may return.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { callbackSink, WatchManager } from '@wherry/watch-manager'
 *
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * const copy = callbackSink<ConfigMap>(async event => {
 *   if (event.type === 'changed') await fetch(`https://scores.example.com/${event.key}`, { method: 'POST' })
 * }, { concurrency: 4 })
 * await manager.registrar('copy', copy).add(configMaps)
 * manager.start()
 * ```
 */
export function callbackSink<C = unknown>(event: SinkFunction<C>, options: CallbackSinkOptions = {}): Sink<C> {
  callback('event', event)
  checkOptions('callbackSink', options, { concurrency: integer(1) })
  return { concurrency: options.concurrency ?? 1, event }
}
