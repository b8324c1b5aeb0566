import { performance } from 'node:perf_hooks'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { WatchManager } from '@wherry/watch-manager'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { percentile } from '../../harness/statistics.ts'
import { Source } from './source.ts'

const EVENTS = 100_000
const KEYS = 1000
const PER_SECOND = 20_000
const OTHERS = 9

/** How long a change takes from the store to the sinks of nine registrars, while a tenth one stalls, or not. */
export async function run({ options }: SubjectContext): Promise<Metrics> {
  const source = new Source()
  await source.start(KEYS)
  const client = new Client({ url: source.url })
  const cache = new DynamicCache({ client })
  const manager = new WatchManager({ cache, environment: client.environment, closeTimeoutMs: 0 })
  manager.start()

  const stored = new Map<string, number>()
  const informer = cache.informer(configMaps)
  await informer.whenSynced()
  informer.addHandler({ update: (_object, { key }) => void stored.set(key, performance.now()) })
  const times = new Float64Array(EVENTS * OTHERS)
  let count = 0
  let left = OTHERS
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let i = 0; i < OTHERS; i++) {
    const one = manager.registrar(`other-${i}`, event => {
      const at = event.key === undefined ? undefined : stored.get(event.key)
      if (at === undefined) return
      times[count++] = performance.now() - at
      if (event.key?.endsWith('/config-map-0') && --left === 0) resolve()
    })
    await one.add(configMaps)
    await one.synced()
  }
  // It takes the first state, and then its first change for ever.
  let isSynced = false
  const tenth = manager.registrar('tenth', event => {
    if (event.type === 'synced') isSynced = true
    else if (isSynced && options.stalls === true) return new Promise(() => {})
    return undefined
  })
  await tenth.add(configMaps)
  await tenth.synced()
  await source.burst(EVENTS, KEYS, PER_SECOND)
  await promise
  await manager.close()
  await cache.close()
  await client.close()
  await source.close()
  const received = times.subarray(0, count)
  return { p50_us: percentile(received, 0.5) * 1000, p99_us: percentile(received, 0.99) * 1000 }
}
