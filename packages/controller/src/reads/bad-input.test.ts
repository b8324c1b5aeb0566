import { configMaps, nodes } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { TrackedReadsOptions } from './options.ts'
import type { Read } from './read.ts'
import { keyOf, withReads } from './testkit/kit.ts'
import { TrackedReads } from './tracked-reads.ts'

const wrong: readonly (readonly [string, Partial<Record<keyof TrackedReadsOptions | 'other', unknown>>, string])[] = [
  ['no client', { client: undefined }, 'reads.client'],
  ['what is no client', { client: {} }, 'reads.client'],
  ['no cache', { cache: undefined }, 'reads.cache'],
  ['what is no narrow cache', { narrow: {} }, 'reads.narrow'],
  ['no views', { declared: undefined }, 'reads.declared'],
  ['views that are no list', { declared: configMaps }, 'reads.declared'],
  ['what is no view', { declared: [configMaps, 'configmaps'] }, 'reads.declared[1]'],
  ['no listener', { onChange: undefined }, 'reads.onChange'],
  ['policies that are no list', { poll: {} }, 'reads.poll'],
  ['a policy of nothing', { poll: [{ pollMs: 1000 }] }, 'reads.poll[0].resource'],
  ['a policy of what is no resource', { poll: [{ resource: {}, pollMs: 1000 }] }, 'reads.poll[0].resource'],
  ['a policy without a time', { poll: [{ resource: configMaps }] }, 'reads.poll[0].pollMs'],
  ['a policy of too short a time', { poll: [{ resource: configMaps, pollMs: 999 }] }, 'reads.poll[0].pollMs'],
  ['an endless policy', { poll: [{ resource: configMaps, pollMs: Number.POSITIVE_INFINITY }] }, 'reads.poll[0].pollMs'],
  ['an unknown part of a policy', { poll: [{ resource: configMaps, pollMs: 1000, ms: 1 }] }, 'reads.poll[0].ms'],
  ['an empty name', { name: '' }, 'reads.name'],
  ['an unknown option', { other: 1 }, 'reads.other'],
]

/** It says what the option takes, and what was given. */
const message = expect.stringMatching(/ takes \S.*, got \S| is an unknown option; valid options are \S/)
const invalid = (option: string): object => ({ code: 'INVALID_OPTION', option, message })

describe('wrong options', () => {
  it.each(wrong)('X6: %s is refused, by its name', (_, given, option) =>
    withReads(async ({ client, cache, narrow }) => {
      const all = { client, cache, narrow, declared: [], onChange() {}, ...given } as never
      expect(() => new TrackedReads(all)).toThrow(expect.objectContaining(invalid(option)))
    }),
  )

  it('X6: no options, keys that are no text, and signals that are none are refused', () =>
    withReads(async ({ reads }) => {
      expect(() => new TrackedReads(undefined as never)).toThrow(expect.objectContaining(invalid('reads')))
      expect(() => reads.begin(1 as never, {})).toThrow(expect.objectContaining({ option: 'begin.key' }))
      expect(() => reads.writes.wrote(configMaps, 'x' as never)).toThrow(
        expect.objectContaining({ option: 'wrote.answer' }),
      )
      for (const signal of [null, {}, 'signal']) {
        expect(() => reads.begin('k', {}, signal as never)).toThrow(expect.objectContaining({ option: 'begin.signal' }))
      }
      expect(reads.report().keys).toBe(0)
    }))

  it('X1, X6: reads with a wrong view, key or option are refused, and ask nothing', () =>
    withReads({ declared: [configMaps, nodes] }, async ({ reads, run, asked, taken }) => {
      await taken()
      asked.splice(0)
      const { read } = reads.begin('k', { namespace: 'a' })
      // What covers it has the other namespaces too.
      const inB = configMaps.within({ namespaces: ['b', 'c'] })
      const { get, list, getUntracked } = read as { [K in keyof Read]: (...args: unknown[]) => Promise<unknown> }
      const name = { code: 'INVALID_NAME', what: 'name' }
      const namespace = { code: 'INVALID_NAME', what: 'namespace' }
      const refused: [Promise<unknown>, object][] = [
        [get(undefined, { name: 'x' }), invalid('view')],
        [get(null, { name: 'x' }), invalid('view')],
        [get('configmaps', { name: 'x' }), invalid('view')],
        [get(configMaps), invalid('key')],
        [get(configMaps, 'x'), invalid('key')],
        [get(configMaps, {}), name],
        [get(configMaps, { name: 'x', namespace: '../b' }), namespace],
        [
          get(nodes, { name: 'x', namespace: 'a' }),
          { ...namespace, message: expect.stringContaining('nodes have none') },
        ],
        [get(inB, { name: 'x' }), { ...invalid('namespace'), takes: expect.stringContaining('b, c') }],
        [get(configMaps, { name: 'x?watch=1' }), name],
        [get(configMaps, { name: 'x' }, { select: 'data' }), invalid('get.select')],
        [get(configMaps, { name: 'x' }, { signal: 1 }), invalid('get.signal')],
        [get(configMaps, { name: 'x' }, { other: 1 }), invalid('get.other')],
        [get(configMaps, { name: 'x' }, null), invalid('get')],
        [getUntracked(configMaps, { name: '' }), name],
        [getUntracked(undefined, { name: 'x' }), invalid('view')],
        [getUntracked(configMaps, { name: 'x' }, { select: () => 1 }), invalid('getUntracked.select')],
        [list(undefined), invalid('view')],
        [list(configMaps, { index: 'x' }), invalid('list.index')],
        [list(configMaps, { labels: 'a=b=c' }), invalid('list.labels')],
        [list(configMaps, { labels: 1 }), invalid('list.labels')],
        [list(configMaps, { namespace: '..' }), namespace],
        [list(configMaps, { namespace: '' }), namespace],
        [list(inB, { namespace: 'a' }), { ...invalid('namespace'), takes: expect.stringContaining('b, c') }],
        [list(nodes, { namespace: 'a' }), { ...namespace, message: expect.stringContaining('nodes have none') }],
      ]
      await run(async () => {
        for (const [one, error] of refused) await expect(one).rejects.toMatchObject(error)
      })
      expect([asked, reads.report().objects, reads.report().selections]).toEqual([[], 0, 0])
    }))

  it('D1: another function of the same name is a conflict, whichever way the first is served', () => {
    const once = configMaps.project('reads-twice', ({ data }) => data?.n)
    const twice = configMaps.project('reads-twice', ({ data }) => data?.n)
    const conflict = { code: 'VIEW_CONFLICT', view: once.key }
    const test = (declared: readonly (typeof once)[]): Promise<void> =>
      withReads({ declared }, async ({ reconcile }) => {
        await reconcile('k', read => read.get(once, { name: 'x' }))
        await expect(reconcile('l', read => read.get(twice, { name: 'x' }))).rejects.toMatchObject(conflict)
        await expect(reconcile('l', read => read.get(twice, { name: 'y' }))).rejects.toMatchObject(conflict)
        if (declared.length === 0) return
        await reconcile('k', read => read.list(once))
        await expect(reconcile('l', read => read.list(twice))).rejects.toMatchObject(conflict)
      })
    return Promise.all([test([]), test([once])]).then(() => {})
  })

  it('X9: a listener that throws is reported to onError, and all others receive the change', () =>
    withReads(async ({ reading, onChange, write, taken, simulation }) => {
      await reading('k', 'a/x')
      await reading('l', 'a/x')
      onChange(() => {
        throw 'not even an error'
      })
      await write('+a/x')
      expect(await taken()).toEqual(['k: +a/x', 'l: +a/x'])
      expect(simulation.environment.errors).toMatchObject([
        { error: { cause: 'not even an error' }, context: { phase: 'onChange', key: 'a/x', resource: configMaps.key } },
        { context: { phase: 'onChange' } },
      ])
    }))

  it('X9: a listener that rejects is reported to onError', () =>
    withReads(async ({ client, cache, narrow, run, write, simulation }) => {
      const onChange = async (key: string): Promise<void> => Promise.reject(new Error(`no ${key}`))
      await using reads = new TrackedReads({ client, cache, narrow, declared: [], onChange })
      const one = reads.begin('k', { namespace: 'a' })
      await run(() => one.read.get(configMaps, { name: 'x' }))
      one.succeed()
      await write('+a/x')
      expect(simulation.environment.errors).toMatchObject([
        { error: { message: 'no k' }, context: { phase: 'onChange', key: 'a/x', resource: configMaps.key } },
      ])
    }))
})

