import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { CopyCache } from './copy-cache.ts'
import { copiedFromAnnotation, copySetLabel, copySourceLabel } from './marks.ts'
import { type Kit, source, withCopies } from './testkit/cluster.ts'

const copiesOf = async ({ writer, run }: Kit): Promise<ConfigMap[]> =>
  (await run(() => writer.list(configMaps.within({ labels: copySetLabel })))).items
const at = (namespace: string, name = 's0') => ({ namespace, name })

describe.each(['ingest', 'full', 'annotations'] as const)('copies, mode %s', mode => {
  const gets: Record<string, number> = mode === 'full' ? {} : { 'get configmaps': 1 }

  it('H4, H7: are created, and a resync makes no request', () =>
    withCopies(async kit => {
      await kit.fill(3, 5)
      await kit.requests()
      const reconciler = await kit.settled({ mode })
      const { 'create configmaps': creates, ...rest } = await kit.requests()
      expect(creates).toBe(15)
      expect(Object.keys(rest).filter(what => !what.startsWith('list'))).toEqual([])
      const copies = await copiesOf(kit)
      expect(copies).toHaveLength(15)
      expect(copies.find(({ metadata }) => metadata?.namespace === 't2' && metadata.name === 's1')).toMatchObject({
        metadata: {
          labels: {
            app: 'arcade',
            [copySetLabel]: 'settings',
            [copySourceLabel]: expect.stringMatching(/^[0-9a-f]{32}$/),
          },
          annotations: { [copiedFromAnnotation]: 'settings shared/s1' },
        },
        data: { n: '1' },
      })
      await kit.requests()
      reconciler.resync()
      await kit.run(() => reconciler.settled())
      expect(await kit.requests()).toEqual({})
      expect(reconciler.report()).toMatchObject({
        sources: 3,
        copies: 15,
        failing: new Map(),
        failures: 0,
        conflicts: 0,
      })
    }))

  it('H3, H4: an edit by hand is repaired with one write, and what does not count is left alone', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      await kit.settled({ mode })
      await kit.requests()
      kit.events.length = 0
      const edit = async (change: object) => {
        await kit.run(() => kit.writer.patch(configMaps, at('t1'), change))
        await kit.quiet()
        const { 'patch configmaps': _, ...rest } = await kit.requests()
        return rest
      }
      expect(await edit({ data: { n: 'edited' } })).toEqual({ 'update configmaps': 1, ...gets })
      expect(await edit({ metadata: { labels: { app: 'edited' } } })).toEqual({ 'update configmaps': 1, ...gets })
      // Metadata does not show that nothing else was changed with it.
      const read = mode === 'annotations' ? { 'get configmaps': 1 } : {}
      expect(await edit({ metadata: { annotations: { note: 'mine' } } })).toEqual(read)
      const copy = await kit.run(() => kit.writer.get(configMaps, at('t1')))
      expect(copy).toMatchObject({
        data: { n: '0' },
        metadata: { labels: { app: 'arcade' }, annotations: { note: 'mine' } },
      })
      expect(kit.events).toMatchObject([
        { type: 'written', key: 't1/s0', source: 'shared/s0', reason: 'drift', writes: ['update'] },
        { type: 'written', key: 't1/s0', source: 'shared/s0', reason: 'drift', writes: ['update'] },
      ])
    }))

  it('H4: a change of a source is written to each of its copies, once', () =>
    withCopies(async kit => {
      await kit.fill(2, 4)
      const reconciler = await kit.settled({ mode })
      await kit.requests()
      kit.events.length = 0
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.quiet()
      const requests = await kit.requests()
      expect(requests).toMatchObject({ 'update configmaps': 4 })
      expect(kit.events.map(event => event.type === 'written' && event.reason)).toEqual(Array(4).fill('changed'))
      expect((await copiesOf(kit)).filter(({ data }) => data?.n === 'new')).toHaveLength(4)
      expect(reconciler.report()).toMatchObject({ repairs: 0, dryRuns: 0, writes: { create: 8, update: 4 } })
    }))

  it('are deleted with their source, and where a namespace is no target any more', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      await kit.settled({ mode })
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      expect((await copiesOf(kit)).map(({ metadata }) => metadata?.name)).toEqual(['s1', 's1', 's1'])
      await kit.run(() => kit.writer.patch(namespaces, { name: 't1' }, { metadata: { labels: { tenant: null } } }))
      await kit.quiet()
      expect((await copiesOf(kit)).map(({ metadata }) => metadata?.namespace)).toEqual(['t0', 't2'])
      await kit.run(() => kit.writer.patch(namespaces, { name: 'other' }, { metadata: { labels: { tenant: 'x' } } }))
      await kit.quiet()
      expect((await copiesOf(kit)).map(({ metadata }) => metadata?.namespace)).toEqual(['other', 't0', 't2'])
    }))

  it('come back when they are deleted by hand, or their marks are taken off', () =>
    withCopies(async kit => {
      await kit.fill(1, 3)
      await kit.settled({ mode })
      await kit.requests()
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.quiet()
      expect(await kit.requests()).toEqual({ 'delete configmaps': 1, 'create configmaps': 1 })
      for (const label of [copySetLabel, copySourceLabel]) {
        await kit.run(() => kit.writer.patch(configMaps, at('t1'), { metadata: { labels: { [label]: null } } }))
        await kit.quiet()
      }
      expect(await copiesOf(kit)).toHaveLength(3)
      expect(kit.events.filter(({ type }) => type === 'failed')).toEqual([])
    }))

  it('go with their namespace, and no request is made into it', () =>
    withCopies(async kit => {
      await kit.fill(3, 3)
      const reconciler = await kit.settled({ mode })
      await kit.requests()
      await kit.run(() => kit.writer.delete(namespaces, { name: 't1' }))
      await kit.quiet(60_000)
      expect(await copiesOf(kit)).toHaveLength(6)
      const { 'create configmaps': creates, 'update configmaps': updates } = await kit.requests()
      expect({ creates, updates }).toEqual({ creates: undefined, updates: undefined })
      expect(reconciler.report()).toMatchObject({ queued: 0, waiting: 0, failing: new Map() })
    }))

  it('H6, X10: after a restart nothing is written but what is missing', () =>
    withCopies(async kit => {
      await kit.fill(3, 4)
      const first = await kit.settled({ mode })
      await kit.run(() => first.close())
      expect(kit.cache.views).toEqual([])
      await kit.run(async () => {
        await kit.writer.delete(configMaps, at('t2', 's1'))
        await kit.writer.delete(configMaps, at('shared', 's2'))
      })
      await kit.requests()
      const second = await kit.settled({ mode })
      const requests = await kit.requests()
      expect(requests).toMatchObject({ 'create configmaps': 1, 'delete configmaps': 4 })
      expect(requests).not.toHaveProperty('update configmaps')
      expect(second.report().dryRuns).toBe(0)
      expect(await copiesOf(kit)).toHaveLength(8)
    }))
})

