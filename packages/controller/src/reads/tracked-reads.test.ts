import { configMaps, namespaces, pods, secrets } from '@wherry/client/resources/core'
import type { NarrowHandler } from '@wherry/narrow-cache'
import { describe, expect, it } from 'vitest'
import type { ReadCause } from './cause.ts'
import type { Read } from './read.ts'
import { keyOf, withReads } from './testkit/kit.ts'
import { TrackedReads } from './tracked-reads.ts'

const nothing = { keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 }

describe('what a run has read', () => {
  it('C11: a key that read an object before its watch showed it runs again if the object is deleted before that', () =>
    withReads(
      { narrow: { timeoutMs: 2000 } },
      async ({ reading, narrow, writer, run, server, simulation, taken, write }) => {
        expect(await reading('k', 'a/x')).toEqual([undefined])
        const effect = { kind: 'status', code: 503 } as const
        const late = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await taken()
        // Another part of the process has written it: reads are to see that, whatever the watch does.
        narrow.wrote(
          configMaps,
          await run(() => writer.create(configMaps, { metadata: keyOf('a/x'), data: { n: '1' } })),
        )
        expect([await reading('k', 'a/x'), narrow.report().subscriptions]).toEqual([['1'], 1])
        await write('-a/x')
        await taken()
        await run(() => late.remove())
        await simulation.advance(60_000)
        expect(await taken()).toEqual(['k: -a/x'])
      },
    ))

  it('C11: its key runs again when an object changes, goes or comes, and for nothing else', () =>
    withReads(async ({ reading, write, taken, causes }) => {
      await write('+a/x', '+a/y')
      expect(await reading('k', 'a/x', 'a/none')).toEqual(['1', undefined])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      await write('~a/y', '+a/none', '-a/x', '-a/y', '-a/none')
      expect(await taken()).toEqual(['k: +a/none', 'k: -a/x', 'k: -a/none'])
      const [changed, appeared, vanished] = causes.map(([, cause]) => cause)
      expect(changed).toMatchObject({ view: configMaps.key, object: 'a/x', change: 'changed' })
      expect(Number(changed?.to)).toBeGreaterThan(Number(changed?.from))
      expect([appeared?.from, vanished?.to]).toEqual([undefined, undefined])
      expect(vanished?.from).toBe(changed?.to)
    }))

  it('C11: what the last successful run did not read any more is let go of', () =>
    withReads(async ({ reading, write, taken, reads, narrow }) => {
      await reading('k', 'a/x', 'a/y')
      expect(reads.report()).toEqual({ ...nothing, keys: 1, dependencies: 2, objects: 2 })
      await reading('k', 'a/y')
      expect(reads.report()).toEqual({ ...nothing, keys: 1, dependencies: 1, objects: 1 })
      expect(narrow.report()).toMatchObject({ entries: 2, idle: 1, subscriptions: 1 })
      await write('+a/x', '+a/y')
      expect(await taken()).toEqual(['k: +a/y'])
      await reading('k')
      expect(reads.report()).toEqual(nothing)
      expect(narrow.report()).toMatchObject({ entries: 2, idle: 2, subscriptions: 0 })
    }))

  it('C11: what was read twice, or by views that are the same, is one dependency', () =>
    withReads(async ({ reconcile, reads, write, taken }) => {
      await reconcile('k', async read => {
        await Promise.all([read.get(configMaps, { name: 'x' }), read.get(configMaps, keyOf('a/x'))])
        await read.get(configMaps.within({}), keyOf('a/x'))
      })
      expect(reads.dependencies('k')).toEqual([
        {
          type: 'object',
          view: configMaps.key,
          object: 'a/x',
          present: false,
          served: 'single',
          pollMs: undefined,
          resourceVersion: undefined,
          tracks: 'whole',
        },
      ])
      await write('+a/x')
      expect(await taken()).toEqual(['k: +a/x'])
      expect(reads.dependencies('k')).toMatchObject([
        { present: true, resourceVersion: expect.stringMatching(/^\d+$/) },
      ])
    }))

  it('C12: after a failed run, it is what that run and the last successful one have read', () =>
    withReads(async ({ reading, reconcile, write, taken, reads }) => {
      const failing = (path: string): Promise<void> =>
        reconcile('k', async read => {
          await read.get(configMaps, keyOf(path))
          throw new Error('on purpose')
        })
      await reading('k', 'a/x')
      await expect(failing('a/y')).rejects.toThrow('on purpose')
      await write('+a/x', '+a/y')
      expect(await taken()).toEqual(['k: +a/x', 'k: +a/y'])
      await expect(failing('a/z')).rejects.toThrow('on purpose')
      await write('~a/x', '~a/y', '+a/z')
      expect(await taken()).toEqual(['k: ~a/x', 'k: +a/z'])
      await reading('k', 'a/y')
      expect(reads.report()).toEqual({ ...nothing, keys: 1, dependencies: 1, objects: 1 })
      await write('~a/x', '~a/y', '~a/z')
      expect(await taken()).toEqual(['k: ~a/y'])
    }))

  it('C12: a key is not kept if its runs have failed before they read anything', () =>
    withReads(async ({ reads, reading }) => {
      reads.begin('k', {}).fail()
      expect(reads.isReader('k')).toBe(false)
      await reading('k', 'a/x')
      reads.begin('k', {}).fail()
      expect(reads.isReader('k')).toBe(true)
    }))

  it('C12: a key that is forgotten depends on nothing', () =>
    withReads(async ({ reading, reads, narrow, write, taken, run }) => {
      await reading('k', 'a/x')
      await reading('other', 'a/x')
      reads.forget('k')
      reads.forget('k')
      reads.forget('unknown')
      await write('+a/x')
      expect(await taken()).toEqual(['other: +a/x'])
      const late = reads.begin('other', {})
      await run(() => late.read.get(configMaps, keyOf('a/y')))
      reads.forget('other')
      late.succeed()
      expect([reads.report(), reads.dependencies('other'), narrow.report().subscriptions]).toEqual([nothing, [], 0])
    }))

  it('C13: what changes between the read and the end of the run makes it run again', () =>
    withReads(async ({ reads, run, write, taken }) => {
      await write('+a/x')
      const one = reads.begin('k', { namespace: 'a' })
      await run(() => one.read.get(configMaps, { name: 'x' }))
      // It depends on nothing before its run has ended, and is notified of changes all the same.
      expect([reads.report().keys, reads.report().objects, reads.dependencies('k')]).toEqual([0, 1, []])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      one.succeed()
      expect(await taken()).toEqual([])
      const two = reads.begin('k', { namespace: 'a' })
      await run(() => two.read.get(configMaps, { name: 'y' }))
      await write('+a/y')
      two.fail()
      expect(await taken()).toEqual(['k: +a/y'])
    }))

  it('C13: what changes while the first state is on its way is read, or makes it run again', () =>
    withReads(async ({ reads, run, writer, taken, simulation }) => {
      const one = reads.begin('k', { namespace: 'a' })
      const reading = one.read.get(configMaps, { name: 'x' })
      const data = await run(async () => {
        await writer.create(configMaps, { metadata: keyOf('a/x'), data: { n: '1' } })
        return (await reading)?.data
      })
      one.succeed()
      await simulation.advance(1000)
      expect([data, await taken()]).toEqual(data === undefined ? [undefined, ['k: +a/x']] : [{ n: '1' }, []])
    }))

  it('C13: a change that is received while the server is asked, because the watch does not know, makes it run again', () =>
    withReads(async ({ client, cache, run }) => {
      const version = (n: number): object => ({ metadata: { name: 'x', uid: 'u', resourceVersion: `${n}` } })
      let reported: NarrowHandler<object> | undefined
      const answers: ((object: object) => void)[] = []
      // It never knows for certain, as with field selectors that only the server can check.
      const narrow = {
        peek: () => undefined,
        watch: async (_: unknown, __: unknown, handler: NarrowHandler<object>) => {
          if (reported === undefined) handler.add?.(version(1), { key: 'a/x', isInInitialList: true })
          reported ??= handler
          return { key: 'a/x', close: async () => {} }
        },
        get: () => new Promise<object>(resolve => answers.push(resolve)),
        part: () => undefined,
        report: () => ({ escalated: [] }),
      }
      /** In microtasks, and not for ever. */
      const untilAsked = async (times: number): Promise<void> => {
        for (let turn = 0; answers.length < times && turn < 10_000; turn++) await Promise.resolve()
        expect(answers).toHaveLength(times)
      }
      const received: string[] = []
      const onChange = (key: string, { from, to }: ReadCause): void => void received.push(`${key} ${from}→${to}`)
      const reads = new TrackedReads({ client, cache, narrow: narrow as never, declared: [], onChange })
      await run(async () => {
        const one = reads.begin('k', { namespace: 'a' })
        const reading = one.read.get(configMaps, { name: 'x' })
        await untilAsked(1)
        reported?.update?.(version(2), { old: version(1), key: 'a/x' })
        answers[0]?.(version(1))
        expect((await reading)?.metadata?.resourceVersion).toBe('1')
        one.succeed()
        expect(received).toEqual(['k undefined→2'])
        const two = reads.begin('l', { namespace: 'a' })
        const again = two.read.get(configMaps, { name: 'x' })
        await untilAsked(2)
        answers[1]?.(version(2))
        await again
        two.succeed()
        expect(received).toHaveLength(1)
        // The same state by another way is none that has changed.
        reported?.update?.(version(2), { old: version(2), key: 'a/x' })
        expect(received).toHaveLength(1)
        reported?.update?.(version(3), { old: version(2), key: 'a/x' })
        expect(received.slice(1)).toEqual(['k 2→3', 'l 2→3'])
        await reads.close()
      })
    }))

  it('C13: an object that comes is received if only the server knew, at the read, that it was not there', () => {
    const running = pods.within({ fields: 'status.phase=Running' })
    return withReads(async ({ reconcile, narrow, writer, run, taken }) => {
      const key = keyOf('a/x')
      const spec = { containers: [{ name: 'c', image: 'c' }] }
      await run(() => narrow.get(running, key))
      await run(async () => narrow.wrote(running, await writer.create(pods, { metadata: key, spec })))
      expect(await reconcile('k', read => read.get(running, key))).toBeUndefined()
      await run(() => writer.patch(pods, key, { metadata: { labels: { a: 'b' } } }))
      expect(await taken()).toEqual([])
      await run(() => writer.status.patch(pods, key, { status: { phase: 'Running' } }))
      expect(await taken()).toEqual(['k: +a/x'])
    })
  })

  it('C14: keys that read one object share its watch, and the last to let go frees it', () =>
    withReads({ narrow: { idleMs: 0 } }, async ({ reading, reads, narrow, write, taken, watches, asked }) => {
      const keys = Array.from({ length: 10 }, (_, i) => `k${i}`)
      asked.splice(0)
      for (const key of keys) await reading(key, 'a/x')
      expect(asked).toHaveLength(1)
      expect(reads.report()).toEqual({ ...nothing, keys: 10, dependencies: 10, objects: 1 })
      expect([narrow.report().subscriptions, await watches()]).toEqual([1, 1])
      await write('+a/x')
      expect(await taken()).toEqual(keys.map(key => `${key}: +a/x`))
      for (const key of keys.slice(1)) reads.forget(key)
      expect([narrow.report().subscriptions, await watches()]).toEqual([1, 1])
      await reading('k0')
      expect([narrow.report().subscriptions, await watches()]).toEqual([0, 0])
    }))

  it('C14: views of one object are distinct, by what each makes of it', () =>
    withReads(async ({ reconcile, reads, write, taken, watches }) => {
      await write('+a/x')
      await reconcile('meta', read => read.get(configMaps.metadata(), { name: 'x' }))
      await reconcile('prod', read => read.get(configMaps.within({ labels: 'stage=prod' }), { name: 'x' }))
      expect(reads.report()).toMatchObject({ objects: 2, dependencies: 2 })
      await write('~a/x')
      expect(await taken()).toEqual(['meta: ~a/x'])
      await write('~a/x stage=prod')
      expect((await taken()).sort()).toEqual(['meta: ~a/x', 'prod: +a/x'])
      await write('~a/x stage=test')
      expect((await taken()).sort()).toEqual(['meta: ~a/x', 'prod: -a/x'])
      expect(await watches()).toBe(2)
    }))

  it('C11: of what a view makes without a resourceVersion, its key runs again when that has another value', () =>
    withReads(async ({ reconcile, write, run, writer, taken }) => {
      await write('+a/x')
      const numbers = configMaps.project('reads-numbers', ({ data }) => ({ n: data?.n }))
      await reconcile('k', read => read.get(numbers, { name: 'x' }))
      await run(() => writer.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app: 'web' } } }))
      expect(await taken()).toEqual([])
      await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: 'new' } }))
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('C14, N11: objects that share a watch of metadata are distinct from those that do not', () =>
    withReads(
      { narrow: { escalateAt: 2, escalateAllAt: Number.POSITIVE_INFINITY } },
      async ({ reconcile, reads, simulation }) => {
        await reconcile('k', async read => {
          for (const name of ['x', 'y', 'z']) await read.get(configMaps, { name })
          await read.get(configMaps, keyOf('b/x'))
          await read.get(secrets, { name: 'x' })
        })
        await simulation.advance(5000)
        const served = reads.dependencies('k').map(one => one.served)
        expect(served).toEqual(['escalated', 'escalated', 'escalated', 'single', 'single'])
      },
    ))

  it('C15: a missing namespace is the view’s only one, else the primary object’s; objects of no namespace have none', () =>
    withReads(async ({ reads, run }) => {
      const { read } = reads.begin('k', { namespace: 'b' })
      const cluster = reads.begin('c', {}).read
      await run(async () => {
        await read.get(configMaps, { name: 'x' })
        await read.get(configMaps, { name: 'x', namespace: 'a' })
        expect((await read.get(namespaces, { name: 'a' }))?.metadata?.name).toBe('a')
        await expect(read.get(namespaces, { name: 'a', namespace: 'b' })).rejects.toMatchObject({
          code: 'INVALID_NAME',
        })
        await expect(cluster.get(configMaps, { name: 'x' })).rejects.toMatchObject({ code: 'INVALID_NAME' })
        const inA = configMaps.within({ namespaces: ['a'] })
        expect(await read.get(inA, { name: 'x' })).toBeUndefined()
        const outside = read.get(inA, { name: 'x', namespace: 'b' })
        await expect(outside).rejects.toMatchObject({ code: 'INVALID_OPTION' })
        await expect(read.get(configMaps, { name: '..' })).rejects.toMatchObject({ code: 'INVALID_NAME' })
      })
    }))

  it('C16: what could not be transformed is an error, and tracked', () =>
    withReads(async ({ reconcile, write, taken, reads, simulation }) => {
      const even = configMaps.project('reads-even', ({ data }) => {
        if (Number(data?.n) % 2 === 1) throw new Error('odd')
        return data?.n
      })
      const read = (): Promise<string | undefined> => reconcile('k', one => one.get(even, { name: 'x' }))
      await write('+a/x')
      await expect(read()).rejects.toMatchObject({ code: 'TRANSFORM_FAILED' })
      expect(reads.dependencies('k')).toMatchObject([{ object: 'a/x', present: true, tracks: 'whole' }])
      await write('~a/x')
      expect([await taken(), await read()]).toEqual([['k: ~a/x'], '2'])
      await write('-a/x')
      expect(await taken()).toEqual(['k: -a/x'])
      expect(simulation.environment.errors.map(({ context }) => context.key)).toContain('a/x')
    }))

  it.each(['single', 'informer'])(
    'C11, C16: a key that has seen that it could not be transformed runs again when it goes, and when one comes (%s)',
    served => {
      const strict = configMaps.within({ namespaces: ['a'] }).project('reads-strict', ({ data }) => {
        if (data?.n !== 'good') throw new Error('bad')
        return data.n
      })
      return withReads(
        { declared: served === 'informer' ? [strict] : [] },
        async ({ reconcile, write, taken, reads }) => {
          const read = (): Promise<string | undefined> =>
            reconcile('k', async one => {
              try {
                return await one.get(strict, { name: 'x' })
              } catch (error) {
                return (error as { readonly code: string }).code
              }
            })
          expect(await read()).toBeUndefined()
          expect(reads.dependencies('k')).toMatchObject([{ object: 'a/x', served }])
          await write('+a/x')
          expect([await taken(), await read()]).toEqual([['k: +a/x'], 'TRANSFORM_FAILED'])
          await write('~a/x')
          expect(await taken()).toEqual([])
          await write('-a/x')
          expect([await taken(), await read()]).toEqual([['k: -a/x'], undefined])
          await write('+a/x')
          expect(await taken()).toEqual(['k: +a/x'])
        },
      )
    },
  )

  it('C11, C16: so does a key that began to depend on it when it was there', () =>
    withReads(async ({ reconcile, write, taken }) => {
      const never = configMaps.project('reads-never', () => {
        throw new Error('never')
      })
      await write('+a/x')
      await expect(reconcile('k', one => one.get(never, { name: 'x' }))).rejects.toMatchObject({
        code: 'TRANSFORM_FAILED',
      })
      await write('-a/x')
      expect(await taken()).toEqual(['k: -a/x'])
    }))
})

