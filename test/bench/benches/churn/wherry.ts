import { performance } from 'node:perf_hooks'
import { queryObjects } from 'node:v8'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { Store } from '@wherry/informer'
import { Reflector } from '@wherry/informer/internal'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'

const CYCLES = 10_000
const LANES = 20
const VIEWS = 60

export async function run(context: SubjectContext): Promise<Metrics> {
  const client = clientFor(context.server())
  const cache = new DynamicCache({ client })
  const views = Array.from({ length: VIEWS }, (_, index) => configMaps.within({ labels: { view: `v${index}` } }))
  let left = CYCLES
  // Each lane has views of its own, so that none is asked for while another lane removes it.
  const lane = async (first: number): Promise<void> => {
    for (let turn = 0; left > 0; turn++) {
      left -= 1
      const view = views[first + LANES * (turn % (VIEWS / LANES))] as (typeof views)[number]
      await cache.informer(view).whenSynced()
      await cache.remove(view)
    }
  }
  const begin = performance.now()
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)))
  const seconds = (performance.now() - begin) / 1000
  const informers = cache.informer(configMaps).constructor
  await cache.remove(configMaps)
  const left_over = [Store, Reflector, informers].reduce((sum, made) => sum + count(made), 0)
  await cache.close()
  await client.close()
  return { cycles_per_s: CYCLES / seconds, left_over }
}

function count(made: unknown): number {
  return queryObjects(made as never, { format: 'count' }) as unknown as number
}
