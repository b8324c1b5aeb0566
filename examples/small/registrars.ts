/**
 * Several registrars on one watch: three consumers of the same objects, each at its own pace, until Ctrl-C.
 *
 * It shows `WatchManager` of @wherry/watch-manager with its three kinds of sinks. Use it if parts of a program want the
 * same objects and come and go independently: the server sends each change once, and a slow part delays no other.
 *
 *     node examples/small/registrars.ts
 */
import { Client } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { iteratorSink, queueSink, WatchManager } from '@wherry/watch-manager'
import { WorkQueue } from '@wherry/work-queue'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const cache = new DynamicCache({ client })
const manager = new WatchManager({ cache, environment: client.environment })
manager.start()

// A function receives each event. Without `await` it costs no promise.
const counted = new Set<string>()
const counter = manager.registrar<ConfigMap>('counter', event => {
  if (event.type === 'changed') counted.add(event.key)
  if (event.type === 'deleted') counted.delete(event.key)
})

// A queue receives the keys, which wait there for its workers (work-queue.ts).
const queue = new WorkQueue<string>()
const keys = manager.registrar('keys', queueSink(queue))

// A loop takes the events one by one.
const events = iteratorSink<ConfigMap>()
const reader = manager.registrar('reader', events)

const registrars = [counter, keys, reader]
await Promise.all(registrars.map(registrar => registrar.add(configMaps))) // the first one opens the watch
process.once('SIGINT', () => void manager.close()) // ends the loop below

for await (const event of events) {
  if (event.type === 'changed' || event.type === 'deleted') console.log(`reader: ${event.type} ${event.key}`)
  if (event.type !== 'synced') continue
  await Promise.all([counter.synced(), keys.synced()])
  console.log(`counter: ${counted.size} objects, queue: ${queue.size} keys, watches: ${cache.report().watches}`)
  await counter.close() // the others stay, and the watch with them
  console.log(`it is held by ${cache.report().informers[0]?.holders.join(' and ')}`)
}

await queue.stop()
await cache.close()
await client.close()