describe('a read', () => {
  it('C17: that is used when its run has ended is refused, whichever way it ended', () =>
    withReads(async ({ reads, run, narrow }) => {
      const ends = [
        (one: ReturnType<typeof reads.begin>) => one.succeed(),
        (one: ReturnType<typeof reads.begin>) => one.fail(),
      ]
      for (const end of ends) {
        const one = reads.begin('k', { namespace: 'a' })
        const { get, list, getUntracked } = one.read as { [K in keyof Read]: (...args: unknown[]) => Promise<unknown> }
        end(one)
        one.succeed()
        one.fail()
        const says = expect.stringMatching(/^the run of k has ended.*await/)
        const closed = { name: 'ReadClosedError', code: 'READ_CLOSED', key: 'k', message: says }
        await run(async () => {
          await expect(get(configMaps, { name: 'x' })).rejects.toMatchObject(closed)
          await expect(list(configMaps)).rejects.toMatchObject(closed)
          await expect(getUntracked(configMaps, { name: 'x' })).rejects.toMatchObject(closed)
        })
      }
      expect([reads.report(), narrow.report().entries]).toEqual([nothing, 0])
    }))

  it('C17: that was not waited for tracks nothing, and ends nothing', () =>
    withReads(async ({ reads, run, narrow, simulation }) => {
      const one = reads.begin('k', { namespace: 'a' })
      const late = one.read.get(configMaps, { name: 'x' })
      one.succeed()
      await run(() => expect(late).rejects.toMatchObject({ code: 'READ_CLOSED' }))
      const two = reads.begin('k', { namespace: 'a' })
      void two.read.get(configMaps, { name: 'x' })
      two.succeed()
      await simulation.advance(1000)
      expect([reads.report(), narrow.report().subscriptions]).toEqual([nothing, 0])
    }))

  it('C17: by peek is not tracked', () =>
    withReads(async ({ reconcile, reads, write, taken, narrow }) => {
      await write('+a/x')
      expect((await reconcile('k', read => read.getUntracked(configMaps, { name: 'x' })))?.data).toEqual({ n: '1' })
      await write('~a/x')
      expect([await taken(), reads.report(), narrow.report().subscriptions]).toEqual([[], nothing, 0])
    }))

  it('C17: with a select that gives the same value as before makes nothing run', () =>
    withReads(async ({ reconcile, reads, writer, taken, run, simulation }) => {
      const key = keyOf('a/x')
      const select = ({ data }: { data?: Record<string, string> | undefined }): unknown => ({ of: [data?.n], fix: 1 })
      const read = (): Promise<unknown> => reconcile('k', one => one.get(configMaps, key, { select }))
      const patch = async (data: Record<string, string | null>): Promise<string[]> => {
        await run(() => writer.patch(configMaps, key, { data }))
        return taken()
      }
      expect(await read()).toBeUndefined()
      await run(() => writer.create(configMaps, { metadata: key, data: { n: '1' } }))
      expect([await taken(), await read()]).toEqual([['k: +a/x'], { of: ['1'], fix: 1 }])
      expect(reads.dependencies('k')).toMatchObject([{ tracks: 'selected' }])
      expect([await patch({ beat: '1' }), await patch({ beat: '2' })]).toEqual([[], []])
      expect(await patch({ n: '2' })).toEqual(['k: ~a/x'])
      expect([await patch({ beat: '3' }), await patch({ n: '1' })]).toEqual([[], ['k: ~a/x']])
      await run(() => writer.delete(configMaps, key))
      expect(await taken()).toEqual(['k: -a/x'])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('C17: several parts of one object, and all of it, are each tracked', () =>
    withReads(async ({ reconcile, reads, writer, taken, run, write }) => {
      await write('+a/x')
      const key = keyOf('a/x')
      const part = (name: string) => ({
        select: ({ data }: { data?: Record<string, string> | undefined }) => data?.[name] ?? null,
      })
      await reconcile('k', async read => {
        await read.get(configMaps, key, part('one'))
        await read.get(configMaps, key, part('two'))
      })
      const patch = (data: Record<string, string>): Promise<unknown> =>
        run(() => writer.patch(configMaps, key, { data }))
      await patch({ three: '1' })
      expect(await taken()).toEqual([])
      await patch({ two: '1' })
      await patch({ one: '1' })
      expect(await taken()).toEqual(['k: ~a/x', 'k: ~a/x'])
      await reconcile('k', async read => {
        await read.get(configMaps, key, part('one'))
        await read.get(configMaps, key)
        await read.get(configMaps, key, part('two'))
      })
      expect(reads.dependencies('k')).toMatchObject([{ tracks: 'whole' }])
      await patch({ three: '2' })
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('C17: with a select that gives nothing is as one of an object that is not there', () =>
    withReads(async ({ reconcile, write, taken }) => {
      await write('+a/x', '+a/y')
      for (const name of ['x', 'none']) {
        const select = ({ data }: { data?: Record<string, string> | undefined }): unknown => data?.other
        expect(await reconcile(name, read => read.get(configMaps, { name }, { select }))).toBeUndefined()
      }
      await write('-a/x', '+a/none', '+a/x')
      expect(await taken()).toEqual([])
    }))

  it('C17, X11: with a select that gives an integer of any size is compared to the last digit', () =>
    withReads(async ({ reconcile, write, taken }) => {
      await write('+a/x')
      const select = ({ data }: { data?: Record<string, string> | undefined }): bigint =>
        2n ** 60n + (data?.n === '1' ? 0n : 1n)
      expect(await reconcile('k', read => read.get(configMaps, { name: 'x' }, { select }))).toBe(2n ** 60n)
      await write('~a/x', '~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('X9: with a select that gives a promise that rejects fails, and ends no process', () =>
    withReads(async ({ reconcile, write, taken }) => {
      await write('+a/x')
      const select = async (): Promise<never> => {
        throw new Error('not in time')
      }
      const reading = reconcile('k', read => read.get(configMaps, { name: 'x' }, { select }))
      await expect(reading).rejects.toMatchObject({ code: 'NOT_JSON' })
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      // It becomes one when the object has changed.
      let isAsync = false
      const later = (): unknown => (isAsync ? select() : 'part')
      expect(await reconcile('k', read => read.get(configMaps, { name: 'x' }, { select: later }))).toBe('part')
      isAsync = true
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('C17: with a select that throws, or gives no JSON, fails, and its key runs again with any change', () =>
    withReads(async ({ reads, reconcile, write, taken }) => {
      await write('+a/x')
      const read = (select: (object: object) => unknown): Promise<unknown> =>
        reconcile('k', one => one.get(configMaps, { name: 'x' }, { select }))
      await expect(read(() => new Date(0))).rejects.toMatchObject({ code: 'NOT_JSON' })
      expect(reads.dependencies('k')).toMatchObject([{ tracks: 'whole' }])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      const fails = read(() => {
        throw new Error('can not select')
      })
      await expect(fails).rejects.toThrow('can not select')
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      let calls = 0
      const later = (): number => {
        calls += 1
        if (calls > 1) throw new Error('later')
        return 1
      }
      expect(await read(later)).toBe(1)
      await write('~a/x', '~a/x')
      expect(await taken()).toEqual(['k: ~a/x', 'k: ~a/x'])
    }))

  it('ends with the signal at once while it waits for what was written, or asks the server for that', () =>
    withReads({ narrow: { timeoutMs: 2000 } }, async ({ reads, reading, narrow, writer, run, server, simulation }) => {
      await reading('k', 'a/x')
      const effect = { kind: 'status', code: 503 } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await run(async () => narrow.wrote(configMaps, await writer.create(configMaps, { metadata: keyOf('a/x') })))
      for (const verb of ['get', 'list'] as const) {
        await run(() => server.faults.add({ match: { verb }, effect: { kind: 'hang' } }))
      }
      for (const waitedMs of [500, 1500]) {
        const stop = new AbortController()
        const one = reads.begin('l', { namespace: 'a' })
        const read = one.read.get(configMaps, { name: 'x' }, { signal: stop.signal })
        await simulation.advance(waitedMs)
        const before = simulation.clock.monotonic()
        stop.abort(new Error('enough'))
        await run(() => expect(read).rejects.toThrow('enough'))
        expect(simulation.clock.monotonic() - before).toBeLessThan(1)
        one.fail()
      }
    }))

  it('ends with the signal of the run, or its own, and touches no other read', () =>
    withReads(async ({ reads, run, server, write }) => {
      await write('+a/x')
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } }))
      const [ofRun, own] = [new AbortController(), new AbortController()]
      const one = reads.begin('k', { namespace: 'a' }, ofRun.signal)
      const first = one.read.get(configMaps, { name: 'x' }, { signal: own.signal })
      const second = one.read.get(configMaps, { name: 'x' })
      const third = one.read.get(configMaps, { name: 'x' }, { signal: new AbortController().signal })
      await run(async () => {
        own.abort(new Error('own'))
        await expect(first).rejects.toThrow('own')
        ofRun.abort(new Error('of the run'))
        await expect(second).rejects.toThrow('of the run')
        await expect(third).rejects.toThrow('of the run')
        await expect(one.read.getUntracked(configMaps, { name: 'x' }, { signal: own.signal })).rejects.toThrow('own')
        await expect(one.read.get(configMaps, { name: 'x' }, { signal: own.signal })).rejects.toThrow('own')
        await expect(one.read.list(configMaps)).rejects.toThrow('of the run')
        await expect(one.read.getUntracked(configMaps, { name: 'x' })).rejects.toThrow('of the run')
      })
      one.fail()
      expect(reads.report()).toEqual(nothing)
    }))
})
