import { configMaps, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { ObjectDependency } from './dependency.ts'
import { allowing, type Kit, keyOf, withReads } from './testkit/kit.ts'

/** Whoever is tested may watch nothing. */
const refusing = allowing(verb => verb !== 'watch')
/** Whether objects may not be watched at present. An entry that nobody reads is let go of soon, so that it is not tried again by itself. */
function denied(): {
  isDenied: boolean
  readonly cluster: ReturnType<typeof allowing>
  readonly narrow: { readonly idleMs: number }
} {
  const isRefused = (): boolean => access.isDenied
  const cluster = allowing(verb => verb !== 'watch' || !isRefused())
  const access = { isDenied: true, cluster, narrow: { idleMs: 15_000 } }
  return access
}
const poll = [{ resource: configMaps, pollMs: 10_000 }]

/** How often the server was asked for a single object since the last call. */
async function gets({ run, server }: Kit, resource = 'configmaps'): Promise<number> {
  const { byVerb } = await run(() => server.stats())
  await run(() => server.resetStats())
  return byVerb.get?.[resource]?.requests ?? 0
}

const servedOf = ({ reads }: Pick<Kit, 'reads'>, key: string): string | undefined => reads.dependencies(key)[0]?.served

describe('polling', () => {
  it('C16: asks for each object once in `pollMs`, and for nothing once no key depends on it', () =>
    withReads({ cluster: refusing, poll }, async kit => {
      const { reading, reads, simulation } = kit
      await reading('k', 'a/x', 'a/y')
      await gets(kit)
      await simulation.advance(9500)
      expect(await gets(kit)).toBe(0)
      await simulation.advance(25_000)
      expect(await gets(kit)).toBe(6)
      await reading('k', 'a/y')
      await gets(kit)
      await simulation.advance(30_000)
      expect(await gets(kit)).toBe(3)
      reads.forget('k')
      await simulation.advance(60_000)
      expect(await gets(kit)).toBe(0)
      await reading('again', 'a/z')
      await gets(kit)
      await simulation.advance(15_000)
      expect(await gets(kit)).toBe(1)
    }))

  it('C16: goes by each resource’s own `pollMs`, and a view of one stands for all of it', () =>
    withReads(
      { cluster: refusing, poll: [...poll, { resource: secrets.within({ labels: 'app=web' }), pollMs: 40_000 }] },
      async kit => {
        const { reconcile, reads, simulation } = kit
        await reconcile('k', async read => {
          await read.get(configMaps, keyOf('a/x'))
          await read.get(secrets, keyOf('a/x'))
        })
        expect(reads.dependencies('k')).toMatchObject([{ pollMs: 10_000 }, { pollMs: 40_000 }])
        await kit.run(() => kit.server.resetStats())
        await simulation.advance(35_000)
        expect(await gets(kit, 'secrets')).toBe(0)
        await simulation.advance(10_000)
        expect([await gets(kit, 'secrets'), await gets(kit)]).toEqual([1, 0])
      },
    ))

  it('C16: goes on with the objects of one resource while the server does not answer for another', () =>
    withReads({ cluster: refusing, poll: [...poll, { resource: secrets, pollMs: 10_000 }] }, async kit => {
      const { reconcile, reading, run, server, simulation } = kit
      await reading('k', ...Array.from({ length: 25 }, (_, i) => `a/x${i}`))
      await reconcile('of secrets', read => read.get(secrets, keyOf('a/x')))
      await run(() => server.faults.add({ match: { verb: 'get', resource: 'configmaps' }, effect: { kind: 'hang' } }))
      await simulation.advance(20_000)
      await gets(kit, 'secrets')
      await simulation.advance(50_000)
      expect(await gets(kit, 'secrets')).toBeGreaterThanOrEqual(4)
    }))

  it('C16: asks for no object twice at once, and for none when it is closed', () =>
    withReads({ cluster: refusing, poll }, async kit => {
      const { reading, reads, run, server, simulation } = kit
      await reading('k', ...Array.from({ length: 25 }, (_, i) => `a/x${i}`))
      await gets(kit)
      await run(() => server.faults.add({ match: { verb: 'get' }, effect: { kind: 'delay', ms: 15_000 } }))
      await simulation.advance(24_000)
      expect(await gets(kit)).toBe(25)
      // Each waits `pollMs` from its own last answer.
      await simulation.advance(13_000)
      expect(await gets(kit)).toBe(25)
      const asking = (): number => simulation.pending().filter(line => line.includes('/configmaps/x')).length
      expect(asking()).toBe(25)
      const before = simulation.clock.monotonic()
      await run(() => reads.close())
      expect([asking(), simulation.clock.monotonic() - before < 1]).toEqual([0, true])
      await simulation.advance(60_000)
      expect(await gets(kit)).toBe(0)
      expect(simulation.environment.errors.filter(({ context }) => context.phase === 'poll')).toEqual([])
    }))

  it('C11, C16: reports once that an object can’t be transformed, as for one that is watched, and that it is gone', () =>
    withReads(
      // No list either: or else the narrow cache meets the object, too.
      {
        cluster: allowing(verb => verb === 'get'),
        poll,
      },
      async ({ reconcile, reads, write, taken, simulation }) => {
        const strict = configMaps.project('reads-strict', () => {
          throw new Error('strict')
        })
        const read = (): Promise<unknown> => reconcile('k', async one => one.get(strict, keyOf('a/x')))
        expect(await read()).toBeUndefined()
        await write('+a/x')
        await simulation.advance(30_000)
        expect(await taken()).toEqual(['k: +a/x'])
        await expect(read()).rejects.toMatchObject({ code: 'TRANSFORM_FAILED', view: strict.key, key: 'a/x' })
        expect(reads.dependencies('k')).toMatchObject([{ served: 'polled', present: true, tracks: 'whole' }])
        const reported = (): readonly object[] =>
          simulation.environment.errors
            .filter(({ error }) => error.name === 'TransformError')
            .map(({ context }) => context)
        await simulation.advance(30_000)
        expect([await taken(), reported()]).toEqual([
          [],
          [{ resource: 'v1/configmaps', phase: 'transform', key: 'a/x' }],
        ])
        await write('-a/x')
        await simulation.advance(15_000)
        expect(await taken()).toEqual(['k: -a/x'])
      },
    ))

  it('C11, C16: reports what can’t be transformed any more when it goes back to a watch', () => {
    const access = denied()
    return withReads(
      { ...access, poll: [{ resource: configMaps, pollMs: 400_000 }] },
      async ({ reconcile, reads, write, taken, simulation }) => {
        const strict = configMaps.project('reads-strict', ({ data }) => {
          if (data?.n !== '1') throw new Error('not one')
          return data.n
        })
        await write('+a/x')
        expect(await reconcile('k', read => read.get(strict, keyOf('a/x')))).toBe('1')
        expect(servedOf({ reads }, 'k')).toBe('polled')
        access.isDenied = false
        await write('-a/x', '+a/x')
        expect(await taken()).toEqual([])
        await simulation.advance(410_000)
        expect([await taken(), servedOf({ reads }, 'k')]).toEqual([['k: ~a/x'], 'single'])
      },
    )
  })

  it('C16: looks each 5 minutes whether there may be a watch again', () => {
    const access = denied()
    return withReads({ ...access, poll }, async kit => {
      const { reading, write, taken, simulation } = kit
      await reading('other', 'a/y')
      await simulation.advance(400_000)
      access.isDenied = false
      await simulation.advance(180_000)
      expect(servedOf(kit, 'other')).toBe('polled')
      await simulation.advance(50_000)
      expect(servedOf(kit, 'other')).toBe('single')
      await gets(kit)
      await write('+a/y')
      expect(await taken()).toEqual(['other: +a/y'])
      await simulation.advance(30_000)
      expect(await gets(kit)).toBe(0)
    })
  })

  it('C16: ends at the next look where somebody else has the object watched', () => {
    const access = denied()
    return withReads({ ...access, poll }, async kit => {
      const { reading, narrow, run, write, taken, simulation } = kit
      await write('+a/y')
      expect(await reading('other', 'a/y')).toEqual(['1'])
      expect(servedOf(kit, 'other')).toBe('polled')
      await simulation.advance(16_000)
      access.isDenied = false
      await run(() => narrow.get(configMaps, keyOf('a/y')))
      await simulation.advance(10_000)
      expect([servedOf(kit, 'other'), narrow.report().subscriptions, await taken()]).toEqual(['single', 1, []])
      await write('~a/y')
      expect(await taken()).toEqual(['other: ~a/y'])
    })
  })

  it('C16: reports a projection without a version when its value has changed', () =>
    withReads({ cluster: refusing, poll }, async ({ reconcile, write, taken, simulation }) => {
      const app = configMaps.project('polled-app', ({ metadata }) => ({ app: metadata?.labels?.app ?? '' }))
      await write('+a/x app=web')
      expect(await reconcile('k', read => read.get(app, { name: 'x' }))).toEqual({ app: 'web' })
      await write('~a/x')
      await simulation.advance(30_000)
      expect(await taken()).toEqual([])
      await write('~a/x app=api')
      await simulation.advance(30_000)
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('C16: takes nothing back, by an answer that comes when the object is watched again', () => {
    const access = denied()
    return withReads({ ...access, poll }, async kit => {
      const { reading, reads, narrow, run, write, taken, server, simulation } = kit
      await write('+a/y')
      expect(await reading('other', 'a/y')).toEqual(['1'])
      await simulation.advance(16_000)
      const match = { verb: 'get', resource: 'configmaps', name: 'y' } as const
      await run(() => server.faults.add({ match, times: 1, effect: { kind: 'delay', ms: 25_000 } }))
      const third = reads.begin('third', { namespace: 'a' })
      const late = third.read.get(configMaps, { name: 'y' })
      await simulation.advance(1000)
      access.isDenied = false
      await run(() => narrow.get(configMaps, keyOf('a/y')))
      await simulation.advance(12_000)
      expect(servedOf(kit, 'other')).toBe('single')
      await write('~a/y')
      expect(await taken()).toEqual(['other: ~a/y'])
      const { resourceVersion } = reads.dependencies('other')[0] as ObjectDependency
      await simulation.advance(20_000)
      expect((await run(() => late))?.data).toEqual({ n: '1' })
      third.succeed()
      // Only the key that was given the older state is notified.
      expect([await taken(), reads.dependencies('other')]).toMatchObject([['third: ~a/y'], [{ resourceVersion }]])
    })
  })

  it('C16: leaves no watch behind that was tried for an object which nobody depends on any more, nor looks at it again', () => {
    const access = denied()
    return withReads({ ...access, poll }, async kit => {
      const { reading, reads, narrow, run, server, simulation } = kit
      await reading('other', 'a/y')
      access.isDenied = false
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 15_000 } }))
      await simulation.advance(305_000)
      expect([servedOf(kit, 'other'), narrow.report().entries]).toEqual(['polled', 1])
      reads.forget('other')
      await simulation.advance(10_000)
      expect([reads.report().objects, narrow.report().subscriptions, narrow.report().idle]).toEqual([0, 0, 1])
      // As long as somebody looks at it, it is not idle.
      await simulation.advance(700_000)
      expect(narrow.report().entries).toBe(0)
    })
  })
})
