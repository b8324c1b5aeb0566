import type { KubernetesObject, View } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

const phases = ({ narrow }: Kit): string[] =>
  narrow.report().escalated.map(({ namespace = 'all', phase, entries }) => `${namespace} ${phase} ${entries}`)

const getAll = async ({ narrow, run }: Kit, paths: readonly string[]): Promise<void> => {
  for (const path of paths) await run(() => narrow.get(configMaps, keyOf(path)))
}

/** May watch all namespaces, or not. */
const listsOf = (allowed: (namespace: string) => boolean) => ({
  tokens: { u: { name: 'u', groups: [] } },
  token: 'u',
  authorization: ({ user, namespace, name }: { user: { name: string }; namespace: string; name: string }) =>
    user.name !== 'u' || name !== '' || allowed(namespace),
})

describe('an escalation of all namespaces', () => {
  it('N11: past escalateAllAt entries in several namespaces move to one watch of metadata, and subscribers receive no event for it', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, server, simulation, requests, get } = kit
        const log: string[] = []
        await write('+a/p', '+c/unrelated')
        for (const path of ['a/p', 'b/p', 'c/p', 'a/q']) {
          await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        }
        await simulation.advance(1000)
        expect(phases(kit)).toEqual([])
        expect(await watches()).toBe(4)
        requests()
        await run(() => narrow.watch(configMaps, keyOf('b/q'), noting(log)))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 5'])
        // The one watch, which says of b/q that it is not there; what had a state is not read again.
        expect(requests()).toEqual(['stream'])
        expect(await watches()).toBe(1)
        expect(log.splice(0)).toEqual(['+a/p 1 first', '0b/p', '0c/p', '0a/q', '0b/q'])
        await run(() => server.resetStats())
        await write('~c/unrelated', '~a/p', '+b/q', '-a/p', '+c/p')
        await simulation.advance(1000)
        expect(log.toSorted()).toEqual(['+b/q 5', '+c/p 7', '-a/p ?', '~a/p 1→4'])
        const { byVerb } = await run(() => server.stats())
        expect(byVerb.watch?.configmaps?.requests).toBe(0)
        expect(byVerb.list?.configmaps?.requests).toBeLessThanOrEqual(4)
        expect((await get('c/p'))?.data).toEqual({ n: '7' })
      },
      { escalateAllAt: 4 },
    ))

  it('N11: entries of a namespace that was escalated by itself move on to it, and its watch ends', () =>
    withNarrow(
      async kit => {
        const { run, narrow, write, watches, simulation, requests } = kit
        const log: string[] = []
        await write('+a/p')
        await run(() => narrow.watch(configMaps, keyOf('a/p'), noting(log)))
        await getAll(kit, ['a/q', 'a/r'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['a escalated 3'])
        await getAll(kit, ['b/p'])
        expect(phases(kit)).toEqual(['a escalated 3'])
        requests()
        await getAll(kit, ['b/q'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 5'])
        expect(requests()).toEqual(['stream'])
        expect(await watches()).toBe(1)
        await write('~a/p')
        expect(log).toEqual(['+a/p 1 first', '~a/p 1→2'])
      },
      { escalateAt: 2, escalateAllAt: 4 },
    ))

  it('N11: one namespace alone is never more than its own watch', () =>
    withNarrow(
      async kit => {
        await getAll(kit, ['a/p', 'a/q', 'a/r', 'a/s', 'a/t'])
        await kit.simulation.advance(1000)
        expect(phases(kit)).toEqual(['a escalated 5'])
        await getAll(kit, ['b/p'])
        await kit.simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 6'])
        expect(await kit.watches()).toBe(1)
      },
      { escalateAt: 2, escalateAllAt: 3 },
    ))

  it('N11: below half of escalateAllAt each is watched by itself again, or by its namespace’s watch where that has many', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation } = kit
        const log: string[] = []
        await write('+a/p', '+b/p')
        for (const path of ['a/p', 'b/p']) await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        await getAll(kit, ['a/q', 'a/r', 'b/q', 'b/r', 'b/s', 'c/p', 'c/q', 'c/r'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 10'])
        for (const path of ['b/q', 'b/r', 'b/s', 'c/p', 'c/r']) {
          narrow.forget(configMaps, keyOf(path))
          await simulation.advance(1000)
          expect(phases(kit)).toEqual([expect.stringMatching(/^all escalated /)])
        }
        narrow.forget(configMaps, keyOf('c/q'))
        await write('~a/p', '~b/p')
        await simulation.advance(2000)
        expect(phases(kit)).toEqual(['a escalated 3'])
        expect(narrow.report()).toMatchObject({ entries: 4, streams: 2 })
        expect(await watches()).toBe(2)
        await write('~a/p', '-b/p')
        expect(log.filter(line => line.includes('b/p'))).toEqual(['+b/p 2 first', '~b/p 2→4', '-b/p'])
        expect(log.filter(line => line.includes('a/p'))).toEqual(['+a/p 1 first', '~a/p 1→3', '~a/p 3→5'])
        const { environment } = simulation
        expect(environment.metric('wherry_narrow_deescalations_total', { resource: 'v1/configmaps' })).toBe(1)
      },
      { escalateAt: 2, escalateAllAt: 9 },
    ))

  it('N11: if it is refused, each namespace with more than one entry has its own, and the refusal is reported once', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation } = kit
        const log: string[] = []
        for (const path of ['a/p', 'a/q', 'b/p', 'c/p', 'c/q']) {
          await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        }
        await simulation.advance(2000)
        expect(phases(kit)).toEqual(['a escalated 2', 'c escalated 2'])
        expect(await watches()).toBe(3)
        // One more in a namespace that had one: that gets its own watch too.
        await run(() => narrow.watch(configMaps, keyOf('b/q'), noting(log)))
        await simulation.advance(2000)
        expect(phases(kit)).toEqual(['a escalated 2', 'b escalated 2', 'c escalated 2'])
        await write('+a/p', '+b/p', '+c/q')
        await simulation.advance(1000)
        expect(log.slice(6).toSorted()).toEqual(['+a/p 1', '+b/p 2', '+c/q 3'])
        const { errors } = simulation.environment
        expect(errors.map(({ context }) => [context.phase, context.key])).toEqual([['escalate', undefined]])
        const labels = { resource: 'v1/configmaps' }
        expect(simulation.environment.metric('wherry_narrow_escalations_refused_total', labels)).toBe(1)
      },
      { escalateAllAt: 4, cluster: listsOf(namespace => namespace !== '') },
    ))

  it('N11: where it was refused it is tried again after a while, and takes over from those of the namespaces', () => {
    let isRefused = true
    return withNarrow(
      async kit => {
        const { narrow, run, simulation, watches } = kit
        for (const path of ['a/p', 'a/q', 'b/p', 'c/p', 'c/q']) {
          await run(() => narrow.watch(configMaps, keyOf(path), noting([])))
        }
        await simulation.advance(2000)
        expect(phases(kit)).toEqual(['a escalated 2', 'c escalated 2'])
        isRefused = false
        await simulation.advance(600_000)
        expect(phases(kit)).toEqual(['all escalated 5'])
        expect(await watches()).toBe(1)
      },
      { escalateAllAt: 4, cluster: listsOf(namespace => !isRefused || namespace !== '') },
    )
  })

  it('N11: where that is refused too, each keeps a watch of its own', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation } = kit
        const log: string[] = []
        for (const path of ['a/p', 'a/q', 'b/p', 'c/p', 'c/q']) {
          await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        }
        await simulation.advance(2000)
        expect(phases(kit)).toEqual([])
        expect(await watches()).toBe(5)
        await write('+a/p', '+c/q')
        expect(log.slice(5)).toEqual(['+a/p 1', '+c/q 2'])
      },
      { escalateAllAt: 4, cluster: listsOf(() => false) },
    ))

  it('N11: while the server can’t list, a new entry has a watch of its own', () =>
    withNarrow(
      async kit => {
        const { get, run, write, server } = kit
        await write('+a/p', '+a/q', '+a/r')
        for (const path of ['a/p', 'a/q', 'b/p']) await get(path)
        const match = { resource: 'configmaps', name: '' }
        await run(() => server.faults.add({ match, effect: { kind: 'status', code: 500 } }))
        expect((await get('a/r'))?.data).toEqual({ n: '3' })
        expect(phases(kit)).toEqual(['all escalating 4'])
      },
      { escalateAllAt: 3 },
    ))

  it('N11: leave that is taken away while they are on it: each namespace has its own, and nothing is lost', () => {
    let isAllowed = true
    return withNarrow(
      async kit => {
        const { narrow, run, write, server, simulation, breakAll, get } = kit
        const log: string[] = []
        for (const path of ['a/p', 'a/q', 'b/p']) await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 3'])
        isAllowed = false
        breakAll()
        await run(() => server.endWatches('configmaps'))
        await write('+a/p', '+b/p')
        const { errors } = simulation.environment
        await simulation.runUntil(() => errors.some(({ context }) => context.phase === 'escalate'))
        // A read meanwhile waits for the watch that is to feed it, and no longer.
        const reads = run(async () => {
          const begun = simulation.clock.monotonic()
          const data = await Promise.all(['a/p', 'b/p'].map(async path => (await get(path))?.data))
          return { data, ms: simulation.clock.monotonic() - begun }
        })
        const { data, ms } = await reads
        expect(data).toEqual([{ n: '1' }, { n: '2' }])
        expect(ms).toBeLessThan(5000)
        await simulation.advance(20_000)
        expect(phases(kit)).toEqual(['a escalated 2'])
        expect(log.slice(3).toSorted()).toEqual(['+a/p 1', '+b/p 2'])
        expect(await kit.watches()).toBe(2)
      },
      { escalateAllAt: 2, cluster: listsOf(namespace => isAllowed || namespace !== '') },
    )
  })

  it('N11: the lower of the two bounds counts for a cluster-scoped resource: its one watch is that of all', () =>
    withNarrow(
      async kit => {
        const { narrow, run, simulation } = kit
        const view = namespaces as unknown as View<KubernetesObject, 'cluster'>
        for (const name of ['a', 'b', 'none']) await run(() => narrow.get(view, { name }))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 3'])
        expect(narrow.report()).toMatchObject({ entries: 3, streams: 1 })
      },
      { escalateAt: 10, escalateAllAt: 2 },
    ))

  it('N11: objects of a cluster-scoped resource are followed by their one watch', () =>
    withNarrow(
      async kit => {
        const { narrow, run, writer, simulation, requests } = kit
        const log: string[] = []
        const heads = namespaces.metadata()
        const handler = {
          absent: ({ key }: { key: string }) => log.push(`0${key}`),
          add: (_: unknown, { key }: { key: string }) => log.push(`+${key}`),
          update: (_: unknown, { key }: { key: string }) => log.push(`~${key}`),
        }
        for (const name of ['a', 'none']) await run(() => narrow.watch(heads, { name }, handler))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 2'])
        requests()
        await run(() => writer.create(namespaces, { metadata: { name: 'none' } }))
        await run(() => writer.patch(namespaces, { name: 'a' }, { metadata: { labels: { app: 'web' } } }))
        await simulation.advance(1000)
        expect(log).toEqual(['+a', '0none', '+none', '~a'])
        expect((await run(() => narrow.get(heads, { name: 'a' })))?.metadata.labels).toMatchObject({ app: 'web' })
        expect(requests()).toEqual([])
      },
      { escalateAt: 1 },
    ))

  it('N11: very many asked for at once are not each opened first', () =>
    withNarrow(
      async kit => {
        const { narrow, run, requests, simulation } = kit
        const paths = Array.from({ length: 300 }, (_, i) => `${['a', 'b', 'c'][i % 3]}/n${i}`)
        await run(() => Promise.all(paths.map(path => narrow.get(configMaps, keyOf(path)))))
        await simulation.advance(1000)
        const asked = requests()
        expect(asked.filter(line => line === 'stream')).toHaveLength(1)
        expect(asked.filter(line => line.startsWith('stream field'))).toHaveLength(10)
        expect(asked).toHaveLength(11)
        expect(phases(kit)).toEqual(['all escalated 300'])
      },
      { maxOpening: 10, escalateAllAt: 100 },
    ))

  it('N11: half of escalateAllAt is not below half of it, and escalateAt not past it', () =>
    withNarrow(
      async kit => {
        const { narrow, simulation, run, watches } = kit
        const paths = ['a/p', 'a/q', 'b/p', 'b/q', 'c/p', 'c/q', 'c/r']
        await getAll(kit, paths)
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 7'])
        for (const path of ['c/p', 'c/q', 'c/r', 'b/q']) await run(() => narrow.forget(configMaps, keyOf(path)))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 3'])
        await run(() => narrow.forget(configMaps, keyOf('b/p')))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual([])
        expect(await watches()).toBe(2)
      },
      { escalateAt: 2, escalateAllAt: 6 },
    ))

  it('N11: where it was refused, each namespace has its own while there are many, and again as soon as there are', () =>
    withNarrow(
      async kit => {
        const { narrow, simulation, run, requests } = kit
        const forget = async (...paths: string[]): Promise<void> => {
          for (const path of paths) await run(() => narrow.forget(configMaps, keyOf(path)))
          await simulation.advance(1000)
        }
        await getAll(kit, ['a/p', 'a/q', 'b/p', 'b/q', 'b/r'])
        await simulation.advance(2000)
        expect(phases(kit)).toEqual(['a escalated 2', 'b escalated 3'])
        await forget('b/r')
        expect(phases(kit)).toEqual(['a escalated 2', 'b escalated 2'])
        await forget('b/q', 'a/q')
        expect(phases(kit)).toEqual(['a escalated 1', 'b escalated 1'])
        await forget('b/p')
        expect(phases(kit)).toEqual([])
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1 })
        requests()
        await getAll(kit, ['b/p', 'b/q', 'a/q'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual([])
        await getAll(kit, ['c/p'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['a escalated 2', 'b escalated 2'])
        const refusals = simulation.environment.errors.map(({ context }) => [context.phase, context.key])
        expect(refusals).toEqual([['escalate', undefined]])
      },
      { escalateAllAt: 4, cluster: listsOf(namespace => namespace !== '') },
    ))

  it('N11: is over with the last entry, also where a cursor stays', () =>
    withNarrow(
      async kit => {
        const { narrow, simulation, watches } = kit
        const cursor = narrow.cursor(configMaps)
        await getAll(kit, ['a/p', 'b/p'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['all escalated 2'])
        for (const path of ['a/p', 'b/p']) narrow.forget(configMaps, keyOf(path))
        expect(phases(kit)).toEqual([])
        await getAll(kit, ['a/p'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual([])
        expect(await watches()).toBe(1)
        cursor.close()
      },
      { escalateAllAt: 1 },
    ))

  it('N11: reports failures of the watches of many namespaces as one', () =>
    withNarrow(
      async kit => {
        const { run, server, simulation } = kit
        await getAll(kit, ['a/p', 'a/q', 'b/p', 'b/q', 'c/p', 'c/q'])
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['a escalated 2', 'b escalated 2', 'c escalated 2'])
        const effect = { kind: 'status', code: 500 } as const
        const broken = await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(900)
        await run(() => broken.remove())
        await simulation.advance(60_000)
        const reported = simulation.environment.errors.map(({ context }) => context)
        expect(reported[0]).toEqual({ resource: 'v1/configmaps', phase: 'escalated', count: expect.any(Number) })
        expect(reported.length).toBeLessThan(3)
      },
      { escalateAt: 1 },
    ))
})