describe('what is no copy', () => {
  it('of the same name is left alone, told, and tried again', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      await kit.run(() => kit.writer.create(configMaps, { metadata: at('t0'), data: { mine: 'x' } }))
      const reconciler = kit.reconciler()
      reconciler.start()
      await kit.quiet(5000)
      expect((await kit.run(() => kit.writer.get(configMaps, at('t0'))))?.data).toEqual({ mine: 'x' })
      expect([...reconciler.report().failing].map(([key, error]) => [key, (error as { code?: string }).code])).toEqual([
        ['t0/s0', 'COPY_NAME_TAKEN'],
      ])
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.run(() => reconciler.settled())
      expect(await copiesOf(kit)).toHaveLength(2)
      expect(reconciler.report().failing.size).toBe(0)
    }))

  it('of another set is never touched', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      await kit.settled()
      const other = kit.reconciler({ name: 'other' })
      other.start()
      await kit.quiet(5000)
      expect([...other.report().failing.keys()].sort()).toEqual(['t0/s0', 't1/s0'])
      expect((await copiesOf(kit)).map(({ metadata }) => metadata?.labels?.[copySetLabel])).toEqual([
        'settings',
        'settings',
      ])
    }))
})

describe('plan', () => {
  it('says what would be done, and does nothing', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const first = await kit.settled()
      await kit.run(() => first.close())
      await kit.run(async () => {
        await kit.writer.delete(configMaps, at('t0', 's0'))
        await kit.writer.patch(configMaps, at('t1', 's0'), { data: { n: 'edited' } })
        await kit.writer.delete(configMaps, at('shared', 's1'))
        await kit.writer.create(configMaps, source(2))
      })
      await kit.requests()
      const reconciler = kit.reconciler()
      const plan = await kit.run(() => reconciler.plan())
      expect(`${plan}`.split('\n')).toEqual([
        'action  copy   source     parts',
        'create  t0/s0  shared/s0',
        'delete  t0/s1  (gone)',
        'create  t0/s2  shared/s2',
        'update  t1/s0  shared/s0  spec',
        'delete  t1/s1  (gone)',
        'create  t1/s2  shared/s2',
        '6 to do, 0 as they should be, 0 that fail',
      ])
      const before = await copiesOf(kit)
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(before)
      reconciler.start()
      await kit.run(() => reconciler.settled())
      await kit.quiet()
      expect(`${await kit.run(() => reconciler.plan())}`).toBe('0 to do, 4 as they should be, 0 that fail')
    }))

  it('X10: is rejected with the reason of its signal, and when it is closed meanwhile, whatever it is waiting for', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const first = await kit.settled()
      await kit.run(() => first.close())
      for (const namespace of ['t0', 't1']) {
        await kit.run(() => kit.writer.patch(configMaps, at(namespace), { data: { n: 'edited' } }))
      }
      // What the server makes of the source is asked for by a dry run.
      const slow = { match: { verb: 'update', resource: 'configmaps' }, effect: { kind: 'delay', ms: 2000 } } as const
      kit.server.faults.add(slow)
      const reconciler = kit.reconciler()
      const controller = new AbortController()
      const aborted = expect(reconciler.plan({ signal: controller.signal })).rejects.toThrow('enough')
      await kit.quiet(1000)
      controller.abort(new Error('enough'))
      await kit.run(() => aborted)
      const other = kit.reconciler()
      const closed = expect(other.plan()).rejects.toMatchObject({ code: 'COPIES_NOT_RUNNING' })
      await kit.quiet(1000)
      await kit.run(() => other.close())
      await kit.run(() => closed)
      await expect(kit.reconciler().plan({ signal: 'x' } as never)).rejects.toMatchObject({ option: 'plan.signal' })
    }))
})

