import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

const names = ['p', 'q', 'r', 's', 't']
const phase = ({ narrow }: Kit): string | undefined => narrow.report().escalated[0]?.phase

describe('an escalation', () => {
  it('N11: past escalateAt the entries of a namespace move to one watch of metadata, and subscribers receive no event for it', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, server, simulation } = kit
        const log: string[] = []
        await write('+a/p', '+a/unrelated')
        for (const name of names.slice(0, 4)) {
          await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
          expect(phase(kit)).toBeUndefined()
        }
        expect(await watches()).toBe(4)
        await run(() => narrow.watch(configMaps, keyOf('a/t'), noting(log)))
        await simulation.advance(1000)
        expect(phase(kit)).toBe('escalated')
        expect(await watches()).toBe(1)
        expect(log.splice(0)).toEqual(['+a/p 1 first', '0a/q', '0a/r', '0a/s', '0a/t'])
        await run(() => server.resetStats())
        await write('~a/unrelated', '+a/t', '~a/p', '-a/t', '+a/q', '-a/q')
        await simulation.advance(1000)
        expect(log.filter(line => line.includes('a/p'))).toEqual(['~a/p 1→5'])
        expect(log.filter(line => /^\+a\/[tq]/.test(line)).length).toBe(log.filter(line => line.startsWith('-')).length)
        const { byVerb } = await run(() => server.stats())
        expect(byVerb.get?.configmaps).toBeUndefined()
        expect(byVerb.watch?.configmaps?.requests).toBe(0)
        expect(byVerb.list?.configmaps?.requests).toBeGreaterThan(0)
      },
      { escalateAt: 4 },
    ))

  it('N11: a get of what has changed waits until it was fetched', () =>
    withNarrow(
      async ({ run, write, get, server, simulation, narrow }) => {
        await write('+a/x')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        expect(narrow.report().escalated).toHaveLength(1)
        await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 2000 } }))
        await write('~a/x')
        expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
      },
      { escalateAt: 1 },
    ))

  it('N11: views of metadata need no fetch', () =>
    withNarrow(
      async ({ run, write, server, simulation, transport, narrow, breakAll, requests }) => {
        const log: string[] = []
        const metadata = configMaps.metadata()
        for (const name of ['x', 'y']) {
          await run(() =>
            narrow.watch(metadata, keyOf(`a/${name}`), {
              add: ({ metadata: { name: one } }) => log.push(`+${one}`),
              update: ({ metadata: { name: one } }) => log.push(`~${one}`),
              delete: ({ metadata: { name: one } }) => log.push(`-${one}`),
            }),
          )
        }
        await simulation.advance(1000)
        await run(() => server.resetStats())
        await write('+a/x', '~a/x', '-a/x', '+a/y')
        expect(log).toEqual(['+x', '~x', '-x', '+y'])
        const { byVerb } = await run(() => server.stats())
        expect(byVerb.list?.configmaps?.requests ?? 0).toBe(0)
        // Nor after a list.
        transport.controls.refuse(true)
        breakAll()
        await write('+a/x', '~a/y')
        await run(() => server.expireWatchCaches())
        transport.controls.refuse(false)
        requests()
        await simulation.advance(100_000)
        expect(log.slice(4).toSorted()).toEqual(['+x', '~y'])
        expect(requests().filter(line => line.includes('name='))).toEqual([])
      },
      { escalateAt: 1 },
    ))

  it('N11: below half of escalateAt they are watched one by one again, with no event', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation, get } = kit
        const log: string[] = []
        await write('+a/p')
        const subscription = await run(() => narrow.watch(configMaps, keyOf('a/p'), noting(log)))
        for (const name of names.slice(1)) await get(`a/${name}`)
        await simulation.advance(1000)
        expect(phase(kit)).toBe('escalated')
        for (const name of ['q', 'r', 's']) {
          expect(phase(kit)).toBe('escalated')
          narrow.forget(configMaps, keyOf(`a/${name}`))
          await simulation.advance(1000)
        }
        expect(phase(kit)).toBe('escalated')
        narrow.forget(configMaps, keyOf('a/t'))
        await write('~a/p')
        await simulation.advance(1000)
        expect(phase(kit)).toBeUndefined()
        expect(await watches()).toBe(1)
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1 })
        await write('~a/p')
        expect(log).toEqual(['+a/p 1 first', '~a/p 1→2', '~a/p 2→3'])
        await run(() => subscription.close())
        expect(narrow.forget(configMaps, keyOf('a/p'))).toBe(true)
        expect(narrow.report()).toMatchObject({ entries: 0, streams: 0 })
      },
      { escalateAt: 4 },
    ))

  it('N11: up and down under load deliver each change to each subscriber in order, and end as the server is', () =>
    withNarrow(
      async kit => {
        const { narrow, run, writer, simulation, get } = kit
        const log: string[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/p'), noting(log)))
        let n = 0
        for (let round = 0; round < 30; round++) {
          n += 1
          await run(() =>
            n % 7 === 1
              ? writer.create(configMaps, { metadata: keyOf('a/p'), data: { n: `${n}` } })
              : n % 7 === 0
                ? writer.delete(configMaps, keyOf('a/p'))
                : writer.patch(configMaps, keyOf('a/p'), { data: { n: `${n}` } }),
          )
          if (round % 10 < 5) await get(`a/other-${round}`)
          else for (let i = 0; i < 30; i++) narrow.forget(configMaps, keyOf(`a/other-${i}`))
          await simulation.advance(round % 3)
        }
        await simulation.advance(10_000)
        expect((await get('a/p'))?.data).toEqual({ n: '30' })
        const received = log.flatMap(line => /(\d+)( first)?$/.exec(line)?.[1] ?? []).map(Number)
        expect(received).toEqual([...new Set(received)].sort((a, b) => a - b))
        expect(received.at(-1)).toBe(30)
        expect(simulation.environment.metric('wherry_narrow_escalations_total', { resource: 'v1/configmaps' })).toBe(3)
      },
      { escalateAt: 4 },
    ))

  it('N11: if it is refused, each object keeps a watch of its own, and the refusal is reported once', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation } = kit
        const log: string[] = []
        for (const name of names) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
        await write('+a/t')
        expect(log.at(-1)).toBe('+a/t 1')
        expect(await watches()).toBe(5)
        expect(phase(kit)).toBeUndefined()
        const reported = simulation.environment.errors.map(({ context }) => [context.phase, context.key])
        expect(reported).toEqual([['escalate', 'a']])
      },
      {
        escalateAt: 2,
        cluster: {
          tokens: { u: { name: 'u', groups: [] } },
          token: 'u',
          authorization: ({ user: { name }, name: object }) => name !== 'u' || object !== '',
        },
      },
    ))

  it('N11: one that was refused is tried again after a while, if there are too many still, and is reported once', () => {
    let isDenied = false
    return withNarrow(
      async kit => {
        const { narrow, run, server, simulation, watches, requests } = kit
        const { errors } = simulation.environment
        for (const name of names) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting([])))
        for (const codes of [1, 2]) {
          await simulation.advance(60_000)
          isDenied = true
          await run(() => server.endWatches('configmaps'))
          await simulation.advance(60_000)
          expect([phase(kit), await watches()]).toEqual([undefined, 5])
          requests()
          await simulation.advance(1_200_000)
          const tries = requests()
          expect([2, 3, 4]).toContain(tries.length)
          expect(new Set(tries)).toEqual(new Set(['stream']))
          expect(errors.map(({ context }) => context.phase)).toEqual(Array(codes).fill('escalate'))
          isDenied = false
          await simulation.advance(600_000)
          expect([phase(kit), await watches()]).toEqual(['escalated', 1])
        }
      },
      {
        escalateAt: 3,
        cluster: denying(({ name, resource }) => isDenied && resource === 'configmaps' && name === ''),
      },
    )
  })

  it('N11, R23: one that was refused is not tried again where there are few, nor once closed', () =>
    withNarrow(
      async kit => {
        const { narrow, run, get, simulation, requests } = kit
        for (const name of names) await get(`a/${name}`)
        await get('b/p')
        await get('b/q')
        await simulation.advance(1000)
        for (const name of names.slice(1)) narrow.forget(configMaps, keyOf(`a/${name}`))
        for (const name of ['p', 'q']) narrow.forget(configMaps, keyOf(`b/${name}`))
        requests()
        await simulation.advance(600_000)
        expect(requests()).toEqual([])
        for (const name of names) await get(`a/${name}`)
        await simulation.advance(1000)
        expect(requests()).toContain('stream')
        await run(() => narrow.close())
        await simulation.advance(600_000)
        expect(requests()).toEqual([])
      },
      {
        escalateAt: 1,
        idleMs: Number.POSITIVE_INFINITY,
        cluster: denying(({ name, resource }) => resource === 'configmaps' && name === ''),
      },
    ))

  it.each([
    ['fails', { kind: 'status', code: 500 }],
    ['hangs', { kind: 'hang' }],
  ] as const)('N11: while one watch of all %s before it has a state, a new entry has a watch of its own', (_, effect) =>
    withNarrow(
      async kit => {
        const { narrow, run, get, write, watches, server, simulation } = kit
        const log: string[] = []
        for (const name of ['p', 'q']) await get(`a/${name}`)
        const broken = await run(() =>
          Promise.all(['list', 'watch'].map(verb => server.faults.add({ match: { verb, name: '' }, effect }))),
        )
        await run(() => narrow.watch(configMaps, keyOf('a/r'), noting(log)))
        await run(() => narrow.watch(configMaps, keyOf('a/s'), noting(log)))
        await write('+a/r')
        expect(log).toEqual(['0a/r', '0a/s', '+a/r 1'])
        expect(phase(kit)).toBe('escalating')
        await run(() => Promise.all(broken.map(one => one.remove())))
        await simulation.advance(200_000)
        expect(phase(kit)).toBe('escalated')
        expect(await watches()).toBe(1)
        await write('~a/r')
        expect(log.slice(3)).toEqual(['~a/r 1→2'])
      },
      { escalateAt: 2 },
    ),
  )

  it('N11: many objects asked for at once are opened so many at a time', () =>
    withNarrow(
      async ({ narrow, run, watches }) => {
        let most = 0
        await run(() =>
          Promise.all(
            Array.from({ length: 60 }, async (_, i) => {
              await narrow.get(configMaps, keyOf(`b/n${i}`))
              const { waiting, streams } = narrow.report()
              most = Math.max(most, streams + waiting)
            }),
          ),
        )
        expect(most).toBeLessThanOrEqual(60)
        expect(await watches()).toBe(60)
      },
      { maxOpening: 4 },
    ))

  it('N11: its watch breaks or is too old: the entries follow', () =>
    withNarrow(
      async ({ narrow, run, write, server, transport, simulation, breakAll, get }) => {
        const log: string[] = []
        await write('+a/p', '+a/q')
        for (const name of ['p', 'q']) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
        await simulation.advance(1000)
        breakAll()
        await simulation.advance(10_000)
        await write('~a/p')
        transport.controls.refuse(true)
        breakAll()
        await write('-a/q', '~a/p')
        await run(() => server.expireWatchCaches())
        transport.controls.refuse(false)
        await simulation.advance(100_000)
        expect(log.slice(0, 3)).toEqual(['+a/p 1 first', '+a/q 2 first', '~a/p 1→3'])
        // each is fetched for itself
        expect(log.slice(3).toSorted()).toEqual(['-a/q ?', '~a/p 3→5'])
        expect(await get('a/q')).toBeUndefined()
      },
      { escalateAt: 1 },
    ))

  it('N11: reports failures of its watch to onError, by its resource, but not that it is too old', () =>
    withNarrow(
      async kit => {
        const { run, get, server, simulation } = kit
        const reported = (): unknown[] => simulation.environment.errors.map(({ context }) => context)
        for (const name of ['p', 'q']) await get(`a/${name}`)
        await simulation.advance(1000)
        expect(phase(kit)).toBe('escalated')
        await run(() => server.expireWatchCaches())
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(10_000)
        expect(reported()).toEqual([])
        const effect = { kind: 'status', code: 500 } as const
        const broken = await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(10_000)
        await run(() => broken.remove())
        expect(reported()).toContainEqual({ resource: 'v1/configmaps', phase: 'escalated' })
        await simulation.advance(60_000)
        expect(phase(kit)).toBe('escalated')
      },
      { escalateAt: 1 },
    ))

  it('N11: narrow watches ask for 30 to 60 minutes', () =>
    withNarrow(
      async ({ get, watches, simulation, server, run }) => {
        await get('a/x')
        await run(() => server.resetStats())
        await simulation.advance(1_790_000)
        expect((await run(() => server.stats())).byVerb.watch?.configmaps?.requests).toBe(0)
        await get('a/x')
        await simulation.advance(1_900_000)
        const { byVerb } = await run(() => server.stats())
        expect(byVerb.watch?.configmaps?.requests).toBe(1)
        expect(await watches()).toBe(1)
      },
      { idleMs: Number.POSITIVE_INFINITY },
    ))

  it('N11: one that has no entry any more before it has a state ends, and what nobody needs is not opened', () =>
    withNarrow(
      async ({ narrow, run, get, server, simulation, watches, requests }) => {
        await get('a/x')
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'hang' } }))
        await run(async () => {
          const stop = new AbortController()
          const waiting = narrow.get(configMaps, keyOf('a/y'), { signal: stop.signal })
          await simulation.advance(500)
          expect(narrow.report().escalated).toMatchObject([{ phase: 'escalating', entries: 2 }])
          stop.abort(new Error('enough'))
          await expect(waiting).rejects.toThrow('enough')
        })
        for (const name of ['x', 'y']) expect(narrow.forget(configMaps, keyOf(`a/${name}`))).toBe(true)
        expect(narrow.report()).toMatchObject({ entries: 0, streams: 0, escalated: [] })
        expect(await watches()).toBe(0)

        await run(() => server.faults.add({ match: { name: 'p' }, nth: 1, effect: { kind: 'delay', ms: 5000 } }))
        requests()
        await run(async () => {
          const stop = new AbortController()
          const [first, second] = [
            narrow.get(configMaps, keyOf('b/p')),
            narrow.get(configMaps, keyOf('c/q'), { signal: stop.signal }),
          ]
          await simulation.advance(500)
          expect(narrow.report().waiting).toBe(1)
          stop.abort(new Error('enough'))
          await expect(second).rejects.toThrow('enough')
          expect(narrow.forget(configMaps, keyOf('c/q'))).toBe(true)
          await first
        })
        await simulation.advance(1000)
        expect(requests()).toEqual(['stream fieldSelector=metadata.name=p'])
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1, waiting: 0 })
      },
      { escalateAt: 1, maxOpening: 1 },
    ))

  it('N11: fewer again before it has a state: each is watched by itself', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, get, server, simulation, watches } = kit
        for (const name of ['p', 'q', 'r', 's']) await get(`a/${name}`)
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'hang' } }))
        const last = run(() => narrow.get(configMaps, keyOf('a/t')))
        await simulation.advance(500)
        expect(phase(kit)).toBe('escalating')
        for (const name of ['p', 'q', 'r', 's']) await run(() => narrow.forget(configMaps, keyOf(`a/${name}`)))
        expect(await last).toBeUndefined()
        expect(phase(kit)).toBeUndefined()
        expect(await watches()).toBe(1)
        await write('+a/t')
        expect((await get('a/t'))?.data).toEqual({ n: '1' })
      },
      { escalateAt: 4 },
    ))

  it('N11: an object that its list had before somebody asked for it is there', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await write(...Array.from({ length: 20 }, (_, i) => `+a/n${i + 10}`))
        await get('a/x')
        const effect = { kind: 'slow', bytesPerSecond: 1000 } as const
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
        const rising = run(() => narrow.get(configMaps, keyOf('a/y')))
        await simulation.advance(2000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalating' }])
        expect((await get('a/n10'))?.data).toEqual({ n: '1' })
        expect((await get('a/n29'))?.data).toEqual({ n: '20' })
        expect(await rising).toBeUndefined()
      },
      { escalateAt: 1, cluster: { client: { gzip: false } } },
    ))

  it('N1, N9, N11: an object that came after its list was made, and before somebody asked for it, is there', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await get('a/x')
        const effect = { kind: 'slow', bytesPerSecond: 10 } as const
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
        const rising = run(() => narrow.get(configMaps, keyOf('a/y')))
        await simulation.advance(2000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalating' }])
        await write('+a/z')
        expect((await get('a/z'))?.data).toEqual({ n: '1' })
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
        expect(await rising).toBeUndefined()
      },
      { escalateAt: 1, cluster: { client: { gzip: false } } },
    ))

  it('R23: ends with the cache', () =>
    withNarrow(
      async ({ narrow, run, get, watches, simulation }) => {
        await get('a/x')
        await get('a/y')
        await get('b/x')
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ streams: 2, escalated: [{ namespace: 'a', phase: 'escalated' }] })
        await run(() => narrow.close())
        expect(narrow.report()).toMatchObject({ entries: 0, streams: 0, escalated: [] })
        expect(await watches()).toBe(0)
      },
      { escalateAt: 1 },
    ))
})
