import { performance } from 'node:perf_hooks'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { iteratorSink, type Registrar, WatchManager } from '@wherry/watch-manager'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { Source } from './source.ts'

const EVENTS = 100_000
/** So many deliveries are enough to time them. */
const DELIVERIES = 5_000_000
const MEASURED = 1000

/** One watch, and `registrars` registrars of it. */
export async function run({ objects, options, start }: SubjectContext): Promise<Metrics> {
  const registrars = options.registrars as number
  const source = new Source()
  await source.start(objects)
  const client = new Client({ url: source.url })
  const cache = new DynamicCache({ client })
  const manager = new WatchManager({ cache, environment: client.environment })
  manager.start()
  const ends = new Ends(manager)
  const first = await ends.add('first')
  const before = await source.count()

  // All but the first have a sink that nobody reads.
  const idle: Registrar[] = []
  for (let i = 1; i < registrars; i++) {
    const one = manager.registrar(`idle-${i}`, iteratorSink())
    await one.add(configMaps)
    idle.push(one)
  }
  const events_per_s = await rate(EVENTS, async () => {
    const ended = ends.all()
    await source.burst(EVENTS, objects)
    await ended
  })
  const { rss } = readMemory()
  const after = await source.count()
  await Promise.all(idle.map(one => one.close()))

  const begin = readMemory().heap
  const measured: Registrar[] = []
  for (let i = 0; i < MEASURED; i++) measured.push(await ends.add(`measured-${i}`))
  const heap = readMemory().heap - begin
  await Promise.all(measured.slice(registrars - 1).map(one => ends.remove(one)))

  const events = Math.min(EVENTS, Math.ceil(DELIVERIES / registrars))
  const delivered = ends.heard
  let deliveries = 0
  const seconds =
    1 /
    (await rate(1, async () => {
      const ended = ends.all()
      await source.burst(events, objects)
      await ended
      deliveries = ends.heard - delivered
    }))
  const last = await source.count()
  await first.close()
  await manager.close()
  await cache.close()
  await client.close()
  await source.close()
  return {
    rss_bytes: rss - start.rss,
    received_bytes: after.bytes,
    requests: last.requests,
    added_requests: last.requests - before.requests,
    events_per_s,
    deliveries_per_s: deliveries / seconds,
    heap_per_registrar_bytes: heap / MEASURED,
  }
}

/** Registrars that count what they hear, and when each of them has heard of the last change of a burst. */
class Ends {
  readonly #manager: WatchManager
  readonly #registrars = new Set<Registrar>()
  #left = 0
  #ended: (() => void) | undefined
  heard = 0

  constructor(manager: WatchManager) {
    this.#manager = manager
  }

  async add(name: string): Promise<Registrar> {
    let isSynced = false
    const registrar = this.#manager.registrar(name, event => {
      this.heard++
      if (event.type === 'synced') isSynced = true
      else if (isSynced && event.key?.endsWith('/config-map-0') && --this.#left === 0) this.#ended?.()
    })
    this.#registrars.add(registrar)
    await registrar.add(configMaps)
    await registrar.synced()
    return registrar
  }

  async remove(registrar: Registrar): Promise<void> {
    this.#registrars.delete(registrar)
    await registrar.close()
  }

  /** Resolves when each has heard of one more change of the first object. */
  all(): Promise<void> {
    this.#left = this.#registrars.size
    return new Promise(resolve => {
      this.#ended = resolve
    })
  }
}

async function rate(count: number, fn: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await fn()
  return count / ((performance.now() - begin) / 1000)
}