describe('resync', () => {
  it('looks at every copy again: what a function of targets says by now is done', () =>
    withCopies(async kit => {
      await kit.fill(1, 3)
      let wanted = ['t0', 't1']
      const reconciler = await kit.settled({ targets: (_, { metadata }) => wanted.includes(`${metadata.name}`) })
      const spaces = async () => (await copiesOf(kit)).map(({ metadata }) => metadata?.namespace)
      expect(await spaces()).toEqual(['t0', 't1'])
      wanted = ['t1', 't2']
      await kit.quiet()
      expect(await spaces()).toEqual(['t0', 't1'])
      reconciler.resync()
      await kit.run(() => reconciler.settled())
      expect(await spaces()).toEqual(['t1', 't2'])
    }))
})

describe('the beginning and the end', () => {
  it('H6: what differs when it is first looked at is found, and no repair of what somebody has done since', () =>
    withCopies(async kit => {
      await kit.fill(1, 4)
      const first = await kit.settled()
      await kit.run(() => first.close())
      for (const namespace of ['t0', 't1', 't2', 't3']) {
        await kit.run(() => kit.writer.patch(configMaps, at(namespace), { data: { n: 'edited' } }))
      }
      kit.events.length = 0
      const second = await kit.settled({ concurrency: 1 })
      expect(kit.events.map(event => event.type === 'written' && event.reason)).toEqual(Array(4).fill('found'))
      expect(second.report()).toMatchObject({ repairs: 0, writes: { update: 4 } })
    }))

  it('X10: closing aborts what is under way, and nobody is told of that', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const { clock } = kit.simulation.environment
      kit.server.faults.add({ match: { verb: 'create' }, effect: { kind: 'delay', ms: 10_000 } })
      const reconciler = kit.reconciler()
      reconciler.start()
      await kit.run(() => reconciler.synced())
      await kit.quiet(100)
      expect(reconciler.report().running).toBe(2)
      const begin = clock.monotonic()
      await kit.run(() => reconciler[Symbol.asyncDispose]())
      expect(clock.monotonic() - begin).toBeLessThan(1000)
      expect([reconciler.report().state, kit.events, kit.simulation.environment.errors]).toEqual(['closed', [], []])
    }))

  it('X10: closed before anything is known, it ends without a word', () =>
    withCopies(async kit => {
      kit.server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 10_000 } })
      kit.server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 10_000 } })
      const reconciler = kit.reconciler()
      await expect(reconciler.synced()).rejects.toThrow('not started')
      reconciler.start()
      const waiting = expect(reconciler.synced()).rejects.toThrow('closed')
      await kit.quiet(100)
      expect(reconciler.report().state).toBe('syncing')
      await kit.run(() => reconciler.close())
      await kit.run(() => waiting)
      await expect(reconciler.synced()).rejects.toThrow('closed')
      expect(kit.simulation.environment.errors).toEqual([])
      await expect(reconciler.settled({ signal: 'x' } as never)).rejects.toMatchObject({ option: 'settled.signal' })
    }))

  it('throws what the cache throws, and lets go of what it held by then', () =>
    withCopies(async kit => {
      const released: string[] = []
      const cache: CopyCache = {
        hold: view => {
          if (released.length === 0 && view.resource.plural === 'configmaps' && view.namespaces === undefined) {
            throw new Error('too many')
          }
          const hold = kit.cache.hold(view)
          const release = async () => {
            released.push(view.resource.plural)
            await hold.release()
            throw new Error('not let go')
          }
          return { informer: hold.informer, release }
        },
      }
      expect(() => kit.reconciler({ cache }).start()).toThrow('too many')
      await kit.quiet()
      expect([released.toSorted(), kit.cache.views]).toEqual([['configmaps', 'namespaces'], []])
      expect(kit.simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
        ['not let go', 'release'],
        ['not let go', 'release'],
      ])
    }))
})
