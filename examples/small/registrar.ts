/**
 * A registrar by itself: one consumer, with views that change while it runs, until Ctrl-C.
 *
 * It shows `WatchManager` of @wherry/watch-manager, over a cache of @wherry/dynamic-cache. Use it if a program learns
 * only at run time what it has to watch: a registrar says what it wants, and the manager opens and closes the watches.
 *
 *     node examples/small/registrar.ts NAMESPACE NAMESPACE   # moves from the first to both
 */
import { Client } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { WatchManager } from '@wherry/watch-manager'

const [first = 'default', second = 'kube-system'] = process.argv.slice(2)
const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const cache = new DynamicCache({ client })
const manager = new WatchManager({ cache, environment: client.environment })
manager.start()

// A registrar has a name and a sink, here a function. If the function returns a promise, the next event waits for it.
// If it throws, the event is delivered again later, and the other objects go on.
const registrar = manager.registrar<ConfigMap>('printer', event => {
  if (event.type === 'changed') console.log(`changed ${event.key}`)
  if (event.type === 'deleted') console.log(`deleted ${event.key}`)
  if (event.type === 'synced') console.log('synced: what did not come since `reset` does not exist')
})

await registrar.add(configMaps.within({ namespaces: [first] }))
await registrar.synced() // its sink has received all objects of its views
console.log(`watched: ${registrar.watched.length}, pending: ${registrar.pending.length}`)

// `replace` takes the whole set of views that it wants now. Only the difference is done: the first view stays, and is
// not delivered again. A view that is forbidden would be pending, with the reason, and be tried again.
await registrar.replace([first, second].map(name => configMaps.within({ namespaces: [name] })))
await registrar.synced()
console.log(`watched: ${registrar.watched.length}, pending: ${registrar.pending.length}`)

process.once('SIGINT', async () => {
  await manager.close() // closes the registrars
  await cache.close()
  await client.close()
})
