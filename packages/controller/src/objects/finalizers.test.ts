import { type ConfigMap, configMaps, type Namespace, namespaces } from '@wherry/client/resources/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../testkit.fixture.ts'
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts'

let cluster: Cluster

beforeEach(async () => {
  cluster = await startCluster()
})

afterEach(() => cluster.close())

const mine = 'example.com/mine'
const key = { name: 'a', namespace: 'default' }

it('C9: adds and removes a finalizer, and asks nothing where there is nothing to do', () =>
  cluster.simulation.run(async () => {
    const { client, server } = cluster
    const object = await client.create(configMaps, { metadata: key })
    const added = await addFinalizer(client, configMaps, object, mine)
    expect(added?.metadata?.finalizers).toEqual([mine])
    expect([hasFinalizer(object, mine), hasFinalizer(added as ConfigMap, mine)]).toEqual([false, true])
    await server.resetStats()
    expect(await addFinalizer(client, configMaps, added as ConfigMap, mine)).toBe(added)
    expect(await removeFinalizer(client, configMaps, object, mine)).toBe(object)
    expect((await server.stats()).total.requests).toBe(0)
    const two = await addFinalizer(client, configMaps, added as ConfigMap, 'example.com/two')
    expect(two?.metadata?.finalizers).toEqual([mine, 'example.com/two'])
    const one = await removeFinalizer(client, configMaps, two as ConfigMap, mine)
    expect(one?.metadata?.finalizers).toEqual(['example.com/two'])
    await client.delete(configMaps, key)
    await removeFinalizer(client, configMaps, one as ConfigMap, 'example.com/two')
    expect(await client.get(configMaps, key)).toBeUndefined()
    expect(await removeFinalizer(client, configMaps, one as ConfigMap, 'example.com/two')).toBeUndefined()
  }))

it('C9: where others changed the finalizers meanwhile, theirs stay: it reads again and tries again', () =>
  cluster.simulation.run(async () => {
    const { client } = cluster
    const stale = await client.create(configMaps, { metadata: key })
    const added = await Promise.all(
      ['b', 'c', 'd', 'e'].map(name => addFinalizer(client, configMaps, stale, `x.io/${name}`)),
    )
    expect(added).toHaveLength(4)
    const now = await client.get(configMaps, key)
    expect(now?.metadata?.finalizers?.toSorted()).toEqual(['x.io/b', 'x.io/c', 'x.io/d', 'x.io/e'])
    await Promise.all(['b', 'd'].map(name => removeFinalizer(client, configMaps, now as ConfigMap, `x.io/${name}`)))
    expect((await client.get(configMaps, key))?.metadata?.finalizers?.toSorted()).toEqual(['x.io/c', 'x.io/e'])
  }))

it('C9: of an object that has left the selection of the view is added and removed all the same', () =>
  cluster.simulation.run(async () => {
    const { client } = cluster
    const theirs = 'x.io/theirs'
    for (const view of [configMaps, configMaps.full(), configMaps.exact(), configMaps.metadata()]) {
      const web = view.within({ labels: { app: 'web' } }) as typeof configMaps
      const made = await client.create(configMaps, { metadata: { ...key, labels: { app: 'web' }, finalizers: [mine] } })
      await client.patch(configMaps, key, { metadata: { labels: { app: null }, finalizers: [mine, theirs] } })
      const added = await addFinalizer(client, web, made, 'x.io/late')
      expect(added?.metadata?.finalizers).toEqual([mine, theirs, 'x.io/late'])
      const removed = await removeFinalizer(client, web, made, mine)
      expect(removed?.metadata?.finalizers).toEqual([theirs, 'x.io/late'])
      await client.patch(configMaps, key, { metadata: { finalizers: null } })
      await client.delete(configMaps, key)
    }
  }))

it('C9: leaves another object of the same name alone, and takes no for an answer', () =>
  cluster.simulation.run(async () => {
    const { client, server } = cluster
    const old = await client.create(configMaps, { metadata: key })
    await client.delete(configMaps, key)
    const gone = { code: 'BEING_DELETED', message: `the finalizer ${mine} can't be added: the object is gone` }
    await expect(addFinalizer(client, configMaps, old, mine)).rejects.toMatchObject(gone)
    const other = await client.create(configMaps, { metadata: key })
    await expect(addFinalizer(client, configMaps, old, mine)).rejects.toMatchObject(gone)
    expect((await client.get(configMaps, key))?.metadata?.finalizers).toBeUndefined()
    const held = await addFinalizer(client, configMaps, other, mine)
    await client.delete(configMaps, key)
    const dying = await client.get(configMaps, key)
    await expect(addFinalizer(client, configMaps, dying as ConfigMap, 'x.io/late')).rejects.toMatchObject({
      code: 'BEING_DELETED',
    })
    await server.faults.add({ match: { verb: 'patch' }, effect: { kind: 'status', code: 409, reason: 'Conflict' } })
    await expect(removeFinalizer(client, configMaps, held as ConfigMap, mine)).rejects.toMatchObject({
      status: 409,
    })
    await server.faults.clear()
    await server.faults.add({ match: { verb: 'patch' }, effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    await expect(removeFinalizer(client, configMaps, held as ConfigMap, mine)).rejects.toMatchObject({ status: 403 })
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    await expect(
      removeFinalizer(client, configMaps, held as ConfigMap, mine, { signal: controller.signal }),
    ).rejects.toThrow('enough')
  }))

it('C9: works on objects of no namespace', () =>
  cluster.simulation.run(async () => {
    const { client } = cluster
    const object = await client.create(namespaces, { metadata: { name: 'n' } })
    const added = await addFinalizer(client, namespaces, object, mine)
    expect(added?.metadata?.finalizers).toEqual([mine])
    expect((await removeFinalizer(client, namespaces, added as Namespace, mine))?.metadata?.finalizers).toBeUndefined()
  }))

it('X6: names a wrong argument', async () => {
  const { client } = cluster
  const object = { metadata: { ...key, uid: 'u' } }
  for (const wrong of [{}, { metadata: {} }, { metadata: key }, undefined, null]) {
    await expect(async () => addFinalizer(client, configMaps, wrong as ConfigMap, mine)).rejects.toMatchObject({
      option: 'object',
    })
  }
  const sizes = configMaps.project('sizes', ({ metadata }) => ({ metadata }))
  await expect(async () => addFinalizer(client, sizes, object as never, mine)).rejects.toMatchObject({ option: 'view' })
})

it("C9, D7: a 404 that does not name the object, such as a load balancer's page, is an error, and no sign that it has gone", () =>
  cluster.simulation.run(async () => {
    const { client, server } = cluster
    const object = await client.create(configMaps, { metadata: { ...key, finalizers: [mine] } })
    for (const plain of [true, false]) {
      await server.faults.add({
        match: { verb: 'patch' },
        times: 2,
        effect: { kind: 'status', code: 404, plain, ...(!plain && { reason: 'NotFound' }) },
      })
      const changes = [
        removeFinalizer(client, configMaps, object, mine),
        addFinalizer(client, configMaps, object, 'x.io/b'),
      ]
      for (const change of changes) await expect(change).rejects.toMatchObject({ status: 404 })
    }
    expect((await client.get(configMaps, key))?.metadata?.finalizers).toEqual([mine])
  }))
