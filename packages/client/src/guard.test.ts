import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from './client.ts'
import { Guard } from './guard.ts'
import type { OwnSocket, Requester } from './requester.ts'
import { configMaps } from './resources/core.ts'
import { inMemory } from './verbs/bench.fixture.ts'
import type { Caller } from './verbs/caller.ts'

let cluster: Awaited<ReturnType<typeof inMemory>>
let client: Client

beforeEach(async () => {
  cluster = await inMemory()
  client = cluster.client
})

afterEach(() => cluster.close())

const at = (name: string) => ({ name, namespace: 'default' })

it('sends nothing that is not admitted, and says why', () =>
  cluster.run(async () => {
    let refusal: Error | undefined
    const { client: guarded } = client.guardedBy(() => {
      if (refusal !== undefined) throw refusal
    })
    await guarded.create(configMaps, { metadata: at('a') })
    expect(guarded.environment).toBe(client.environment)
    refusal = new Error('not now')
    await expect(guarded.create(configMaps, { metadata: at('b') })).rejects.toThrow('not now')
    await expect(guarded.list(configMaps)).rejects.toThrow('not now')
    await expect(guarded.watch(configMaps).next()).rejects.toThrow('not now')
    refusal = undefined
    expect((await guarded.list(configMaps.within({ namespaces: ['default'] }))).items).toHaveLength(1)
  }))

it('its end is that of its own calls and watches, with the reason given', () =>
  cluster.run(async () => {
    const { client: guarded, end } = client.guardedBy(() => {})
    const inner = guarded.guardedBy(() => {})
    const watches = [guarded, inner.client].map(one => one.watch(configMaps, { resourceVersion: '1' }).next())
    const own = client.watch(configMaps)
    await guarded.list(configMaps)
    end(new Error('over'))
    for (const watch of watches) await expect(watch).rejects.toThrow('over')
    await expect(guarded.list(configMaps)).rejects.toThrow('over')
    await expect(inner.client.list(configMaps)).rejects.toThrow('over')
    await client.create(configMaps, { metadata: at('a') })
    expect((await own.next()).value).toMatchObject({ type: 'ADDED' })
    await own.return()
    await guarded.close()
    await expect(client.list(configMaps)).resolves.toBeDefined()
  }))

it('apart: another client has connections of its own, and each is closed by itself', () =>
  cluster.run(async () => {
    const { client: guarded, end } = client.guardedBy(() => {})
    const apart = [client, guarded, client.withWriteListeners()].map(one => one.withOwnConnections())
    for (const one of apart) await one.list(configMaps)
    expect(client.connections).toBe(0)
    expect(apart.map(one => one.connections)).toEqual([1, 1, 1])
    end(new Error('over'))
    await client.close()
    await expect(client.list(configMaps)).rejects.toThrow('closed')
    for (const one of apart) {
      await one.list(configMaps)
      await one.close()
      await expect(one.list(configMaps)).rejects.toThrow('closed')
    }
  }))

it('ends a socket that was admitted right before the end', async () => {
  const over = new Error('over')
  const ended: Error[] = []
  const socket = { stream: new PassThrough(), end: reason => ended.push(reason) } as Partial<OwnSocket> as OwnSocket
  const openSocket: Requester['openSocket'] = (_, admit) => {
    admit?.()
    return Promise.resolve(socket)
  }
  const guard = new Guard(() => queueMicrotask(() => guard.close(over)), { requester: { openSocket } } as Caller)
  await expect(guard.openSocket(new AbortController().signal)).rejects.toBe(over)
  expect(ended).toEqual([over])
})
