import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { type ConfigMap, configMaps, namespaces } from '../resources/core.ts'
import { defineResource } from '../views/resource.ts'

/** A client of a server in memory. */
async function withClient(body: (client: Client, server: EmbeddedApiServer) => Promise<void>): Promise<void> {
  await using server = await startApiServer({ sockets: false, clusterObjects: false })
  await using client = new Client({ url: server.url, token: server.token, transport: server.transport() })
  await body(client, server)
}

const map = (name: string, labels: Record<string, string> = {}, namespace = 'default') => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name, namespace, labels },
})

describe('count', () => {
  it('lets the server count, reads all with a selector, and adds namespaces up', () =>
    withClient(async (client, server) => {
      const all = Array.from({ length: 700 }, (_, i) => map(`m${i}`, { third: `${i % 3 === 0}` }, i < 600 ? 'a' : 'b'))
      await server.fill(all)
      await server.resetStats()
      expect(await client.count(configMaps)).toBe(700)
      expect((await server.stats()).total.objectBytes).toBeLessThan(1000)
      expect(await client.count(configMaps.within({ labels: { third: 'true' } }))).toBe(234)
      expect(await client.count(configMaps.within({ namespaces: ['a', 'b'] }))).toBe(700)
      expect(await client.count(configMaps.within({ namespaces: ['a'] }).metadata())).toBe(600)
      expect(await client.count(configMaps.within({ namespaces: ['nobody'] }))).toBe(0)
    }))
})

describe('waitFor', () => {
  const key = { name: 'settings', namespace: 'default' }
  const isBlue = (object: ConfigMap | undefined): boolean => object?.data?.colour === 'blue'

  it('resolves with an object that is so already, one that becomes so, and with nothing for one that goes', () =>
    withClient(async client => {
      const waiting = client.waitFor(configMaps, key, isBlue)
      await client.create(configMaps, { metadata: key, data: { colour: 'red' } })
      await client.patch(configMaps, key, { data: { colour: 'blue' } })
      expect(await waiting).toMatchObject({ data: { colour: 'blue' } })
      expect(await client.waitFor(configMaps, key, isBlue)).toMatchObject({ data: { colour: 'blue' } })
      const gone = client.waitFor(configMaps, key, object => object === undefined)
      await client.delete(configMaps, key)
      expect(await gone).toBe(undefined)
    }))

  it('goes on after a broken connection, a 500 and a watch that ends; gives up in time, and at a refusal', () =>
    withClient(async (client, server) => {
      await server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'status', code: 500 }, times: 1 })
      const waiting = client.waitFor(configMaps, key, isBlue)
      await expect.poll(async () => (await server.stats()).byVerb.watch?.configmaps?.requests ?? 0).toBe(2)
      await server.endWatches()
      await server.breakConnections()
      await client.create(configMaps, { metadata: key, data: { colour: 'blue' } })
      expect(await waiting).toMatchObject({ data: { colour: 'blue' } })
      const late = client.waitFor(configMaps, key, () => false, { timeoutMs: 50 })
      await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', key: 'default/settings' })
      await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
      await expect(client.waitFor(configMaps, key, isBlue)).rejects.toMatchObject({ status: 403 })
      await expect(
        client.waitFor(namespaces, { name: 'default' }, () => {
          throw new Error('mine')
        }),
      ).rejects.toThrow()
    }))

  it('X9: ends with an error of the function at once, also one that a read would outlive, and takes no promise for true', () =>
    withClient(async client => {
      const passing = new ConnectionError('CONNECT_FAILED', 'mine')
      const fails = client.waitFor(namespaces, { name: 'default' }, () => {
        throw passing
      })
      await expect(fails).rejects.toBe(passing)
      const late = async (): Promise<boolean> => {
        throw new Error('a rejection that nobody handles would fail the run')
      }
      await expect(client.waitFor(namespaces, { name: 'default' }, late as never)).rejects.toThrow('waitFor.isTrue')
    }))
})

describe('applyAll', () => {
  const game = {
    ...{ apiVersion: 'arcade.example.com/v1', kind: 'Game', metadata: { name: 'chess', namespace: 'arcade' } },
    spec: { players: 2 },
  }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      group: 'arcade.example.com',
      scope: 'Namespaced',
      names: { kind: 'Game', plural: 'games', singular: 'game', listKind: 'GameList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'arcade' } }

  it('applies what others need first, and gives the objects in the order given', () =>
    withClient(async client => {
      const applied = await client.applyAll([game, map('settings', {}, 'arcade'), definition, namespace])
      expect(applied.map(({ kind }) => kind)).toEqual(['Game', 'ConfigMap', 'CustomResourceDefinition', 'Namespace'])
      const games = defineResource<typeof game>({
        ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
      })
      expect(await client.get(games, game.metadata)).toMatchObject({ spec: { players: 2 } })
      await client.applyAll([game])
    }))

  it('names a thing that is no object, and an object of a kind that the server does not have', () =>
    withClient(async client => {
      await expect(client.applyAll([namespace, { kind: 'Namespace' }])).rejects.toThrow('applyAll.objects[1]')
      await expect(client.applyAll([namespace, game])).rejects.toThrow('Game of arcade.example.com/v1')
      expect(await client.get(namespaces, { name: 'arcade' })).toBeDefined()
      const noNamespace = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }
      await expect(client.applyAll([noNamespace])).rejects.toThrow('namespace')
    }))
})
