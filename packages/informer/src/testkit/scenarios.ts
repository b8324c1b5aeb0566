import { type Client, type Environment, isResourceNotFound } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { define } from '@wherry/client/testkit/define'
import { shortTimers } from '@wherry/testing/real/testkit/short-timers'
import { afterEach, expect, it, vi } from 'vitest'
import { Informer } from '../informer.ts'
import { definition, definitions, things } from './things.ts'

/** A server over sockets, with a namespace `ns` that has no ConfigMaps. */
export interface SocketCluster {
  readonly client: Client
}

const waiting = { interval: 5 }

/** Checks an informer of a server that breaks its connections, and can resume no watch. */
export async function relistsAfter(restart: () => Promise<void>, client: Client): Promise<void> {
  const view = configMaps.within({ namespaces: ['ns'] })
  const key = (name: string): { name: string; namespace: string } => ({ name, namespace: 'ns' })
  for (const name of ['a', 'b']) await client.create(view, { metadata: key(name) })
  const informer = new Informer({ client, view })
  try {
    informer.start()
    await informer.whenSynced()
    const log: string[] = []
    informer.addHandler({ update: (_, about) => log.push(`update ${about.key}`) })
    await restart()
    await vi.waitFor(() => client.patch(view, key('a'), { data: { x: 'y' } }), waiting)
    await vi.waitFor(() => expect(log).toEqual(['update ns/a']), waiting)
    await vi.waitFor(() => expect(informer.state).toBe('watching'), waiting)
    await client.deleteCollection(view)
    await vi.waitFor(() => expect(informer.size).toBe(0), waiting)
  } finally {
    await informer.close()
  }
}

/** The tests of an informer on any server. */
export function behavesAsAnInformer(make: (environment?: Partial<Environment>) => Promise<SocketCluster>): void {
  const view = configMaps.within({ namespaces: ['ns'], labels: { scenario: 'yes' } })
  const key = (name: string): { name: string; namespace: string } => ({ name, namespace: 'ns' })
  const object = (name: string): object => ({ metadata: { ...key(name), labels: { scenario: 'yes' } } })
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })

  it.each(['stream', 'whole', 'paged'] as const)('keeps a view as it is on the server (%s)', async initial => {
    const cluster = await make()
    const { client } = cluster
    for (const name of ['a', 'b', 'c']) await client.create(view, object(name))
    const informer = new Informer({ client, view, initial, pageSize: 2 })
    open.push(informer)
    const log: string[] = []
    informer.addHandler({
      add: (_, about) => log.push(`add ${about.key}`),
      update: (_, about) => log.push(`update ${about.key}`),
      delete: (_, about) => log.push(`delete ${about.key} ${about.finalStateUnknown}`),
    })
    informer.start()
    await informer.whenSynced()
    await vi.waitFor(() => expect(log).toHaveLength(3), waiting)
    expect(log.sort()).toEqual(['add ns/a', 'add ns/b', 'add ns/c'])
    await client.patch(view, key('a'), { data: { x: 'y' } })
    await client.delete(view, key('b'))
    await client.patch(view, key('c'), { metadata: { labels: { scenario: 'no' } } })
    await client.create(view, object('d'))
    await vi.waitFor(() => expect(log).toHaveLength(7), waiting)
    expect(log.slice(3)).toEqual(['update ns/a', 'delete ns/b false', 'delete ns/c false', 'add ns/d'])
    expect(informer.get(key('a'))).toEqual(await client.get(view, key('a')))
    expect([...informer.keys()].sort()).toEqual(['ns/a', 'ns/d'])
    expect(informer.state).toBe('watching')
    await client.delete(configMaps, key('c'))
    await client.deleteCollection(view)
    await vi.waitFor(() => expect(informer.size).toBe(0), waiting)
  })

  it('D7, R36: says that there is no such resource', async () => {
    const { client } = await make()
    const informer = new Informer({ client, view: things })
    open.push(informer)
    informer.start()
    await expect(informer.whenSynced()).rejects.toSatisfy(isResourceNotFound)
    await vi.waitFor(() => expect(informer.state).toBe('missing'), waiting)
  })

  it('D7, R36: a wait that begins once there is a definition gets the state before the next try is due', async () => {
    // The next try by itself would come after 30 s, and never comes: only a wait makes one.
    const { client } = await make({ clock: shortTimers(10_000) })
    const informer = new Informer({ client, view: things })
    open.push(informer)
    informer.start()
    await vi.waitFor(() => expect(informer.state).toBe('missing'), waiting)
    await client.create(definitions, definition)
    try {
      await vi.waitFor(() => informer.whenSynced(), waiting)
    } finally {
      await informer.close()
      await client.delete(definitions, { name: 'things.x.io' })
      // Other tests go on without it.
      await vi.waitFor(
        async () => expect(await client.get(definitions, { name: 'things.x.io' })).toBeUndefined(),
        waiting,
      )
    }
  })

  it('R36: says that a selector is none that the server takes', async () => {
    const { client } = await make()
    const informer = new Informer({ client, view: view.within({ fields: { 'spec.nope': 'x' } }) })
    open.push(informer)
    informer.start()
    await expect(informer.whenSynced()).rejects.toMatchObject({ status: 400 })
  })

  it('X11, R30: one object of great depth keeps nothing else from an exact view', async () => {
    const { client } = await make()
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    await define(client, things, { spec: { free }, status: {} })
    const informer = new Informer({ client, view: things.exact(), initial: 'whole' })
    open.push(informer)
    try {
      const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`) as object
      const thing = (name: string, spec: object): object => ({ metadata: { name, namespace: 'ns' }, spec })
      await vi.waitFor(() => client.create(things, thing('plain', { free: { big: 9007199254740993n } })), waiting)
      await client.create(things, thing('deep', { free: { deep } }))
      await client.patch(things, key('deep'), { spec: { free: { big: 9007199254740993n } } })
      informer.start()
      await informer.whenSynced()
      expect(informer.get('ns/plain')).toMatchObject({ spec: { free: { big: 9007199254740993n } } })
      expect(informer.get('ns/deep')).toHaveProperty('spec.free.big', 9007199254740993n)
      expect([...informer.keys()].sort()).toEqual(['ns/deep', 'ns/plain'])
      await client.create(things, thing('deeper', { free: { deep, long: 1234567890123456 } }))
      await vi.waitFor(() => expect(informer.size).toBe(3), waiting)
    } finally {
      await informer.close()
      await client.delete(definitions, { name: 'things.x.io' })
      await vi.waitFor(
        async () => expect(await client.get(definitions, { name: 'things.x.io' })).toBeUndefined(),
        waiting,
      )
    }
  })
}
