/**
 * A controller that is wired by hand from the packages, without @wherry/controller: runs until Ctrl-C.
 *
 * Each ConfigMap with the label example.com/role=source names a Secret in its data. The program makes a ConfigMap
 * NAME-made with the names of the Secret's keys, and keeps it so. docs/compose.md explains the parts in this order.
 *
 *     node examples/compose/compose.ts
 */
import { Client, type ObjectKey } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { applyIfChanged, hashAtIngest, parts, specPart } from '@wherry/hash-compare'
import { NarrowCache } from '@wherry/narrow-cache'
import { pick } from '@wherry/transform-cache'
import { queueSink, WatchManager } from '@wherry/watch-manager'
import { Priority, WorkQueue } from '@wherry/work-queue'

const content = parts({ spec: specPart() }) // what counts as a difference
const sources = configMaps.within({ labels: { 'example.com/role': 'source' } }).project(pick('data.secret'))
const made = configMaps.within({ labels: { 'example.com/role': 'made' } }).project(...hashAtIngest(content))

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const cache = new DynamicCache({ client })
const narrow = new NarrowCache({ client })

const queue = new WorkQueue<string>()

const manager = new WatchManager({ cache, environment: client.environment })
manager.start()

// A source runs behind what happens to the objects that were made: after a start there may be thousands of sources.
const behind = { add: (key: string) => queue.add(key, { priority: Priority.low }) }
const ofSources = manager.registrar('sources', queueSink(behind))

// `a-made` was made of `a`, so `a` has to run.
const sourceOf = ({ key }: { key: string }) => (key.endsWith('-made') ? key.slice(0, -'-made'.length) : undefined)
const ofMade = manager.registrar('made', queueSink(queue, sourceOf))

const followed = new Map<string, { secret: string; close: () => Promise<void> }>()

/** From now on the key runs when this Secret appears, changes or disappears, and no longer when an earlier one does. */
async function follow(key: string, secret: ObjectKey<'namespaced'> | undefined): Promise<void> {
  const before = followed.get(key)
  if (before?.secret === secret?.name) return
  followed.delete(key)
  await before?.close()
  if (secret === undefined) return
  const run = () => queue.add(key)
  const subscription = await narrow.watch(secrets, secret, { add: run, update: run, delete: run })
  followed.set(key, { secret: secret.name, close: () => subscription.close() })
}

async function reconcile(key: string): Promise<void> {
  const [namespace = '', name = ''] = key.split('/')
  const source = await cache.get(sources, { namespace, name })
  const wanted = source?.data?.secret
  await follow(key, wanted === undefined ? undefined : { namespace, name: wanted })
  if (source === undefined || wanted === undefined) return console.log(`${key}: nothing to make`)
  const secret = await narrow.get(secrets, { namespace, name: wanted })
  if (secret === undefined) return console.log(`${key}: waits for the Secret ${wanted}`)

  const target = { namespace, name: `${name}-made` }
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: source.metadata?.uid ?? '', controller: true }
  const metadata = { ...target, labels: { 'example.com/role': 'made' }, ownerReferences: [owner] }
  const keys = Object.keys(secret.data ?? {}).toSorted()
  const desired = { metadata, data: { keys: keys.join(' ') } }
  const observed = await cache.get(made, target)
  const { reason } = await applyIfChanged(client, configMaps, desired, observed, content)
  console.log(`${key}: ${reason}, ${desired.data.keys}`)
}

async function worker(): Promise<void> {
  for await (const key of queue) {
    try {
      await reconcile(key)
      queue.forget(key)
    } catch (error) {
      console.error(`${key}: ${(error as Error).message}`)
      queue.addRateLimited(key)
    } finally {
      queue.done(key)
    }
  }
}

await Promise.all([ofSources.add(sources), ofMade.add(made)])
await Promise.all([ofSources.synced(), ofMade.synced()])
console.log(`synced: ${cache.report().watches} watches`)
process.once('SIGINT', () => void queue.stop())
await Promise.all([worker(), worker()])

await manager.close()
await narrow.close()
await cache.close()
await client.close()
