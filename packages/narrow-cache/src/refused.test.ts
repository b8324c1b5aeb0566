import type { View } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { CacheContext } from './cache-context.ts'
import type { Entry } from './entry.ts'
import { EntryCache } from './entry-cache.ts'
import type { Subscription } from './handler.ts'
import { checkedKey } from './key.ts'
import { settingsOf } from './options.ts'
import { denying } from './testkit/denials.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { listsFirst, phases } from './testkit/rising.ts'
import { Views } from './views.ts'

const names = ['p', 'q', 'r', 's', 't']
const paths = names.map(name => `a/${name}`)

const watchAll = async ({ narrow, run }: Kit, those = paths, log: string[] = []): Promise<Subscription[]> => {
  const subscriptions: Subscription[] = []
  for (const path of those) subscriptions.push(await run(() => narrow.watch(configMaps, keyOf(path), noting(log))))
  return subscriptions
}

/** One watch of many, of a namespace or of all, may not do that. */
const denyingMany = (isDenied: (request: { readonly verb: string; readonly namespace: string }) => boolean) =>
  denying(request => request.resource === 'configmaps' && request.name === '' && isDenied(request))

const endWatches = ({ run, server }: Kit): Promise<unknown> => run(() => server.endWatches('configmaps'))

describe('an escalation that was refused', () => {
  it('N11: is tried again, for however short a time it was watched', () => {
    let isDenied = false
    return withNarrow(
      async kit => {
        const { simulation, watches } = kit
        await watchAll(kit)
        await simulation.advance(30_000)
        expect([phases(kit), await watches()]).toEqual([['wide 5'], 1])
        // A role is bound anew.
        isDenied = true
        await endWatches(kit)
        await simulation.advance(10_000)
        expect([phases(kit), await watches()]).toEqual([[], 5])
        isDenied = false
        await simulation.advance(600_000)
        expect([phases(kit), await watches()]).toEqual([['wide 5'], 1])
      },
      { escalateAt: 3, cluster: denyingMany(() => isDenied) },
    )
  })

  it('N11: is told again where it was allowed since, and ended because few were left', () => {
    let isDenied = true
    return withNarrow(
      async kit => {
        const { narrow, run, simulation } = kit
        const told = () => simulation.environment.errors.map(({ context }) => context.phase)
        const [, ...others] = await watchAll(kit)
        await simulation.advance(1000)
        expect([phases(kit), told()]).toEqual([[], ['escalate']])
        isDenied = false
        await simulation.advance(600_000)
        expect(phases(kit)).toEqual(['wide 5'])
        for (const one of others) await run(() => one.close())
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 1, escalated: [] })
        isDenied = true
        await watchAll(kit)
        await simulation.advance(1000)
        expect([phases(kit), told()]).toEqual([[], ['escalate', 'escalate']])
      },
      { escalateAt: 3, idleMs: 0, cluster: denyingMany(() => isDenied) },
    )
  })

  it('N7, N11: for an entry without room, is not tried again with each read, and told once', () =>
    withNarrow(
      async kit => {
        const { narrow, run, get, simulation, requests } = kit
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        const read = async (): Promise<string[]> => {
          requests()
          await get('b/y')
          await simulation.advance(1000)
          return requests()
        }
        // A watch of the namespace is tried, then one of all.
        for (let i = 0; i < 2; i++) expect(await read()).toEqual(['stream', 'list'])
        for (let i = 0; i < 3; i++) expect(await read()).toEqual(['list'])
        expect(simulation.environment.errors.map(({ context }) => context.phase)).toEqual(['escalate', 'escalate'])
        await simulation.advance(600_000)
        expect(await read()).toEqual(['stream', 'list'])
      },
      { max: 1, cluster: denyingMany(() => true) },
    ))

  it('N11: is remembered until it may be tried again, and no longer', () =>
    withNarrow(
      async ({ client, run, simulation }) => {
        const context = new CacheContext(settingsOf({ client, max: 1 }))
        const entries = new EntryCache(context, new Views(context.environment, false))
        const pinned = (view: View, path: string): Promise<Entry> =>
          run(async () => {
            const { entry } = entries.ensure(view, checkedKey(view, keyOf(path))) as { readonly entry: Entry }
            entries.pin(entry)
            return entry
          })
        await pinned(configMaps as View, 'a/x')
        const full = await pinned(configMaps.within({ labels: 'app' }) as View, 'b/y')
        await simulation.advance(1000)
        expect([full.isFull, entries.resources.length]).toEqual([true, 2])
        await run(async () => entries.unpin(full))
        expect([entries.size, entries.resources.length]).toEqual([1, 2])
        await simulation.advance(600_000)
        expect(entries.resources).toHaveLength(1)
        entries.close()
        await run(() => context.close())
      },
      { cluster: denyingMany(() => true) },
    ))

  it.each([
    ['listed', (verb: string) => verb === 'list', 2],
    ['neither listed nor watched', () => false, 1],
  ])('N11: in many namespaces that may be %s, is not tried again in all at once', (_, isAllowed, requestsEach) =>
    withNarrow(
      async kit => {
        const { run, writer, simulation, requests } = kit
        const all = Array.from({ length: 300 }, (_, i) => `n${i}`)
        for (const name of all) await run(() => writer.create(namespaces, { metadata: { name } }))
        await listsFirst(kit)
        await watchAll(
          kit,
          all.flatMap(name => [`${name}/x`, `${name}/y`]),
        )
        await simulation.advance(120_000)
        requests()
        const tries: number[] = []
        for (let second = 0; second < 1300; second++) {
          await simulation.advance(1000)
          tries.push(requests().length)
        }
        expect(Math.max(...tries)).toBeLessThanOrEqual(100)
        // In each two to four times.
        expect(tries.reduce((a, b) => a + b)).toBeGreaterThan(all.length * 2 * requestsEach)
      },
      {
        escalateAllAt: 500,
        cluster: denyingMany(({ verb, namespace }) => namespace === '' || !isAllowed(verb)),
      },
    ),
  )
})

