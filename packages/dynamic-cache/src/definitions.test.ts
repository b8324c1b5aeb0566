import { defineResource, isResourceNotFound, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
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

const discard = async ({ run, writer, simulation }: Kit, name: string): Promise<void> => {
  await run(() => writer.delete(games, { namespace: 'a', name }))
  await simulation.advance(500)
}

function listen(kit: Kit, view = games): string[] {
  const log: string[] = []
  kit.cache.informer(view).addHandler({
    add: (_, { key }) => log.push(`+${key}`),
    update: (_, { key }) => log.push(`~${key}`),
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

  it.each([
    ['wait', 'over'],
    ['error', 'unknown'],
  ] as const)('D7: one that is to come later need not be waited for (%s)', (whenUnknown, expected) =>
    withCache(
      async kit => {
        const { cache, run, simulation } = kit
        const informer = cache.informer(games)
        const waiting = informer.whenSynced({ orAbsent: true }).then(
          () => 'over',
          error => (isResourceNotFound(error) ? 'unknown' : error),
        )
        expect(informer.isAbsent).toBe(false)
        await simulation.advance(5000)
        expect(await run(() => waiting)).toBe(expected)
        expect([informer.hasSynced, informer.isAbsent]).toEqual([false, whenUnknown === 'wait'])
        await define(kit)
        expect([informer.hasSynced, informer.isAbsent]).toEqual([true, false])
        await run(() => informer.whenSynced({ orAbsent: true }))
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

  it.each(['error', 'wait'] as const)(
    'D8: one that is gone is waited for as one that never was there (%s)',
    whenUnknown =>
      withCache(
        async kit => {
          const { cache, run } = kit
          const informer = cache.informer(games)
          await define(kit)
          await run(() => cache.synced())
          await undefine(kit)
          expect([informer.state, informer.hasSynced]).toEqual(['missing', false])
          expect(cache.report().informers[0]?.synced).toBe(false)
          const asked = [informer.whenSynced(), cache.synced(), cache.get(games, { namespace: 'a', name: 'one' })]
          const answers = asked.map(answer =>
            answer.then(
              () => 'synced',
              error => (isResourceNotFound(error) ? 'unknown' : error),
            ),
          )
          await kit.simulation.advance(5000)
          await define(kit)
          const expected = whenUnknown === 'wait' ? 'synced' : 'unknown'
          expect(await run(() => Promise.all(answers))).toEqual([expected, expected, expected])
          expect(informer.hasSynced).toBe(true)
        },
        { whenUnknown },
      ),
  )

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

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

/** Answers with a page, as a load balancer does that has lost its servers. */
const page = { kind: 'status', code: 404, plain: true, message: '<html>404</html>' } as const
const noSuchThing = { kind: 'status', code: 404, reason: 'NotFound' } as const
const forbidden = { match: { resource: definitions }, effect: { kind: 'status', code: 403 } } as const

describe('a 404 that is no proof', () => {
  const cases = [page, noSuchThing].flatMap(effect =>
    (['configmaps', 'games.arcade.example.com'] as const).map(resource => [resource, effect] as const),
  )

  it.each(cases)('D8: no object of %s is delivered as deleted, and all stay readable (%o)', (resource, effect) =>
    withCache(async kit => {
      const { cache, run, server, simulation, write } = kit
      const isOwn = resource === 'configmaps'
      const change = (line: string): Promise<void> =>
        isOwn ? write(line) : line.startsWith('+') ? create(kit, line.slice(3)) : discard(kit, line.slice(3))
      await define(kit)
      for (const line of ['+a/one', '+a/two']) await change(line)
      const view = (isOwn ? configMaps : games) as typeof games
      const log = listen(kit, view)
      const informer = cache.informer(view)
      await simulation.runUntil(() => informer.state === 'watching')
      // In the watch, and then for whatever is asked.
      await server.faults.add({
        match: { resource, verb: 'watch' },
        times: 1,
        effect: { ...noSuchThing, kind: 'error-event' },
      })
      const fault = await server.faults.add({ match: { resource }, effect })
      await run(() => server.endWatches(resource))
      await simulation.advance(120_000)
      expect(informer.state).toBe('waiting')
      expect(isResourceNotFound(informer.lastError)).toBe(true)
      expect(log).toEqual(['+a/one', '+a/two'])
      expect((await run(() => cache.get(view, { namespace: 'a', name: 'one' })))?.metadata?.name).toBe('one')
      expect(cache.report().toString()).toContain('waiting')
      await fault.remove()
      await change('-a/two')
      await change('+a/three')
      await simulation.advance(60_000)
      expect(informer.state).toBe('watching')
      expect(log.slice(2).map(line => line.replace(' ?', ''))).toEqual(['-a/two', '+a/three'])
    }),
  )

  it('D8: a load balancer that answers everything so deletes nothing', () =>
    withCache(async kit => {
      const { cache, run, server, simulation } = kit
      await define(kit)
      await create(kit, 'one')
      const log = listen(kit)
      const informer = cache.informer(games)
      await simulation.runUntil(() => informer.state === 'watching')
      const fault = await server.faults.add({ effect: page })
      await run(() => server.endWatches())
      await simulation.advance(120_000)
      await fault.remove()
      await simulation.runUntil(() => informer.state === 'watching')
      expect(log).toEqual(['+a/one'])
    }))

  it('D8: what asks for a proof is one read however many informers there are, and it is paced', () =>
    withCache(async kit => {
      const { cache, run, server, simulation } = kit
      await define(kit)
      const views = Array.from({ length: 20 }, (_, i) => games.within({ labels: { view: `v${i}` } }))
      for (const view of views) cache.informer(view)
      await simulation.runUntil(() => views.every(view => cache.informer(view).state === 'watching'))
      await server.faults.add({ match: { resource: 'games.arcade.example.com' }, effect: page })
      await run(() => server.resetStats())
      await run(() => server.endWatches())
      await simulation.advance(900)
      const asked = async (verb: string, resource: string): Promise<number> =>
        (await run(() => server.stats())).byVerb[verb]?.[resource]?.requests ?? 0
      expect(await asked('get', definitions)).toBe(1)
      await simulation.advance(600_000)
      const looks = await asked('watch', 'games.arcade.example.com')
      expect(looks).toBeLessThan(20 * 30)
      expect(await asked('get', definitions)).toBeLessThan(looks)
    }))

  it('D8: without the right to read definitions, the list of served resources is the proof', () =>
    withCache(async kit => {
      const { cache, server, simulation } = kit
      await define(kit)
      await create(kit, 'one')
      await server.faults.add({ ...forbidden, match: { ...forbidden.match, verb: 'get' } })
      const log = listen(kit)
      const informer = cache.informer(games)
      await simulation.runUntil(() => informer.state === 'watching')
      const stray = await server.faults.add({ match: { resource: 'games.arcade.example.com' }, effect: page })
      await server.endWatches()
      await simulation.advance(60_000)
      expect([informer.state, log]).toEqual(['waiting', ['+a/one']])
      await stray.remove()
      await simulation.runUntil(() => informer.state === 'watching')
      await undefine(kit)
      expect(informer.state).toBe('missing')
      expect(log.map(line => line.replace(' ?', ''))).toEqual(['+a/one', '-a/one'])
    }))

  it('D7: without any right to definitions, one that waits is there once it is served', () =>
    withCache(
      async kit => {
        const { cache, run, server, simulation } = kit
        await define(kit)
        await undefine(kit)
        const informer = cache.informer(games)
        const synced = informer.whenSynced()
        for (const verb of ['get', 'list', 'watch']) {
          await server.faults.add({ ...forbidden, match: { ...forbidden.match, verb } })
        }
        await simulation.advance(60_000)
        expect(informer.state).toBe('missing')
        await define(kit)
        await simulation.advance(60_000)
        await run(() => synced)
        expect(informer.state).toBe('watching')
      },
      { whenUnknown: 'wait' },
    ))

  it.each(['error', 'wait'] as const)(
    'D7: the first answer is a 404: nothing is taken to be missing (%s)',
    whenUnknown =>
      withCache(
        async kit => {
          const { cache, run, server, simulation, write } = kit
          await write('+a/one')
          const fault = await server.faults.add({ match: { resource: 'configmaps' }, effect: page })
          const informer = cache.informer(configMaps)
          const waiting = informer.whenSynced().then(
            () => 'synced',
            error => (isResourceNotFound(error) ? 'unknown' : error),
          )
          await simulation.advance(20_000)
          expect(informer.state).toBe('waiting')
          await fault.remove()
          await simulation.advance(60_000)
          expect(informer.state).toBe('watching')
          expect(await run(() => waiting)).toBe(whenUnknown === 'wait' ? 'synced' : 'unknown')
        },
        { whenUnknown },
      ),
  )
})
