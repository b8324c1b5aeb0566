import { performance } from 'node:perf_hooks'
import { targetsOf } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { PlainStore, Reflector } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { summarise } from '../../harness/statistics.ts'
import { clientFor } from '../../server/wherry.ts'

/** Relists before the heap is first looked at: what is compiled and what grows once is there by then. */
const WARM_UP = 20

/**
 * A reflector and a store, whose watch is told each time that its resourceVersion is too old. The backoff is left out by
 * `retryNow`: 200 of them would be an hour and a half.
 */
export async function run(context: SubjectContext): Promise<Metrics> {
  const relists = Number(context.options.relists)
  const client = clientFor(context.server())
  const { environment } = client
  const store = new PlainStore({ view: configMaps, environment })
  let events = 0
  const count = (): void => {
    events++
  }
  store.register({ update: count, delete: count })
  const times: number[] = []
  let begin = performance.now()
  let heapBefore = 0
  let wake: (() => void) | undefined
  const reflector = new Reflector({
    client,
    target: targetsOf(configMaps)[0] as ReturnType<typeof targetsOf>[0],
    on: {
      synced() {
        times.push(performance.now() - begin)
      },
      state(state) {
        if (state === 'waiting') setImmediate(() => wake?.())
      },
    },
  })
  reflector.add(store.intake())
  const waited = (): Promise<void> =>
    new Promise(resolve => {
      wake = resolve
    })
  reflector.start()
  for (let round = 0; round <= relists; round++) {
    await waited()
    if (times.length !== round + 1) throw new Error(`${times.length} states after ${round} relists`)
    if (round === Math.min(WARM_UP, relists >> 1)) heapBefore = readMemory().heap
    if (round === relists) break
    begin = performance.now()
    reflector.retryNow()
  }
  const measured = relists - Math.min(WARM_UP, relists >> 1)
  const heap_slope_bytes = (readMemory().heap - heapBefore) / measured
  if (store.stats().objects !== context.objects) throw new Error(`${store.stats().objects} objects`)
  await reflector.stop()
  store.close(new Error('over'))
  await client.close()
  const [sync_ms = 0, ...rest] = times
  return { relist_ms: summarise(rest).median, sync_ms, events, heap_slope_bytes }
}