describe('closing', () => {
  it('ends all reads, reports no further change, and lets go of all that was watched', () =>
    withReads(
      { declared: [configMaps] },
      async ({ reads, reading, reconcile, narrow, cache, run, write, taken, server, simulation }) => {
        await reading('k', 'a/x')
        await reconcile('l', read => read.list(configMaps))
        await run(() => server.faults.add({ match: { name: 'late' }, effect: { kind: 'hang' } }))
        const one = reads.begin('m', { namespace: 'a' })
        const late = one.read.get(configMaps.full(), { name: 'late' })
        const before = simulation.clock.monotonic()
        await run(async () => {
          const first = reads.close()
          expect(reads.close()).toBe(first)
          expect(reads[Symbol.asyncDispose]()).toBe(first)
          await first
          await expect(late).rejects.toThrow()
          await expect(one.read.get(configMaps, { name: 'x' })).rejects.toMatchObject({ code: 'READ_CLOSED' })
          await expect(reads.begin('n', {}).read.list(configMaps)).rejects.toMatchObject({ code: 'READ_CLOSED' })
        })
        expect(simulation.clock.monotonic() - before).toBeLessThan(1)
        one.succeed()
        reads.begin('o', {}).fail()
        expect(reads.report()).toEqual({ keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 })
        expect(narrow.report().subscriptions).toBe(0)
        expect(cache.report().informers).toMatchObject([{ holders: ['test'], registrations: 0 }])
        await write('+a/x')
        expect(await taken()).toEqual([])
      },
    ))

  it('a run that did not end before the next one of its key counts as failed', () =>
    withReads(async ({ reads, reading, run, write, taken }) => {
      await reading('k', 'a/x')
      const forgotten = reads.begin('k', { namespace: 'a' })
      await run(() => forgotten.read.get(configMaps, keyOf('a/y')))
      const next = reads.begin('k', { namespace: 'a' })
      await run(() =>
        expect(forgotten.read.get(configMaps, keyOf('a/z'))).rejects.toMatchObject({ code: 'READ_CLOSED' }),
      )
      forgotten.succeed()
      await write('+a/x', '+a/y')
      expect(await taken()).toEqual(['k: +a/x', 'k: +a/y'])
      next.succeed()
      expect(reads.dependencies('k')).toEqual([])
    }))
})
