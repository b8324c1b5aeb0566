import { afterEach, describe, expect, it } from 'vitest'
import {
  isAlreadyExists,
  isApplyConflict,
  isConflict,
  isInvalid,
  isNotFound,
  isResourceNotFound,
} from '../errors/guards.ts'
import { deployments } from '../resources/apps.ts'
import { type ConfigMap, configMaps, namespaces, pods, secrets } from '../resources/core.ts'
import type { KubernetesObject } from '../views/object.ts'
import { defineResource } from '../views/resource.ts'
import { type Bench, inMemory, overSockets } from './bench.fixture.ts'

let bench: Bench | undefined
afterEach(async () => {
  await bench?.close()
  bench = undefined
})

const key = { name: 'a', namespace: 'default' }
const cm = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  metadata: { name, namespace: 'default', labels },
  data,
})

describe.each([
  ['in memory', inMemory],
  ['over sockets', overSockets],
] as const)('verbs, %s', (_, start) => {
  const tried = async (test: (bench: Bench) => Promise<void>): Promise<void> => {
    bench = await start()
    const { run } = bench
    await run(() => test(bench as Bench))
  }

  it('X3: a create of a Secret that is refused names the Secret, and says why, in words of its own', () =>
    tried(async ({ client }) => {
      const secret = (namespace: string) => ({ metadata: { name: 'token', namespace }, stringData: { a: 'b' } })
      await client.create(secrets, secret('default'))
      const message = async (namespace: string): Promise<string> =>
        await client.create(secrets, secret(namespace)).then(() => 'created', String)
      expect(await message('default')).toContain(': 409 AlreadyExists: secrets "token" already exists')
      expect(await message('nowhere')).toContain(': 404 NotFound: namespaces "nowhere" not found')
    }))

  it('create and get give the object as the view has it, and a miss is undefined', () =>
    tried(async ({ client, server }) => {
      expect(await client.get(configMaps, key)).toBeUndefined()
      const created = await client.create(configMaps, cm('a', { k: 'v' }, { app: 'web' }))
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } })
      expect(await client.get(configMaps, key)).toEqual(created)
      expect(await client.get(configMaps.metadata(), key)).toEqual({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: created.metadata,
      })
      expect(await client.get(configMaps.within({ labels: { app: 'web' } }), key)).toEqual(created)
      expect(await client.get(configMaps.within({ labels: { app: 'api' } }), key)).toBeUndefined()
      expect(await client.get(configMaps.within({ fields: { 'metadata.name': 'b' } }), key)).toBeUndefined()
      const sizes = configMaps.project('size', object => Object.keys(object.data ?? {}).length)
      expect(await client.get(sizes, key)).toBe(1)
      await client.create(namespaces, { metadata: { name: 'other' } })
      expect(await client.get(namespaces, { name: 'other' })).toMatchObject({ metadata: { name: 'other' } })
      await server.fill([
        { ...created, metadata: { ...created.metadata, name: 'm', managedFields: [{ manager: 'x' }] } },
      ])
      const managed = { name: 'm', namespace: 'default' }
      expect((await client.get(configMaps, managed))?.metadata).not.toHaveProperty('managedFields')
      expect((await client.get(configMaps.metadata(), managed))?.metadata).not.toHaveProperty('managedFields')
      expect((await client.get(configMaps.full(), managed))?.metadata).toHaveProperty('managedFields')
    }))

  it('get asks by a list where a field is the server’s to compare', () =>
    tried(async ({ client }) => {
      const object = {
        metadata: { name: 'a', namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }
      await client.create(pods, object)
      const at = (phase: string) => client.get(pods.within({ fields: { 'status.phase': phase } }), key)
      expect(await at('Pending')).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: key })
      expect(await at('Running')).toBeUndefined()
    }))

  it('a resource that the server does not have is an error, not a miss', () =>
    tried(async ({ client }) => {
      const games = defineResource<object>({
        group: 'x.io',
        version: 'v1',
        kind: 'Game',
        plural: 'games',
        namespaced: true,
      })
      const error = await client.get(games, key).catch((error: unknown) => error)
      expect(isResourceNotFound(error) && isNotFound(error)).toBe(true)
      await expect(client.delete(games, key)).rejects.toSatisfy(isResourceNotFound)
      await expect(client.list(games)).rejects.toSatisfy(isResourceNotFound)
    }))

  it('create says AlreadyExists, and update says Conflict for an old resourceVersion', () =>
    tried(async ({ client }) => {
      const first = await client.create(configMaps, cm('a'))
      await expect(client.create(configMaps, cm('a'))).rejects.toSatisfy(isAlreadyExists)
      const second = await client.update(configMaps, { ...first, data: { k: 'v' } })
      expect(second.data).toEqual({ k: 'v' })
      const error = await client.update(configMaps, first).catch((error: unknown) => error)
      expect(isConflict(error)).toBe(true)
      expect(error).toMatchObject({
        status: 409,
        reason: 'Conflict',
        method: 'PUT',
        path: '/api/v1/namespaces/default/configmaps/a',
        resource: 'v1/configmaps',
        key: 'default/a',
        details: { name: 'a', kind: 'configmaps' },
      })
    }))

  it('patches by merge and by JSON patch, and a failed test is Invalid', () =>
    tried(async ({ client }) => {
      await client.create(configMaps, cm('a', { one: '1', two: '2' }))
      const merged = await client.patch(configMaps, key, { data: { one: null, three: '3' } })
      expect(merged.data).toEqual({ two: '2', three: '3' })
      const patched = await client.patch(configMaps, key, [{ op: 'replace', path: '/data/two', value: 'II' }])
      expect(patched.data).toEqual({ two: 'II', three: '3' })
      const test = { op: 'test', path: '/data/two', value: 'no' } as const
      await expect(client.patch(configMaps, key, [test])).rejects.toSatisfy(isInvalid)
      const meta = await client.patch(configMaps.metadata(), key, { metadata: { labels: { l: 'x' } } })
      expect(meta).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { l: 'x' } } })
      expect(meta).not.toHaveProperty('data')
    }))

  it('deletes with preconditions, gives the uid of the deleted object, and a miss is undefined', () =>
    tried(async ({ client }) => {
      const created = await client.create(configMaps, cm('a'))
      const uid = created.metadata?.uid as string
      const wrong = { preconditions: { uid: 'another' } }
      await expect(client.delete(configMaps, key, wrong)).rejects.toSatisfy(isConflict)
      const dry = await client.delete(configMaps, key, { dryRun: true })
      expect(dry?.uid).toBe(uid)
      expect(await client.get(configMaps, key)).toBeDefined()
      const right = { preconditions: { uid }, propagationPolicy: 'Background', gracePeriodSeconds: 0 } as const
      expect(await client.delete(configMaps, key, right)).toEqual({ uid, object: undefined })
      expect(await client.get(configMaps, key)).toBeUndefined()
      expect(await client.delete(configMaps, key)).toBeUndefined()
    }))

  it('delete gives the object that waits for its finalizers', () =>
    tried(async ({ client }) => {
      const held = { metadata: { ...key, finalizers: ['x.io/hold'] } }
      await client.create(configMaps, held)
      const deleted = await client.delete(configMaps, key)
      expect(deleted?.object?.metadata?.deletionTimestamp).toBeTypeOf('string')
      await client.patch(configMaps, key, { metadata: { finalizers: null } })
      expect(await client.get(configMaps, key)).toBeUndefined()
    }))

  it('deletes a collection by its selectors, and gives what it deleted', () =>
    tried(async ({ client }) => {
      await client.create(configMaps, cm('a', {}, { app: 'web' }))
      await client.create(configMaps, cm('b', {}, { app: 'web' }))
      await client.create(configMaps, cm('c', {}, { app: 'api' }))
      const web = configMaps.within({ namespaces: ['default'], labels: { app: 'web' } })
      const deleted = await client.deleteCollection(web)
      expect(deleted.map(({ kind, metadata }) => [kind, metadata?.name])).toEqual([
        ['ConfigMap', 'a'],
        ['ConfigMap', 'b'],
      ])
      const left = await client.list(configMaps.within({ namespaces: ['default'] }))
      expect(left.items.map(({ metadata }) => metadata?.name)).toEqual(['c'])
      await expect(client.deleteCollection(configMaps)).rejects.toThrow(RangeError)
    }))

  it('deletes a collection page by page, what waits for its finalizers too, and gives the metadata of a view of metadata', () =>
    tried(async ({ client }) => {
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const name of names) {
        const { metadata } = cm(name)
        await client.create(configMaps, {
          metadata: { ...metadata, ...(name === 'b' && { finalizers: ['x.io/hold'] }) },
        })
      }
      const all = configMaps.within({ namespaces: ['default'] })
      const dry = await client.deleteCollection(all.metadata(), { limit: 2, dryRun: true })
      expect(dry.map(({ metadata, ...rest }) => [metadata.name, Object.keys(rest).sort()])).toEqual(
        names.map(name => [name, ['apiVersion', 'kind']]),
      )
      const deleted = await client.deleteCollection(all, { limit: 2 })
      expect(deleted.map(({ metadata }) => metadata.name)).toEqual(names)
      expect((await client.list(all)).items.map(({ metadata }) => metadata?.name)).toEqual(['b'])
      await client.patch(configMaps, { namespace: 'default', name: 'b' }, { metadata: { finalizers: null } })
      await expect(client.deleteCollection(all, { limit: 0 })).rejects.toThrow(RangeError)
    }))

  it('lists whole, by page, by all pages and item by item, over one or several namespaces', () =>
    tried(async ({ client, server }) => {
      const objects = ['n1', 'n2', 'n3'].flatMap(namespace =>
        Array.from({ length: 7 }, (_, i) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `c${i}`, namespace },
        })),
      )
      await server.fill(objects)
      const names = (items: readonly KubernetesObject[]): string[] =>
        items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)
      const all = objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)

      const whole = await client.list(configMaps)
      expect(names(whole.items)).toEqual(all)
      expect(whole.resourceVersion).toBe(`${await server.revision()}`)
      expect(whole.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })

      const first = await client.list(configMaps, { limit: 15 })
      expect([first.items.length, first.remainingItemCount]).toEqual([15, 6])
      const second = await client.list(configMaps, { limit: 15, continue: first.continue })
      expect(names([...first.items, ...second.items])).toEqual(all)
      expect(second.continue).toBeUndefined()

      const pages: string[][] = []
      for await (const page of client.pages(configMaps, { limit: 4 })) pages.push(names(page.items))
      expect(pages.map(page => page.length)).toEqual([4, 4, 4, 4, 4, 1])
      expect(pages.flat()).toEqual(all)

      const two = configMaps.within({ namespaces: ['n3', 'n1'] })
      const both = await client.list(two)
      expect(names(both.items)).toEqual(all.filter(name => !name.startsWith('n2')))
      expect(both.resourceVersion).toBeUndefined()
      await expect(client.list(two, { limit: 3 })).rejects.toThrow(RangeError)

      const seen: string[] = []
      const end = await client.listEach(configMaps.metadata(), object => seen.push(...names([object])))
      expect(seen).toEqual(all)
      expect(end.resourceVersion).toBe(whole.resourceVersion)
      await expect(
        client.listEach(configMaps, () => {
          throw new Error('enough')
        }),
      ).rejects.toThrow('enough')
    }))

  it('pages that lose their token go on with the whole of a newer state', () =>
    tried(async ({ client, server }) => {
      const object = (i: number) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${i}`, namespace: 'n' },
      })
      await server.fill(Array.from({ length: 5 }, (_, i) => object(i)))
      const seen: [number, boolean][] = []
      for await (const { items, restarted } of client.pages(configMaps, { limit: 2 })) {
        seen.push([items.length, restarted])
        if (seen.length === 1) {
          await server.fill([object(9)])
          await server.compact()
        }
      }
      expect(seen).toEqual([
        [2, false],
        [6, true],
      ])
    }))

  it('watches as an iterable: all there is, a bookmark, then changes', () =>
    tried(async ({ client }) => {
      await client.create(configMaps, cm('a'))
      const seen: string[] = []
      let creating: Promise<unknown> | undefined
      for await (const event of client.watch(configMaps.within({ namespaces: ['default'] }))) {
        if (event.type === 'BOOKMARK') {
          seen.push(`BOOKMARK ${event.initialEventsEnd}`)
          if (event.initialEventsEnd) creating = client.create(configMaps, cm('b'))
        } else {
          seen.push(`${event.type} ${event.object.metadata?.name}`)
          if (event.object.metadata?.name === 'b') break
        }
      }
      await creating
      expect(seen).toEqual(['ADDED a', 'BOOKMARK true', 'ADDED b'])
    }))

  it('watches by callbacks from a list’s resourceVersion, until it is aborted', () =>
    tried(async ({ client }) => {
      const { resourceVersion } = await client.list(configMaps)
      const seen: string[] = []
      await new Promise<void>((resolve, reject) => {
        const watch = client.watchEach(
          configMaps.metadata(),
          {
            opened: () => void client.create(configMaps, cm('b')).catch(reject),
            event(type, object) {
              seen.push(`${type} ${object.kind} ${object.metadata.name}`)
              if (type === 'ADDED') void client.delete(configMaps, { name: 'b', namespace: 'default' }).catch(reject)
              else {
                watch.abort()
                resolve()
              }
            },
            end: why => reject(new Error(why.how)),
          },
          { resourceVersion },
        )
      })
      expect(seen).toEqual(['ADDED ConfigMap b', 'DELETED ConfigMap b'])
    }))

  it('reads and writes the status and the scale', () =>
    tried(async ({ client }) => {
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const created = await client.create(deployments, {
        metadata: key,
        spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template },
      })
      const updated = await client.status.update(deployments, { ...created, status: { readyReplicas: 1, replicas: 2 } })
      expect(updated.status).toMatchObject({ readyReplicas: 1 })
      const patched = await client.status.patch(deployments, key, { status: { readyReplicas: 2 } })
      expect(patched.status).toMatchObject({ readyReplicas: 2, replicas: 2 })

      const scale = await client.scale.get(deployments, key)
      expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } })
      const scaled = await client.scale.update(deployments, key, { ...scale, spec: { replicas: 3 } })
      expect(scaled.spec).toEqual({ replicas: 3 })
      expect((await client.scale.patch(deployments, key, { spec: { replicas: 1 } })).spec?.replicas).toBe(1)
      expect((await client.get(deployments, key))?.spec?.replicas).toBe(1)
      expect(await client.scale.get(deployments, { name: 'none', namespace: 'default' })).toBeUndefined()
    }))

  it('apply takes fields over only by force, and gives up those that it does not name', () =>
    tried(async ({ client }) => {
      await client.create(configMaps, cm('a', { a: '1' }))
      const apply = (data: Record<string, string>, force = false): Promise<ConfigMap> =>
        client.apply(configMaps, { metadata: key, data }, { fieldManager: 'other', force })
      expect((await apply({ b: '2' })).data).toEqual({ a: '1', b: '2' })
      const conflict = await apply({ a: '3' }).catch((error: unknown) => error)
      expect(isApplyConflict(conflict) && conflict.causes[0]?.field).toBe('.data.a')
      expect((await apply({ a: '3' }, true)).data).toEqual({ a: '3' })
      const absent = { name: 'new', namespace: 'default' }
      await client.apply(configMaps, { metadata: absent, data: { c: '4' } })
      expect((await client.get(configMaps, absent))?.data).toEqual({ c: '4' })
    }))

  it('patches by strategic merge, and applies a status', () =>
    tried(async ({ client }) => {
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template }
      await client.create(deployments, { metadata: key, spec })
      const added = { spec: { template: { spec: { containers: [{ name: 'd', image: 'i' }] } } } }
      const merged = await client.patch(deployments, key, added, { type: 'strategic' })
      expect(merged.spec?.template?.spec?.containers.map(({ name }) => name)).toEqual(['d', 'c'])
      const applied = await client.status.apply(
        deployments,
        { metadata: key, status: { replicas: 3 } },
        { force: true },
      )
      expect(applied).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 } })
    }))

  it('evicts a pod, but not in a dry run', () =>
    tried(async ({ client }) => {
      await client.create(pods, { metadata: key, spec: { containers: [{ name: 'c', image: 'i' }] } })
      await client.evict(pods, key, { gracePeriodSeconds: 0, dryRun: true })
      expect(await client.get(pods, key)).toBeDefined()
      await client.evict(pods, key, { gracePeriodSeconds: 0 })
      expect(await client.get(pods, key)).toBeUndefined()
      await expect(client.evict(pods, key)).rejects.toSatisfy(isNotFound)
    }))

  it('a dry run stores nothing', () =>
    tried(async ({ client }) => {
      const dry = await client.create(configMaps, cm('a'), { dryRun: true })
      expect(dry.metadata?.uid).toBeTypeOf('string')
      expect(await client.get(configMaps, key)).toBeUndefined()
    }))

  it('discovers plural, scope, verbs and short names, and notices a new definition', () =>
    tried(async ({ client }) => {
      expect(await client.discover({ group: 'apps', kind: 'Deployment' })).toMatchObject({
        version: 'v1',
        plural: 'deployments',
        namespaced: true,
        shortNames: ['deploy'],
        verbs: expect.arrayContaining(['list', 'watch']),
        subresources: expect.arrayContaining(['status', 'scale']),
      })
      expect(await client.discover({ group: '', plural: 'ns' })).toMatchObject({ kind: 'Namespace', namespaced: false })
      const games = { group: 'x.io', kind: 'Game' }
      expect(await client.discover(games)).toBeUndefined()
      const definitions = defineResource<object>({
        group: 'apiextensions.k8s.io',
        version: 'v1',
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
        namespaced: false,
      })
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      const definition = {
        metadata: { name: 'games.x.io' },
        spec: {
          group: 'x.io',
          scope: 'Namespaced',
          names: { kind: 'Game', listKind: 'GameList', plural: 'games', singular: 'game' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }
      await client.create(definitions, definition)
      await expect
        .poll(() => client.discover(games))
        .toMatchObject({ group: 'x.io', version: 'v1', kind: 'Game', plural: 'games', namespaced: true })
    }))
})
