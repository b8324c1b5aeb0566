import type { View } from '@wherry/client'
import { callback, having } from '@wherry/client/internal'
import type { Changed, Deleted } from '@wherry/informer'
import { isThenable } from '../is-thenable.ts'
import type { Sink, SinkEvent, SinkSynced } from '../sink.ts'

/** A queue of keys, for example one of `@wherry/work-queue`. */
export interface KeyQueue<K> {
  /** Adds a key; a key that is in the queue need not be added again. A returned promise is awaited. */
  add(key: K): unknown
}

/**
 * A sink that adds the key of each changed or deleted object to a queue: `namespace/name`, or the result of `keyOf` for the event (`undefined`:
 * nothing is added). With several views, let `keyOf` distinguish them.
 *
 * It remembers the keys that it has received. If an object was deleted while the registrar lagged too far behind to report it, its key is added
 * too: the worker of the queue then looks for the object and finds that it is gone.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { queueSink, WatchManager } from '@wherry/watch-manager'
 * import { WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue()
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * await manager.registrar('worker', queueSink(queue)).add(pods)
 * manager.start()
 * for await (const key of queue) {
 *   queue.done(key) // after the work for it: arcade/chess
 * }
 * ```
 */
export function queueSink<C = unknown>(queue: KeyQueue<string>): Sink<C>
export function queueSink<C, K>(queue: KeyQueue<K>, keyOf: (event: Changed<C> | Deleted<C>) => K | undefined): Sink<C>
export function queueSink<C, K>(
  queue: KeyQueue<K>,
  keyOf: (event: Changed<C> | Deleted<C>) => K | undefined = event => event.key as K,
): Sink<C> {
  having('a queue with add(key)', 'add')('queue', queue)
  callback('keyOf', keyOf)
  return new QueueSink(queue, keyOf)
}

/** The keys that a view has added. */
interface AddedKeys<K> {
  /** By object, the key that was added. */
  keys: Map<string, K>
  /** The keys from before a replay that the replay has not delivered yet. */
  before: Map<string, K>
}

class QueueSink<C, K> implements Sink<C> {
  readonly #queue: KeyQueue<K>
  readonly #keyOf: (event: Changed<C> | Deleted<C>) => K | undefined
  readonly #views = new Map<string, AddedKeys<K>>()

  constructor(queue: KeyQueue<K>, keyOf: (event: Changed<C> | Deleted<C>) => K | undefined) {
    this.#queue = queue
    this.#keyOf = keyOf
  }

  event(event: SinkEvent<C>): unknown {
    const added = this.#addedOf(event.view)
    switch (event.type) {
      case 'reset':
        added.before = new Map([...added.before, ...added.keys])
        added.keys = new Map()
        return undefined
      case 'synced':
        return this.#sweep(added, event)
      default:
        return this.#add(added, event)
    }
  }

  rescoped(from: View<C>, to: View<C>): void {
    const added = this.#views.get(from.key)
    if (added === undefined) return
    this.#views.set(to.key, added)
    this.#views.delete(from.key)
  }

  removed(view: View<C>): void {
    this.#views.delete(view.key)
  }

  #add(added: AddedKeys<K>, event: Changed<C> | Deleted<C>): unknown {
    const key = this.#keyOf(event)
    const result = key === undefined ? undefined : this.#queue.add(key)
    added.before.delete(event.key)
    if (event.type === 'deleted' || key === undefined) added.keys.delete(event.key)
    else added.keys.set(event.key, key)
    return result
  }

  #sweep(added: AddedKeys<K>, { failed, retrying }: SinkSynced<C>): Promise<void> | undefined {
    for (const key of [...failed, ...retrying]) {
      const there = added.before.get(key)
      if (there !== undefined) added.keys.set(key, there)
      added.before.delete(key)
    }
    // The keys are forgotten after all are added: if an add fails, `synced` comes again.
    const forget = (): void => added.before.clear()
    const waits = [...added.before.values()].map(key => this.#queue.add(key)).filter(isThenable)
    if (waits.length > 0) return Promise.all(waits).then(forget)
    forget()
    return undefined
  }

  #addedOf({ key }: View): AddedKeys<K> {
    let added = this.#views.get(key)
    if (added === undefined) {
      added = { keys: new Map(), before: new Map() }
      this.#views.set(key, added)
    }
    return added
  }
}
