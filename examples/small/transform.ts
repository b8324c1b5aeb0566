/**
 * A transform that keeps three fields: where each pod runs, and nothing else of it, until Ctrl-C.
 *
 * It shows `pick` and `TransformCache` of @wherry/transform-cache. Use it if a program caches many objects and reads a
 * few of their fields. If these are all in the metadata, a metadata view is better still (metadata-informer.ts).
 *
 *     node examples/small/transform.ts
 */
import { Client } from '@wherry/client'
import { pods } from '@wherry/client/resources/core'
import { pick, TransformCache } from '@wherry/transform-cache'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })

// A view with a projection. The rest of a pod is dropped as soon as it has been received. The type follows the paths:
// a path that a pod does not have does not compile, and neither does a read of a field that was not picked.
const placed = pods.project(pick('spec.nodeName', 'status.phase', 'metadata.labels'))

const cache = new TransformCache({ client, views: [placed] })
cache.start()
await cache.synced()

const nodes = new Map<string, number>()
for (const { spec } of await cache.list(placed)) {
  const node = spec?.nodeName ?? '(none)'
  nodes.set(node, (nodes.get(node) ?? 0) + 1)
}
for (const [node, count] of nodes) console.log(`${node}: ${count} pods`)

// The report says how many bytes were received, and how many of them are kept.
console.log(`${await cache.memoryReport()}`)

// The informer of the view has handlers, indices and a journal, like any other.
cache.informer(placed).addHandler({
  update: ({ status }, { key, old }) => {
    if (status?.phase !== old.status?.phase) console.log(`${key}: ${old.status?.phase} -> ${status?.phase}`)
  },
})
console.log('watching')

process.once('SIGINT', async () => {
  await cache.close()
  await client.close()
})
