import type { View } from '@wherry/client'
import { checkOptions, integer } from '@wherry/client/internal'
import type { Sink, SinkEvent } from '../sink.ts'

/** How a sink keeps events for its reader. */
export interface IteratorSinkOptions {
  /** How many readers may work at the same time, on different objects, each with its own iterator. @default 1 */
  readonly concurrency?: number | undefined
}

/** A sink that you read: `for await (const event of sink)`. */
export interface IteratorSink<C = unknown> extends Sink<C>, AsyncIterable<SinkEvent<C>> {
  [Symbol.asyncIterator](): AsyncIterableIterator<SinkEvent<C>>
}

/**
 * A sink that you read with `for await`. An event counts as taken when its reader asks for the next one, or leaves the loop. Until then no other
 * event comes, and changes are merged. It costs nothing if nobody reads. A new loop continues where the last one stopped. It ends when the
 * registrar is closed.
 *
 * A `remove` or `close` waits for the event that a reader holds. Leave the loop before you await either call: inside the loop it would wait for
 * itself, until `closeTimeoutMs`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { iteratorSink, WatchManager } from '@wherry/watch-manager'
 *
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * manager.start()
 * const events = iteratorSink<ConfigMap>()
 * await manager.registrar('reader', events).add(configMaps)
 * for await (const event of events) {
 *   if (event.type === 'changed') console.log(event.key, event.object.data)
 * }
 * ```
 */
export function iteratorSink<C = unknown>(options: IteratorSinkOptions = {}): IteratorSink<C> {
  checkOptions('iteratorSink', options, { concurrency: integer(1) })
  return new ReadSink<C>(options.concurrency ?? 1)
}

/** An event that nobody has read yet, and the function that reports it as taken. */
interface Offer<C> {
  readonly event: SinkEvent<C>
  readonly taken: () => void
}

/** Receives an event, or `undefined` at the end. */
type Reader<C> = (offer: Offer<C> | undefined) => void

class ReadSink<C> implements IteratorSink<C> {
  readonly concurrency: number
  #offers: Offer<C>[] = []
  #readers: Reader<C>[] = []
  #closed = false

  constructor(concurrency: number) {
    this.concurrency = concurrency
  }

  event(event: SinkEvent<C>): Promise<void> {
    return new Promise(taken => {
      const offer = { event, taken }
      const reader = this.#readers.shift()
      // `concat` makes an array of exactly this length, because a thousand sinks may have an event that nobody reads.
      if (reader === undefined) this.#offers = this.#offers.concat([offer])
      else reader(offer)
    })
  }

  removed(view: View<C>): void {
    const gone = this.#offers.filter(({ event }) => event.view.key === view.key)
    this.#offers = this.#offers.filter(offer => !gone.includes(offer))
    for (const { taken } of gone) taken()
  }

  closed(): void {
    this.#closed = true
    for (const reader of this.#readers.splice(0)) reader(undefined)
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<SinkEvent<C>> {
    const done = { done: true, value: undefined } as const
    /** The events on which the caller works. */
    const held: Offer<C>[] = []
    /** The calls of `next` that wait. */
    const waiting = new Set<Reader<C>>()
    let hasLeft = false
    const takeHeld = (): void => {
      for (const { taken } of held.splice(0)) taken()
    }
    const iterator: AsyncIterableIterator<SinkEvent<C>> = {
      next: () => {
        takeHeld()
        if (hasLeft || this.#closed) return Promise.resolve(done)
        return new Promise(resolve => {
          const reader: Reader<C> = offer => {
            waiting.delete(reader)
            if (offer === undefined) return resolve(done)
            held.push(offer)
            resolve({ done: false, value: offer.event })
          }
          waiting.add(reader)
          this.#read(reader)
        })
      },
      return: async () => {
        hasLeft = true
        takeHeld()
        this.#readers = this.#readers.filter(reader => !waiting.has(reader))
        for (const reader of [...waiting]) reader(undefined)
        return done
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  #read(reader: Reader<C>): void {
    const offer = this.#offers.shift()
    if (offer === undefined) this.#readers.push(reader)
    else reader(offer)
  }
}
