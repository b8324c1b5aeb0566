import { performance } from 'node:perf_hooks'
import { configMaps } from '@wherry/client/resources/core'
import { NarrowCache } from '@wherry/narrow-cache'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { keys } from './keys.ts'

const objects = 100

/** Gets of cached objects, one after the other. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  await using narrow = new NarrowCache({ client })
  const wanted = keys(objects)
  const getAll = async (): Promise<void> => {
    for (const key of wanted) {
      if ((await narrow.get(configMaps, key)) === undefined) throw new Error(`no ${key.namespace}/${key.name}`)
    }
  }
  await getAll()
  const during = async (ms: number): Promise<number> => {
    const begun = performance.now()
    let rounds = 0
    for (; performance.now() - begun < ms; rounds++) await getAll()
    return (rounds * objects * 1000) / (performance.now() - begun)
  }
  await during(1000)
  return { gets_per_s: await during(2000) }
}
