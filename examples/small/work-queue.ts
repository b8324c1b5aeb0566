/**
 * A work queue by hand: an informer adds keys, and two workers do the work for them, until Ctrl-C.
 *
 * It shows `WorkQueue` of @wherry/work-queue. Use it if you write the loop of a controller yourself, or have other work
 * by key: a key is queued once however often it is added, and never runs twice at the same time.
 *
 *     node examples/small/work-queue.ts
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import { Priority, WorkQueue } from '@wherry/work-queue'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const informer = new Informer({ client, view: configMaps.within({ labels: { 'example.com/work': 'true' } }) })
const queue = new WorkQueue<string>()

// Objects of the first list may wait. A change is urgent. A key that is queued already only moves up.
const priority = (): number => (informer.hasSynced ? Priority.normal : Priority.low)
informer.addHandler({
  add: (_, { key }) => queue.add(key, { priority: priority() }),
  update: (_, { key }) => queue.add(key),
  delete: (_, { key }) => queue.add(key),
})

// The work gets a key, not an event: it looks at the newest state, whatever happened in between.
async function reconcile(key: string): Promise<void> {
  const [namespace = '', name = ''] = key.split('/')
  const object = informer.get({ namespace, name })
  if (object === undefined) return console.log(`${key} is gone`)
  if (object.data?.colour === undefined) throw new Error(`${key} has no colour`)
  console.log(`${key} is ${object.data.colour}`)
}

async function worker(): Promise<void> {
  for await (const key of queue) {
    try {
      await reconcile(key)
      queue.forget(key) // it succeeded, so its next failure waits 5 ms again
    } catch (error) {
      console.log(`${(error as Error).message}, failure ${queue.failures(key) + 1}`)
      queue.addRateLimited(key) // after 5 ms, 10 ms, 20 ms, and so on; earlier if the object changes
    } finally {
      queue.done(key) // from now on the key may be handed out again
    }
  }
}

informer.start()
process.once('SIGINT', () => void queue.stop()) // ends the loops of the workers when their run is over
await Promise.all([worker(), worker()])
await informer.close()
await client.close()
