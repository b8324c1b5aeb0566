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

class ReadSink<C> implements IteratorSink<C> {
  readonly concurrency: number
  #offers: Offer<C>[] = []
  #readers: ((offer: Offer<C> | undefined) => void)[] = []
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
    let taken: (() => void) | undefined
    let left = false
    const end = (): void => {
      taken?.()
      taken = undefined
    }
    const iterator: AsyncIterableIterator<SinkEvent<C>> = {
      next: async () => {
        end()
        const offer = left ? undefined : await this.#read()
        taken = offer?.taken
        return offer === undefined ? { done: true, value: undefined } : { done: false, value: offer.event }
      },
      return: async () => {
        left = true
        end()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  #read(): Offer<C> | undefined | Promise<Offer<C> | undefined> {
    if (this.#closed) return undefined
    const offer = this.#offers.shift()
    return offer ?? new Promise(resolve => this.#readers.push(resolve))
  }
}
