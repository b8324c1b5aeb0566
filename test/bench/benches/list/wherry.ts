import { configMaps, namespaces } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureList } from './measure.ts'

/** Our client: items one by one. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  return await measureList(context, {
    touch: () => client.list(namespaces),
    async list() {
      let items = 0
      await client.listEach(
        configMaps,
        () => {
          items++
        },
        { resourceVersion: '0' },
      )
      return items
    },
  })
}
