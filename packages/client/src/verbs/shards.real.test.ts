import { startRealApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../../testing/src/real/testkit/available.ts'
import { Client } from '../client.ts'
import { configMaps } from '../resources/core.ts'

const available = await realApiServerAvailable('lists and watches of shards')

it.runIf(available)('a real server with sharded lists and watches sends the parts as we cut them', async () => {
  await using server = await startRealApiServer({ featureGates: { ShardedListAndWatch: true } })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const names = Array.from({ length: 40 }, (_, i) => `map-${i}`)
  for (const name of names)
    await client.create(configMaps, { metadata: { name, namespace: 'default', labels: { a: 'b' } } })
  const all = configMaps.within({ labels: 'a=b' })
  const found: string[] = []
  for (const index of [0, 1, 2]) {
    const view = all.within({ shard: { index, of: 3 } })
    // A list would fail if the server had selected objects that are not of the part.
    const { items } = await client.list(view)
    const raw = await client.list(all, { shardSelector: view.shard?.selector })
    expect(raw.items.map(one => one.metadata.uid)).toEqual(items.map(one => one.metadata.uid))
    expect(items.length).toBeGreaterThan(0)
    found.push(...items.map(one => one.metadata.name))
    const watched: string[] = []
    for await (const event of client.watch(view)) {
      if (event.type === 'BOOKMARK') break
      watched.push(event.object.metadata.name)
    }
    expect(watched.sort()).toEqual(items.map(one => one.metadata.name).sort())
  }
  expect(found.sort()).toEqual([...names].sort())
})
