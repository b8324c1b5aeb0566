import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { iteratorSink, type Registrar, WatchManager } from '@wherry/watch-manager'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { LAST, measureDeliveries, type Receive, Rounds } from './measure.ts'
import { Source } from './source.ts'

/** Rounds of changes that one registrar receives while the others are not read. */
const ROUNDS = 10
/** How many registrars the heap is measured of. */
const MEASURED = 1000
/** With managedFields, as the informers of others have them. */
const view = configMaps.full()
const last = `/${LAST}`

/** One watch, and `registrars` registrars of it. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const { objects, options } = context
  const source = new Source()
  await source.start(objects)
  const client = new Client({ url: source.url })
  const cache = new DynamicCache({ client })
  const manager = new WatchManager({ cache, environment: client.environment })
  manager.start()
  let count = 0
  const add = async (receive: Receive): Promise<Registrar> => {
    const registrar = manager.registrar(`receives-${count++}`, ({ key }) => {
      if (key !== undefined) receive(key.endsWith(last))
    })
    await registrar.add(view)
    await registrar.synced()
    return registrar
  }
  const receiving: Registrar[] = []
  const measured = await measureDeliveries(context, source, async receive => void receiving.push(await add(receive)))

  // One receives, and the others have a sink that nobody reads.
  const alone = new Rounds(source, objects)
  const one = await add(alone.consumer())
  await Promise.all(receiving.map(registrar => registrar.close()))
  const idle: Registrar[] = []
  for (let i = 1; i < Number(options.registrars); i++) {
    const registrar = manager.registrar(`idle-${i}`, iteratorSink())
    await registrar.add(view)
    idle.push(registrar)
  }
  const events_per_s = await alone.rate(ROUNDS)
  await Promise.all(idle.map(registrar => registrar.close()))

  const begin = readMemory().heap
  for (let i = 0; i < MEASURED; i++) await add(alone.consumer())
  const heap = readMemory().heap - begin
  await one.close()
  await manager.close()
  await cache.close()
  await client.close()
  await source.close()
  return { ...measured, events_per_s, heap_per_registrar_bytes: heap / MEASURED }
}
