import { configMaps } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { memoryAbove, readMemory } from '../../harness/memory.ts'
import { clientFor } from '../../server/wherry.ts'
import { keys } from './keys.ts'

/** An informer of all, to see from how many entries on it is the cheaper one. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  const [first] = keys(1)
  if (first === undefined) throw new Error('no object was generated')
  await client.get(configMaps, first)
  const before = readMemory()
  const view = context.options.metadata === true ? configMaps.metadata() : configMaps
  await using informer = new Informer<unknown>({ client, view })
  informer.start()
  await informer.whenSynced()
  if (informer.size !== context.objects) throw new Error(`${informer.size} objects of ${context.objects}`)
  const { heap_bytes, rss_bytes } = memoryAbove(before)
  return { heap_bytes, rss_bytes }
}
