import { describe, expect, it } from 'vitest'
import type { HookCall } from '../outside/hook-client.ts'
import { brief, definitions, gameDefinition, games, type Kit, merge, withServer } from '../testkit/in-memory.ts'

const v2 = games.replace('/v1/', '/v2/')
const conversion = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://hook.example/convert' }, conversionReviewVersions: ['v1'] },
}

interface Game {
  readonly metadata: object
  readonly spec?: { readonly size?: number; readonly extent?: number }
}

/** v1 has a size, v2 an extent. */
function convert(call: HookCall): unknown {
  const { apiVersion, kind, request } = call.review as {
    apiVersion: string
    kind: string
    request: { uid: string; desiredAPIVersion: string; objects: Game[] }
  }
  const { uid, desiredAPIVersion, objects } = request
  const convertedObjects = objects.map(object => {
    const value = object.spec?.size ?? object.spec?.extent
    return {
      ...object,
      apiVersion: desiredAPIVersion,
      spec: desiredAPIVersion.endsWith('v2') ? { extent: value } : { size: value },
    }
  })
  return { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } }
}

async function define(kit: Kit): Promise<void> {
  const versions = [
    { name: 'v1', served: true, storage: true },
    { name: 'v2', served: true, storage: false },
  ]
  expect((await kit.call('POST', definitions, gameDefinition(versions, { conversion }))).status).toBe(201)
  await kit.sim.advance(100)
}

const game = (name: string, size: number): object => ({
  apiVersion: 'arcade.example.com/v1',
  kind: 'Game',
  metadata: { name },
  spec: { size },
})

describe('conversion webhooks', () => {
  it('F1: a watch in another version keeps the order of events while they are converted', async () => {
    await withServer(
      async kit => {
        await define(kit)
        await kit.call('POST', games, game('a', 0))
        const watch = await kit.watch(`${v2}?watch=1&allowWatchBookmarks=true`)
        for (let size = 1; size <= 5; size++) await kit.call('PATCH', `${games}/a`, { spec: { size } }, merge)
        await kit.call('DELETE', `${games}/a`)
        await kit.sim.advance(5000)
        const said = watch.events.filter(({ type }) => type !== 'BOOKMARK')
        expect(said.map(({ type, object }) => `${type} ${object.apiVersion.slice(-2)} ${object.spec.extent}`)).toEqual([
          'ADDED v2 0',
          ...[1, 2, 3, 4, 5].map(extent => `MODIFIED v2 ${extent}`),
          'DELETED v2 5',
        ])
        watch.abort()
      },
      // Each answer takes its time, later ones less.
      {
        webhooks: async call => {
          const { objects } = (call.review as { request: { objects: Game[] } }).request
          for (let turns = 10 - (objects[0]?.spec?.size ?? 0); turns > 0; turns--) await Promise.resolve()
          return convert(call)
        },
      },
    )
  })

  it('F1: a watch ends with an error if an event can not be converted', async () => {
    let works = true
    await withServer(
      async kit => {
        await define(kit)
        const watch = await kit.watch(`${v2}?watch=1`)
        await kit.call('POST', games, game('a', 1))
        await kit.sim.advance(100)
        works = false
        await kit.call('PATCH', `${games}/a`, { spec: { size: 2 } }, merge)
        await kit.sim.advance(100)
        expect(brief(watch.events)).toEqual(['ADDED a', 'ERROR 500'])
        expect(watch.state()).toBe('end')
      },
      {
        webhooks: async call => {
          if (!works) throw new Error('closed')
          return convert(call)
        },
      },
    )
  })

  it('F1: a list, a read and a write of what can not be converted are 500, each in its words', async () => {
    let works = true
    await withServer(
      async kit => {
        await define(kit)
        await kit.call('POST', games, game('a', 1))
        works = false
        const list = await kit.call('GET', v2)
        expect([list.status, list.json.reason]).toEqual([500, 'StorageReadError'])
        expect(list.json.message).toContain('failed to read one or more games.arcade.example.com from the storage')
        const read = await kit.call('GET', `${v2}/a`)
        expect(read.json.message).toMatch(/^Internal error occurred: StorageError: corrupt object/)
        const write = await kit.call('PATCH', `${v2}/a`, { spec: { extent: 2 } }, merge)
        expect(write.json.message).toMatch(/^object not decodable revision=\d+: conversion webhook for/)
        expect((await kit.call('GET', `${games}/a`)).json.spec).toEqual({ size: 1 })
      },
      {
        webhooks: async call => {
          if (!works) throw new Error('closed')
          return convert(call)
        },
      },
    )
  })

  it('F1: a state is converted once for all its readers', async () => {
    let calls = 0
    await withServer(
      async kit => {
        await define(kit)
        for (const name of ['a', 'b', 'c']) await kit.call('POST', games, game(name, 1))
        expect(calls).toBe(0)
        for (let i = 0; i < 3; i++) expect((await kit.call('GET', v2)).json.items).toHaveLength(3)
        expect(calls).toBe(3)
        const { json } = await kit.call('PATCH', `${v2}/a`, { spec: { extent: 7 } }, merge)
        expect(json.spec).toEqual({ extent: 7 })
        expect((await kit.call('GET', `${games}/a`)).json.spec).toEqual({ size: 7 })
      },
      {
        webhooks: async call => {
          calls++
          return convert(call)
        },
      },
    )
  })

  it('F1: the controllers of the server delete objects without asking', async () => {
    let works = true
    await withServer(
      async kit => {
        await define(kit)
        await kit.call('POST', games, { ...game('a', 1), metadata: { name: 'a', finalizers: ['x.y/z'] } })
        await kit.call('POST', games, game('b', 1))
        works = false
        await kit.call('DELETE', `${definitions}/games.arcade.example.com`)
        await kit.sim.advance(100)
        const { json } = await kit.call('GET', games)
        expect(json.items.map(({ metadata }: Game & { metadata: { name: string } }) => metadata.name)).toEqual(['a'])
        expect(json.items[0].metadata.deletionTimestamp).toBeDefined()
        expect(json.items[0].spec).toEqual({ size: 1 })
      },
      {
        webhooks: async call => {
          if (!works) throw new Error('closed')
          return convert(call)
        },
      },
    )
  })

  it('F1: a definition with one is 501 where nothing can be called', async () => {
    await withServer(async kit => {
      const { status, json } = await kit.call('POST', definitions, gameDefinition(undefined, { conversion }))
      expect([status, json.message]).toEqual([501, expect.stringContaining('conversion webhooks of a server without')])
    })
  })
})
