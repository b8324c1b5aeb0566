import { configMaps, namespaces } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureList } from './measure.ts'

/** Our client: items of one view, one by one. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const view = context.options.view === 'full' ? configMaps.full() : configMaps
  await using client = clientFor(context.server())
  return await measureList(context, {
    touch: () => client.list(namespaces),
    async list() {
      let items = 0
      await client.listEach(
        view,
        () => {
          items++
        },
        { resourceVersion: '0' },
      )
      return items
    },
  })
}
