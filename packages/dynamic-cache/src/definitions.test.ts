import { defineResource, isResourceNotFound, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { describe, expect, it } from 'vitest'
import { type Kit, withCache } from './testkit/kit.ts'

interface Game extends KubernetesObject {
  spec?: { lives?: number }
}
const games = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const olderGames = defineResource<Game>({ ...games.resource, version: 'v1beta1', namespaced: true })
const definition = { name: 'games.arcade.example.com' }

const version = (name: string, served = true, storage = false): object => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
})

async function define({ run, writer, simulation }: Kit, versions = [version('v1', true, true)]): Promise<void> {
  await run(() =>
    writer.create(customResourceDefinitions, {
      metadata: definition,
      spec: {
        group: 'arcade.example.com',
        scope: 'Namespaced',
        names: { plural: 'games', kind: 'Game' },
        versions,
      } as never,
    }),
  )
  await simulation.advance(5000)
}

async function undefine({ run, writer, simulation }: Kit): Promise<void> {
  await run(() => writer.delete(customResourceDefinitions, definition))
  await simulation.advance(5000)
}

const create = async ({ run, writer, simulation }: Kit, name: string): Promise<void> => {
  await run(() => writer.create(games, { metadata: { name, namespace: 'a' }, spec: { lives: 3 } }))
  await simulation.advance(500)
}

function listen(kit: Kit, view = games): string[] {
  const log: string[] = []
  kit.cache.informer(view).addHandler({
    add: (_, { key }) => log.push(`+${key}`),
    update: (_, __, { key }) => log.push(`~${key}`),
    delete: (_, { key, finalStateUnknown }) => log.push(`-${key}${finalStateUnknown ? ' ?' : ''}`),
  })
  return log
}

describe('a resource that is not defined', () => {
  it.each(['error', 'wait'] as const)('D7: is cached as soon as it is, without a call from anyone (%s)', whenUnknown =>
    withCache(
      async kit => {
        const { cache, run, watches, simulation } = kit
        const informer = cache.informer(games)
        const log = listen(kit)
        const waiting = informer.whenSynced().then(
          () => 'synced',
          error => (isResourceNotFound(error) ? 'unknown' : error),
        )
        await simulation.advance(60_000)
        expect(informer.state).toBe('missing')
        expect(await watches('customresourcedefinitions.apiextensions.k8s.io')).toBe(1)
        expect(await watches('apiservices.apiregistration.k8s.io')).toBe(1)
        await define(kit)
        expect(informer.state).toBe('watching')
        expect(await run(() => waiting)).toBe(whenUnknown === 'wait' ? 'synced' : 'unknown')
        await create(kit, 'one')
        expect(log).toEqual(['+a/one'])
        // nothing is waited for any more
        expect(await watches('customresourcedefinitions.apiextensions.k8s.io')).toBe(0)
        expect(await watches('apiservices.apiregistration.k8s.io')).toBe(0)
      },
      { whenUnknown },
    ),
  )

  it('D7: is not polled for', () =>
    withCache(async kit => {
      const { cache, run, server, simulation } = kit
      cache.informer(games)
      await simulation.advance(10_000)
      await run(() => server.resetStats())
      await simulation.advance(3_600_000)
      const { byVerb } = await run(() => server.stats())
      const asked = (verb: string): number => byVerb[verb]?.['games.arcade.example.com']?.requests ?? 0
      // the longest backoff, in case nobody says that it came
      expect(asked('watch') + asked('list')).toBeLessThan(2 * 120)
      const definitions = byVerb.watch?.['customresourcedefinitions.apiextensions.k8s.io']?.requests ?? 0
      expect(definitions).toBeLessThanOrEqual(13)
    }))

  it('D7: one watch waits for it, however many views do; removing them ends it', () =>
    withCache(async kit => {
      const { cache, run, watches, simulation } = kit
      cache.informer(games)
      cache.informer(games.within({ namespaces: ['a'] }))
      cache.informer(games.metadata())
      await simulation.advance(10_000)
      expect(await watches('customresourcedefinitions.apiextensions.k8s.io')).toBe(1)
      await run(() => Promise.all([cache.remove(games), cache.remove(games.metadata())]))
      expect(await watches('customresourcedefinitions.apiextensions.k8s.io')).toBe(1)
      await run(() => cache.remove(games.within({ namespaces: ['a'] })))
      expect(await watches('customresourcedefinitions.apiextensions.k8s.io')).toBe(0)
      expect(cache.report().watches).toBe(0)
    }))

  it('D8: deleted while it is watched: a delete for each object, and it resumes when it is defined again', () =>
    withCache(async kit => {
      const { cache, simulation } = kit
      await define(kit)
      await create(kit, 'one')
      await create(kit, 'two')
      const log = listen(kit)
      const informer = cache.informer(games)
      await simulation.runUntil(() => informer.hasSynced)
      await simulation.settle()
      expect(log).toEqual(['+a/one', '+a/two'])
      await undefine(kit)
      expect(
        log
          .slice(2)
          .map(line => line.replace(' ?', ''))
          .sort(),
      ).toEqual(['-a/one', '-a/two'])
      expect(informer.state).toBe('missing')
      expect(informer.size).toBe(0)
      await define(kit)
      await create(kit, 'three')
      expect(log.slice(4)).toEqual(['+a/three'])
      expect(informer.state).toBe('watching')
    }))

  it('D8: a version that is no longer served is gone, and back when it is served again', () =>
    withCache(async kit => {
      const { run, writer, simulation, cache } = kit
      await define(kit, [version('v1', true, true), version('v1beta1')])
      await create(kit, 'one')
      const log = listen(kit, olderGames)
      const informer = cache.informer(olderGames)
      await simulation.runUntil(() => informer.hasSynced)
      const serve = async (served: boolean): Promise<void> => {
        await run(() =>
          writer.patch(customResourceDefinitions, definition, {
            spec: { versions: [version('v1', true, true), version('v1beta1', served)] },
          }),
        )
        await simulation.advance(10_000)
      }
      await serve(false)
      expect(informer.state).toBe('missing')
      expect(log).toEqual(['+a/one', '-a/one ?'])
      await serve(true)
      expect(informer.state).toBe('watching')
      expect(log).toEqual(['+a/one', '-a/one ?', '+a/one'])
    }))
})
