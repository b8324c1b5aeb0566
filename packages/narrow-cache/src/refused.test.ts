import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Subscription } from './handler.ts'
import { denying } from './testkit/denials.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { listsFirst, phases } from './testkit/rising.ts'

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
        expect([phases(kit), await watches()]).toEqual([['escalated 5'], 1])
        // A role is bound again.
        isDenied = true
        await endWatches(kit)
        await simulation.advance(10_000)
        expect([phases(kit), await watches()]).toEqual([[], 5])
        isDenied = false
        await simulation.advance(600_000)
        expect([phases(kit), await watches()]).toEqual([['escalated 5'], 1])
      },
      { escalateAt: 3, cluster: denyingMany(() => isDenied) },
    )
  })

  it('N11: is reported again if it was allowed since, and ended because few were left', () => {
    let isDenied = true
    return withNarrow(
      async kit => {
        const { narrow, run, simulation } = kit
        const reported = () => simulation.environment.errors.map(({ context }) => context.phase)
        const [, ...others] = await watchAll(kit)
        await simulation.advance(1000)
        expect([phases(kit), reported()]).toEqual([[], ['escalate']])
        isDenied = false
        await simulation.advance(600_000)
        expect(phases(kit)).toEqual(['escalated 5'])
        for (const one of others) await run(() => one.close())
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 1, escalated: [] })
        isDenied = true
        await watchAll(kit)
        await simulation.advance(1000)
        expect([phases(kit), reported()]).toEqual([[], ['escalate', 'escalate']])
      },
      { escalateAt: 3, idleMs: 0, cluster: denyingMany(() => isDenied) },
    )
  })

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
  it('N11: has each object watched by itself again, is reported once, and is tried again until it may', () => {
    let isDenied = true
    return withNarrow(
      async kit => {
        const { write, simulation, get, watches } = kit
        const { errors } = simulation.environment
        const log: string[] = []
        await listsFirst(kit)
        await watchAll(kit, paths, log)
        await simulation.advance(1_500_000)
        expect([phases(kit), await watches(), errors.length]).toEqual([[], 5, 1])
        await write('+a/p')
        expect((await get('a/p'))?.data).toEqual({ n: '1' })
        isDenied = false
        await simulation.advance(600_000)
        expect([phases(kit), await watches(), errors.length]).toEqual([['escalated 5'], 1, 1])
        await write('~a/p')
        expect(log.slice(5)).toEqual(['+a/p 1', '~a/p 1→2'])
      },
      { escalateAt: 3, cluster: denyingMany(({ verb }) => isDenied && verb === 'watch') },
    )
  })
})

describe('an escalation where the server can’t stream lists', () => {
  it('N11: costs a waiting read no watch of its own, and no fetch, if it is watched at once', () =>
    withNarrow(
      async kit => {
        const { narrow, run, requests } = kit
        const readAll = (all: string[]) => run(() => Promise.all(all.map(name => narrow.get(configMaps, keyOf(name)))))
        const many = Array.from({ length: 110 }, (_, i) => `a/n${i}`)
        await listsFirst(kit)
        await readAll(many.slice(0, 10))
        requests()
        await readAll(many.slice(10))
        expect([phases(kit), requests()]).toEqual([['escalated 110'], ['list', expect.stringMatching(/^watch rv=/)]])
      },
      { escalateAt: 10 },
    ))
})

describe('a watch of one object that was refused', () => {
  it('N10: is tried again for later subscriptions, once a second, and for nothing else', () => {
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
