import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { InvalidBodyError } from '../bytes/bounds.ts'
import { Client } from '../client.ts'
import { type ConfigMap, configMaps } from '../resources/core.ts'
import { Shard } from '../views/shard.ts'

const of = 3
const shards = Array.from({ length: of }, (_, index) => Shard.of({ index, of }, 'shard'))
const maps = Array.from({ length: 60 }, (_, i) => ({ name: `map-${i}`, namespace: 'default' }))
const view = (index: number) => configMaps.within({ shard: { index, of } })
const namesOf = (items: readonly ConfigMap[]): string[] => items.map(one => one.metadata?.name ?? '').sort()

/** The names of the ConfigMaps of each shard, by the uids that the server gave them. */
type Parts = readonly (readonly string[])[]

async function withClient(
  isSharded: boolean,
  body: (client: Client, parts: Parts, server: EmbeddedApiServer) => Promise<void>,
): Promise<void> {
  await using server = await startApiServer({ sockets: false, clusterObjects: false, shards: isSharded })
  await using client = new Client({ url: server.url, token: server.token, transport: server.transport() })
  await server.fill(maps.map(metadata => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })))
  const { items } = await client.list(configMaps)
  const parts = shards.map(shard => namesOf(items.filter(one => shard.has(one.metadata.uid))))
  expect(parts.flat().sort()).toEqual(namesOf(items))
  for (const { length } of parts) expect(length).toBeGreaterThan(0)
  await body(client, parts, server)
}

describe.each([true, false])('a view of a shard, if the server has sharded lists and watches: %s', isSharded => {
  it('is read as if the other objects were not there', () =>
    withClient(isSharded, async (client, parts, server) => {
      const bytes = (await server.stats()).total.objectBytes
      for (const [index, names] of parts.entries()) {
        await server.resetStats()
        expect(namesOf((await client.list(view(index))).items)).toEqual(names)
        const received = (await server.stats()).total.objectBytes / bytes
        expect(Math.round(received * maps.length)).toBe(isSharded ? names.length : maps.length)
        const paged: ConfigMap[] = []
        for await (const { items } of client.pages(view(index), { limit: 1 })) paged.push(...items)
        expect(namesOf(paged)).toEqual(names)
        expect(await client.count(view(index))).toBe(names.length)
      }
      const key = { name: parts[1]?.[0] ?? '', namespace: 'default' }
      expect(await client.get(view(1), key)).toMatchObject({ metadata: key })
      expect(await client.get(view(0), key)).toBeUndefined()
    }))

  it('is watched so', () =>
    withClient(isSharded, async (client, parts) => {
      const names = parts[2] ?? []
      const seen: string[] = []
      const watching = (async () => {
        for await (const event of client.watch(view(2))) {
          if (event.type === 'BOOKMARK') continue
          seen.push(`${event.type} ${(event.object as ConfigMap).metadata?.name}`)
          if (event.type === 'DELETED') break
        }
      })()
      const added = names.map(name => `ADDED ${name}`)
      await expect.poll(() => [...seen].sort()).toEqual(added)
      for (const key of maps) await client.patch(configMaps, key, { data: { a: 'b' } })
      for (const { name } of maps) await client.delete(configMaps, { name, namespace: 'default' })
      await watching
      const changed = maps.flatMap(({ name }) => (names.includes(name) ? [`MODIFIED ${name}`] : []))
      const [first] = maps.filter(({ name }) => names.includes(name))
      expect(seen.slice(added.length)).toEqual([...changed, `DELETED ${first?.name}`])
    }))
})

it('objects of other shards in a list that the server has selected are an error: it hashes in another way', () =>
  withClient(true, async client => {
    const mine = view(0)
    const hashing = Object.assign(Object.create(mine.shard as Shard), { has: (uid: string) => shards[1]?.has(uid) })
    const { key, resource, namespaces, labels, fields, projection, within } = mine
    const other = { key, resource, namespaces, labels, fields, projection, within, shard: hashing }
    await expect(client.list(other as typeof configMaps)).rejects.toThrow(InvalidBodyError)
  }))

it('X6: a shard selector and a view of a shard are one too many; no collection of a shard is deleted', () =>
  withClient(true, async client => {
    await expect(client.list(view(0), { shardSelector: view(0).shard?.selector })).rejects.toThrow('shardSelector')
    const some = view(0).within({ namespaces: ['default'] })
    await expect(client.deleteCollection(some)).rejects.toThrow('a view without a shard')
    expect(await client.count(configMaps)).toBe(maps.length)
  }))
