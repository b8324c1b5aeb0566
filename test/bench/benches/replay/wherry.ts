import { performance } from 'node:perf_hooks'
import { systemEnvironment } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Store } from '@wherry/informer'
import { WatchManager } from '@wherry/watch-manager'
import type { HeldInformer } from '@wherry/watch-manager/internal'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { watchSlices } from '../../harness/pauses.ts'
import { summarise } from '../../harness/statistics.ts'
import { fillSource } from '../../server/fill-source.ts'

const ROUNDS = 9

export async function run({ objects }: SubjectContext): Promise<Metrics> {
  const environment = systemEnvironment()
  const store = new Store({ view: configMaps, environment })
  const snapshot = store.writer().replace()
  let version = 0
  for (const object of fillSource(objects)) {
    const { metadata } = object as { metadata: object }
    snapshot.put({ ...object, metadata: { ...metadata, uid: `${++version}`, resourceVersion: `${version}` } }, 1930)
  }
  snapshot.commit()
  const informer: HeldInformer<unknown> = {
    state: 'watching',
    hasSynced: true,
    lastError: undefined,
    whenSynced: () => Promise.resolve(),
    cursor: () => store.cursor(),
  }
  const cache = { hold: <C>() => ({ informer: informer as HeldInformer<C>, release: () => Promise.resolve() }) }
  const manager = new WatchManager({ cache, environment })
  manager.start()
  const replay = async (): Promise<number> => {
    const one = manager.registrar('late', () => {})
    const begin = performance.now()
    await one.add(configMaps)
    await one.synced()
    const seconds = (performance.now() - begin) / 1000
    await one.close()
    return objects / seconds
  }
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) rates.push(await replay())
  const slices = watchSlices()
  for (let round = 0; round < ROUNDS; round++) await replay()
  const { slice_ms } = await slices()
  await manager.close()
  return { slice_ms, objects_per_s: summarise(rates).median }
}
