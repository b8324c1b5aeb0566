import { performance } from 'node:perf_hooks'
import type { Client } from '@wherry/client'
import { targetsOf } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Store } from '@wherry/informer'
import { Reflector } from '@wherry/informer/internal'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { summarise } from '../../harness/statistics.ts'
import { clientFor } from '../../server/wherry.ts'

/** Relists before any is measured: by then code is compiled, and everything has grown that grows once. */
const WARM_UP = 20
/** First syncs of stores of their own, after the relists and as warm as these. */
const SYNCS = 20

/**
 * A reflector and a store. The server answers its watch each time that the resourceVersion is too old. The backoff is left out by
 * `retryNow`: 200 of them would be an hour and a half.
 */
export async function run(context: SubjectContext): Promise<Metrics> {
  const relists = Number(context.options.relists)
  const warmUp = Math.min(WARM_UP, relists >> 1)
  const client = clientFor(context.server())
  const cache = new Cache(client)
  await cache.sync()
  const times: number[] = []
  let heapBefore = 0
  for (let round = 1; round <= relists; round++) {
    const ms = await cache.relist()
    if (round > warmUp) times.push(ms)
    if (round === warmUp) heapBefore = readMemory().heap
  }
  const heap_slope_bytes = (readMemory().heap - heapBefore) / (relists - warmUp)
  await cache.close(context.objects)

  const syncs: number[] = []
  for (let round = 0; round < SYNCS; round++) {
    const one = new Cache(client)
    syncs.push(await one.sync())
    await one.close(context.objects)
  }
  await client.close()
  return {
    relist_ms: summarise(times).median,
    sync_ms: summarise(syncs).median,
    events: cache.events,
    heap_slope_bytes,
  }
}

/** A store with a handler of updates and deletes, and what fills it. */
class Cache {
  readonly #store: Store<object>
  readonly #reflector: Reflector
  #syncs = 0
  #begin = 0
  #ms = 0
  #wake: (() => void) | undefined
  /** Updates and deletes that were delivered. */
  events = 0

  constructor(client: Client) {
    this.#store = new Store({ view: configMaps, environment: client.environment })
    const count = (): void => {
      this.events++
    }
    this.#store.register({ update: count, delete: count })
    this.#reflector = new Reflector({
      client,
      target: targetsOf(configMaps)[0] as ReturnType<typeof targetsOf>[0],
      on: {
        synced: () => {
          this.#syncs++
          this.#ms = performance.now() - this.#begin
        },
        state: state => {
          if (state === 'waiting') setImmediate(() => this.#wake?.())
        },
      },
    })
    this.#reflector.add(this.#store.writer())
  }

  /** Milliseconds of the first sync. Resolves once the watch after it is broken. */
  sync(): Promise<number> {
    return this.#synced(() => this.#reflector.start())
  }

  /** Milliseconds of one more. */
  relist(): Promise<number> {
    return this.#synced(() => this.#reflector.retryNow())
  }

  async #synced(begin: () => void): Promise<number> {
    const wanted = this.#syncs + 1
    const broken = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#begin = performance.now()
    begin()
    await broken
    if (this.#syncs !== wanted) throw new Error(`${this.#syncs} states, not ${wanted}`)
    return this.#ms
  }

  /** Throws when it has not so many objects. */
  async close(objects: number): Promise<void> {
    const { objects: has } = this.#store.stats()
    await this.#reflector.stop()
    this.#store.close(new Error('over'))
    if (has !== objects) throw new Error(`${has} objects, not ${objects}`)
  }
}
