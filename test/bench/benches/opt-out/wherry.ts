import { configMaps, namespaces } from '@wherry/client/resources/core'
import type { Metrics, ServerAddress, SubjectContext } from '../../harness/bench.ts'
import { readRaw } from '../../server/raw-read.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureList } from '../list/measure.ts'

const accept = 'application/json;drop=metadata.managedFields,application/json'

/** The default view, which asks for objects without `managedFields`. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const server = context.options.optOut === true ? (context.server().optOut as ServerAddress) : context.server()
  await using client = clientFor(server)
  const measured = await measureList(context, {
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
  const path = '/api/v1/configmaps?resourceVersion=0'
  const { bytes } = await readRaw({ url: server.url, token: server.token, path, accept })
  return { ...measured, received_bytes: bytes }
}