describe('an escalation that may list, and not watch', () => {
  it('N11: has no entry leave its own watch, and is tried again until it may', () => {
    let isDenied = true
    return withNarrow(
      async kit => {
        const { write, simulation, requests, watches } = kit
        const { errors } = simulation.environment
        const log: string[] = []
        await listsFirst(kit)
        await watchAll(kit, paths, log)
        await simulation.advance(60_000)
        requests()
        await simulation.advance(1_500_000)
        const tries = requests()
        expect(
          [3, 4, 5].map(count =>
            Array(count)
              .fill(['list', expect.stringMatching(/^watch rv=/)])
              .flat(),
          ),
        ).toContainEqual(tries)
        expect([phases(kit), await watches(), errors.length]).toEqual([[], 5, 1])
        await write('+a/p')
        isDenied = false
        await simulation.advance(600_000)
        expect([phases(kit), await watches(), errors.length]).toEqual([['wide 5'], 1, 1])
        await write('~a/p')
        expect(log.slice(5)).toEqual(['+a/p 1', '~a/p 1→2'])
      },
      { escalateAt: 3, cluster: denyingMany(({ verb }) => isDenied && verb === 'watch') },
    )
  })

  it('N11: nor does it where it was watched before', () => {
    let isDenied = false
    return withNarrow(
      async kit => {
        const { narrow, run, simulation, requests, watches } = kit
        await listsFirst(kit)
        const [, ...others] = await watchAll(kit)
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['wide 5'])
        for (const one of others) await run(() => one.close())
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 1, escalated: [] })
        isDenied = true
        requests()
        await watchAll(kit)
        await simulation.advance(1_200_000)
        expect([phases(kit), await watches()]).toEqual([[], 5])
        expect(requests().filter(one => one.includes('name=p'))).toEqual([])
      },
      { escalateAt: 3, idleMs: 0, cluster: denyingMany(({ verb }) => isDenied && verb === 'watch') },
    )
  })

  it('N11: is waited for by who comes when it is tried again', () => {
    let isDenied = true
    return withNarrow(
      async kit => {
        const { run, server, simulation, requests } = kit
        await listsFirst(kit)
        await watchAll(kit, paths.slice(1))
        await simulation.advance(60_000)
        isDenied = false
        const effect = { kind: 'delay', ms: 5000 } as const
        await run(() => server.faults.add({ match: { verb: 'list', name: '' }, nth: 1, effect }))
        await simulation.runUntil(() => phases(kit).length > 0)
        requests()
        const coming = watchAll(kit, ['a/p'])
        await simulation.advance(2000)
        expect([phases(kit), requests()]).toEqual([['rising 5'], []])
        await coming
        expect(phases(kit)).toEqual(['wide 5'])
      },
      { escalateAt: 3, cluster: denyingMany(({ verb }) => isDenied && verb === 'watch') },
    )
  })

  it('N11: of all namespaces, has those of each go on', () =>
    withNarrow(
      async kit => {
        const { simulation, requests } = kit
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q', 'a/r', 'b/p', 'b/q', 'b/r'])
        await simulation.advance(60_000)
        requests()
        await simulation.advance(1_500_000)
        const tries = requests()
        expect(tries.filter(one => one !== 'list' && !one.startsWith('watch rv='))).toEqual([])
        expect(tries.filter(one => one === 'list').length).toBeGreaterThan(2)
        expect(tries.length).toBeLessThanOrEqual(10)
        expect(phases(kit)).toEqual(['wide 3', 'wide 3'])
        expect(simulation.environment.errors).toHaveLength(1)
      },
      { escalateAllAt: 4, cluster: denyingMany(({ verb, namespace }) => verb === 'watch' && namespace === '') },
    ))

  it('N11: of all namespaces, nor of each, has every object watched by itself', () =>
    withNarrow(
      async kit => {
        const { simulation, requests, watches } = kit
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q', 'a/r', 'b/p', 'b/q', 'b/r'])
        await simulation.advance(60_000)
        requests()
        await simulation.advance(1_500_000)
        expect(requests().filter(one => one.includes('fieldSelector'))).toEqual([])
        expect([phases(kit), await watches()]).toEqual([[], 6])
      },
      { escalateAllAt: 4, cluster: denyingMany(({ verb, namespace }) => verb === 'watch' || namespace === '') },
    ))
})

