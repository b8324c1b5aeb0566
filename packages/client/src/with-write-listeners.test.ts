import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from './client.ts'
import { deployments } from './resources/apps.ts'
import { type ConfigMap, configMaps, pods } from './resources/core.ts'
import { inMemory } from './verbs/bench.fixture.ts'
import type { WriteListener } from './verbs/write-listeners.ts'
import type { KubernetesObject } from './views/object.ts'

let cluster: Awaited<ReturnType<typeof inMemory>>
let client: Client
let own: Client
let reported: string[]

beforeEach(async () => {
  cluster = await inMemory()
  client = cluster.client
  reported = []
  own = client.withWriteListeners(receiving('cache'))
})

afterEach(() => cluster.close())

const at = (name: string) => ({ name, namespace: 'default' })
const legacy: ConfigMap = { metadata: at('legacy') }

function receiving(name: string): WriteListener {
  return {
    wrote: ({ resource }, answer) => {
      const { metadata } = answer as KubernetesObject
      reported.push(`${name}: ${resource.plural} ${metadata?.name} written`)
    },
    deleted: ({ resource }, key, uid) => reported.push(`${name}: ${resource.plural} ${key.name} gone ${uid}`),
    unanswered: (_, key) => reported.push(`${name}: ${key} unanswered`),
  }
}

describe('a client that notifies a cache', () => {
  it('N9, C10: reports each write, by whichever verb', () =>
    cluster.run(async () => {
      const deployment = await own.create(deployments, {
        metadata: at('web'),
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        },
      })
      await own.update(deployments, { ...deployment, metadata: { ...deployment.metadata, labels: { a: 'b' } } })
      await own.patch(deployments, at('web'), { metadata: { labels: { a: 'c' } } })
      await own.apply(deployments, { metadata: { ...at('web'), labels: { b: 'd' } } })
      await own.status.patch(deployments, at('web'), { status: { replicas: 1 } })
      await own.scale.patch(deployments, at('web'), { spec: { replicas: 2 } })
      const { client: guarded } = own.guardedBy(() => {})
      await guarded.patch(
        deployments.project('name', ({ metadata }) => metadata?.name),
        at('web'),
        { metadata: {} },
      )
      expect(reported.splice(0)).toEqual(Array.from({ length: 7 }, () => 'cache: deployments web written'))
      await own.delete(deployments, at('web'))
      expect(reported).toEqual([`cache: deployments web gone ${deployment.metadata.uid}`])
    }))

  it('N9, C10: reports what became of pods that were evicted, and of collections', () =>
    cluster.run(async () => {
      const spec = { containers: [{ name: 'a', image: 'a' }], terminationGracePeriodSeconds: 0 }
      const finalizers = ['example.com/x']
      const pod = await client.create(pods, { metadata: at('a'), spec })
      await client.create(pods, { metadata: { ...at('b'), finalizers }, spec })
      await own.evict(pods, at('a'), { preconditions: { uid: pod.metadata.uid } })
      await own.evict(pods, at('b'))
      expect(reported.splice(0)).toEqual([`cache: pods a gone ${pod.metadata.uid}`, 'cache: pods b written'])
      const { metadata } = await client.create(configMaps, { metadata: { ...at('c'), labels: { of: 'us' } } })
      await client.create(configMaps, { metadata: { ...at('d'), finalizers, labels: { of: 'us' } } })
      const ours = configMaps.within({ namespaces: ['default'], labels: { of: 'us' } })
      const names = await own.deleteCollection(ours.project('name', object => object.metadata?.name))
      expect(names).toEqual(['c', 'd'])
      expect(reported).toEqual([`cache: configmaps c gone ${metadata.uid}`, 'cache: configmaps d written'])
    }))

  it('N9: reports no dry run, and nothing that was refused', () =>
    cluster.run(async () => {
      const dryRun = { dryRun: true } as const
      await own.create(configMaps, legacy, dryRun)
      await expect(own.patch(configMaps, at('legacy'), {})).rejects.toThrow('not found')
      await client.create(configMaps, legacy)
      await own.patch(configMaps, at('legacy'), { data: { a: 'b' } }, dryRun)
      await own.delete(configMaps, at('legacy'), dryRun)
      await own.deleteCollection(configMaps.within({ namespaces: ['default'] }), dryRun)
      await expect(own.create(configMaps, legacy)).rejects.toThrow('already exists')
      expect(reported).toEqual([])
    }))

  it('A8: reports which write got no answer', () =>
    cluster.run(async () => {
      await client.create(configMaps, legacy)
      const signal = AbortSignal.abort(new Error('too late'))
      await expect(own.patch(configMaps, at('legacy'), { data: {} }, { signal })).rejects.toThrow('too late')
      await expect(own.delete(configMaps, at('legacy'), { signal })).rejects.toThrow('too late')
      await expect(own.evict(pods, at('chess'), { signal })).rejects.toThrow('too late')
      await expect(own.create(configMaps, { metadata: {} })).rejects.toThrow('metadata.name')
      expect(reported).toEqual([
        ...['cache: default/legacy unanswered', 'cache: default/legacy unanswered'],
        'cache: default/chess unanswered',
      ])
    }))

  it('C10: says of a delete which objects had the name before it, also where one listener can not say it', () =>
    cluster.run(async () => {
      const failing: WriteListener = {
        ...receiving('failing'),
        uids: () => {
          throw new Error('not now')
        },
      }
      const reads: WriteListener = { ...receiving('reads'), uids: () => ['one', 'two'] }
      await own.withWriteListeners(failing, reads).delete(configMaps, at('none'))
      expect(reported.sort()).toEqual([
        'cache: configmaps none gone undefined',
        'failing: configmaps none gone one',
        'failing: configmaps none gone two',
        'reads: configmaps none gone one',
        'reads: configmaps none gone two',
      ])
    }))

  it('X6: refuses a value that is no listener, and is closed with the other client', () =>
    cluster.run(async () => {
      for (const none of [undefined, {}, { wrote() {} }, { deleted() {} }]) {
        expect(() => client.withWriteListeners(none as never)).toThrow(
          expect.objectContaining({ option: 'withWriteListeners' }),
        )
      }
      const waiting = own.list(configMaps)
      await own.close()
      await expect(waiting).rejects.toThrow('closed')
      await expect(client.list(configMaps)).rejects.toThrow('closed')
    }))
})
