/**
 * Keeps the table `objects` of a SQLite file equal to the ConfigMaps of the cluster, until SIGTERM or SIGINT:
 *
 *     KUBECONFIG=… node main.ts objects.db
 *
 * It may be killed at any moment: the next run ends with the cluster's state again. (Node 22 warns that its SQLite is
 * experimental; Node 24 does not.)
 */
import { once } from 'node:events'
import { Client, type KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { WatchManager } from '@wherry/watch-manager'
import { SqliteSink } from './sqlite-sink.ts'

const sink = new SqliteSink(process.argv[2] ?? 'objects.db')
const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const cache = new DynamicCache({ client })
const manager = new WatchManager({ cache, environment: client.environment })
manager.start()

const table = manager.registrar<KubernetesObject>('table', sink)
await table.add(configMaps)
await table.synced()
// Whoever reads that it has synced may end it at once.
const ended = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
console.log(`synced: ${sink.contents(configMaps).size} objects`)

await ended
await manager.close()
await cache.close()
await client.close()
sink.close()