describe('an escalation that was listed, and is not watched yet', () => {
  it('N11: has who comes, and who has waited, watched by itself until it is', () =>
    withNarrow(
      async kit => {
        const { run, write, server, simulation, watches } = kit
        const log: string[] = []
        await listsFirst(kit)
        await write('+a/p', '+a/s')
        await watchAll(kit, ['a/p', 'a/q'], log)
        const slow = await run(() =>
          server.faults.add({ match: { verb: 'watch', name: '' }, effect: { kind: 'hang' } }),
        )
        // The first of these has it risen.
        await watchAll(kit, ['a/r', 'a/s'], log)
        await write('+a/q', '~a/p', '-a/s')
        expect(log).toEqual(['+a/p 1 first', '0a/q', '0a/r', '+a/s 2 first', '+a/q 3', '~a/p 1→4', '-a/s'])
        // Their own, and the one that hangs.
        expect([phases(kit), await watches()]).toEqual([['rising 4'], 5])
        await run(() => slow.remove())
        kit.breakAll()
        await simulation.advance(10_000)
        expect([phases(kit), await watches()]).toEqual([['wide 4'], 1])
        expect(log.splice(0)).toHaveLength(7)
        await write('~a/q', '+a/r')
        expect(log).toEqual(['~a/q 3→6', '+a/r 7'])
      },
      { escalateAt: 2 },
    ))

  it('N1, N9, N11: an object that came after its list was made is there', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, get, server, simulation } = kit
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q'])
        const effect = { kind: 'delay', ms: 5000 } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: '' }, nth: 1, effect }))
        await watchAll(kit, ['a/r'])
        await write('+a/s', '+a/r')
        // What it could be asked of by itself is held up, too.
        await run(() => server.faults.add({ match: { verb: 'list', name: 's' }, nth: 1, effect }))
        const reading = get('a/s')
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['rising 4'])
        expect((await reading)?.data).toEqual({ n: '1' })
        expect(phases(kit)).toEqual(['wide 4'])
        expect(narrow.peek(configMaps, keyOf('a/r'))?.object?.data).toEqual({ n: '2' })
      },
      { escalateAt: 2 },
    ))

  it('N1, N11: an object that came after its list was made is there for who asks after that, once more', () =>
    withNarrow(
      async kit => {
        const { run, write, get, server, simulation } = kit
        const delay = (verb: 'list' | 'watch', name: string, ms: number) =>
          run(() => server.faults.add({ match: { verb, name }, nth: 1, effect: { kind: 'delay', ms } }))
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q'])
        await delay('watch', '', 5000)
        await delay('list', 's', 9000)
        const early = get('a/s')
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['rising 3'])
        await write('+a/s')
        expect((await get('a/s'))?.data).toEqual({ n: '1' })
        expect(phases(kit)).toEqual(['wide 3'])
        expect((await early)?.data).toEqual({ n: '1' })
      },
      { escalateAt: 2 },
    ))

  it('N11: costs who waits no watch of its own where it is watched at once, and no fetch', () =>
    withNarrow(
      async kit => {
        const { narrow, run, requests } = kit
        const readAll = (all: string[]) => run(() => Promise.all(all.map(name => narrow.get(configMaps, keyOf(name)))))
        const many = Array.from({ length: 110 }, (_, i) => `a/n${i}`)
        await listsFirst(kit)
        await readAll(many.slice(0, 10))
        requests()
        await readAll(many.slice(10))
        expect([phases(kit), requests()]).toEqual([['wide 110'], ['list', expect.stringMatching(/^watch rv=/)]])
      },
      { escalateAt: 10 },
    ))

  it('N7, N11: nor does who has no room without it ask the server instead', () =>
    withNarrow(
      async kit => {
        const { narrow, run, simulation } = kit
        const many = Array.from({ length: 50 }, (_, i) => `a/n${i}`)
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q'])
        await run(() => Promise.all(many.map(name => narrow.get(configMaps, keyOf(name)))))
        const about = { resource: 'v1/configmaps' }
        const counted = ['full', 'live_gets'].map(what =>
          simulation.environment.metric(`wherry_narrow_${what}_total`, about),
        )
        expect(counted).toEqual([undefined, undefined])
      },
      { max: 2 },
    ))

  it('N11: has who waits watched by itself where its watch takes longer than a second', () =>
    withNarrow(
      async kit => {
        const { run, server, simulation, get } = kit
        await listsFirst(kit)
        await watchAll(kit, ['a/p', 'a/q'])
        const effect = { kind: 'delay', ms: 20_000 } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: '' }, nth: 1, effect }))
        const took: number[] = []
        for (const path of ['a/r', 'a/s']) {
          const begun = simulation.clock.monotonic()
          await get(path)
          took.push(simulation.clock.monotonic() - begun)
        }
        expect(phases(kit)).toEqual(['rising 4'])
        expect([took[0], took[1]].map(ms => Math.round((ms ?? 0) / 1000))).toEqual([1, 0])
        await simulation.advance(30_000)
        expect(phases(kit)).toEqual(['wide 4'])
      },
      { escalateAt: 2 },
    ))

  it('N11: is not taken for watched where a stream was that broke before it had a state', () => {
    let isDenied = false
    return withNarrow(
      async kit => {
        const { run, server, simulation, requests, get } = kit
        await watchAll(kit, ['a/p', 'a/q'])
        await simulation.advance(1000)
        const effect = { kind: 'line', text: 'rubbish', afterEvents: 0 } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: '' }, nth: 1, effect }))
        requests()
        const reading = get('a/r')
        await simulation.advance(100)
        // It was accepted, and no other one will be.
        isDenied = true
        await reading
        await simulation.advance(15_000)
        expect(phases(kit)).toEqual([])
        const asked = requests()
        expect(asked).toContain('list')
        expect(asked.filter(one => /name=[pq]/.test(one))).toEqual([])
      },
      { escalateAt: 2, cluster: denyingMany(({ verb }) => isDenied && verb === 'watch') },
    )
  })

  it('N11: starts afresh where few were left meanwhile: nobody has a watch of his own then, and nothing is fetched', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, server, simulation, requests } = kit
        await listsFirst(kit)
        const early = await run(() => server.revision())
        await write('+b/x', '~b/x')
        const [, ...others] = await watchAll(kit, ['a/p', 'a/q', 'a/t'])
        const match = { verb: 'watch', name: '' } as const
        const slow = await run(() => server.faults.add({ match, effect: { kind: 'status', code: 503 } }))
        others.push(...(await watchAll(kit, ['a/r'])))
        // Its own watch says that the server counts anew.
        await run(() => server.restoreEtcd(early))
        const effect = { kind: 'expired' } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: 'r' }, nth: 1, effect }))
        await simulation.advance(30_000)
        expect(phases(kit)).toEqual(['rising 4'])
        for (const one of others) await run(() => one.close())
        await run(() => slow.remove())
        await simulation.advance(30_000)
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1, escalated: [] })
        // It counts as far again.
        await write('+b/x', '~b/x', '~b/x', '~b/x', '~b/x', '~b/x')
        await watchAll(kit, ['a/q', 'a/t'])
        await simulation.advance(1000)
        requests()
        await watchAll(kit, ['a/s'])
        await simulation.advance(1000)
        expect([phases(kit), requests()]).toEqual([['wide 4'], ['list', expect.stringMatching(/^watch rv=/)]])
      },
      { escalateAt: 3, idleMs: 0 },
    ))

  it('N11: is not told where another one is on its way, whose stream is accepted', () =>
    withNarrow(
      async kit => {
        const { run, server, simulation, write } = kit
        await write('+a/p', '+a/q')
        await watchAll(kit, ['a/p', 'a/q'])
        const match = { verb: 'watch', name: '' } as const
        const effects = [
          { kind: 'line', text: 'rubbish', afterEvents: 0 },
          { kind: 'status', code: 410, reason: 'Expired' },
          { kind: 'slow', bytesPerSecond: 100 },
        ] as const
        for (const [i, effect] of effects.entries()) await run(() => server.faults.add({ match, nth: i + 1, effect }))
        await watchAll(kit, ['a/r'])
        kit.requests()
        await simulation.runUntil(() => kit.asked.some(one => one.startsWith('watch')))
        await simulation.advance(3000)
        expect(phases(kit)).toEqual(['rising 3'])
        await simulation.advance(60_000)
        expect(phases(kit)).toEqual(['wide 3'])
      },
      { escalateAt: 2 },
    ))
})

describe('a watch of one object that was refused', () => {
  it('N10: is tried again for who subscribes later, once a second, and for nobody else', () => {
    let isDenied = true
    return withNarrow(
      async ({ narrow, run, requests, simulation }) => {
        const watch = () => run(() => narrow.watch(configMaps, keyOf('a/p'), noting([])))
        await expect(watch()).rejects.toMatchObject({ code: 'NARROW_WATCH_REFUSED' })
        await simulation.advance(120_000)
        await expect(watch()).rejects.toMatchObject({ code: 'NARROW_WATCH_REFUSED' })
        isDenied = false
        await simulation.advance(2000)
        requests()
        const begun = simulation.clock.monotonic()
        await watch()
        expect(simulation.clock.monotonic() - begun).toBeLessThan(100)
        expect(requests()).toHaveLength(1)
      },
      { cluster: denying(({ resource }) => resource === 'configmaps' && isDenied) },
    )
  })
})
