import { configMaps } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { microsecondsPerCall } from '../../harness/calls.ts'
import { clientFor } from '../../server/wherry.ts'
import { keys } from './keys.ts'

/** Lists of one name by the client: what a first get is measured by. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  const views = keys(1000).map(({ namespace, name }) =>
    configMaps.within({ namespaces: [namespace], fields: { 'metadata.name': name } }),
  )
  let next = 0
  const get_us = await microsecondsPerCall(async () => {
    const view = views[next++ % views.length]
    if (view === undefined || (await client.list(view)).items.length !== 1) throw new Error('an object was not found')
  }, 1)
  return { get_us }
}
