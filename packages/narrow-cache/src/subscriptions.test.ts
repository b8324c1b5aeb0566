import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

describe('a subscription', () => {
  it('N6: receives the present state first, then each change in order', () =>
    withNarrow(async ({ narrow, run, write }) => {
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await write('+a/x', '~a/x', '-a/x')
      const later: string[] = []
      await write('+a/x')
      const subscription = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(later)))
      expect(subscription.key).toBe('a/x')
      await write('~a/x')
      await run(() => subscription.close())
      await run(() => subscription[Symbol.asyncDispose]())
      await write('-a/x')
      expect(log).toEqual(['0a/x', '+a/x 1', '~a/x 1→2', '-a/x', '+a/x 4', '~a/x 4→5', '-a/x'])
      expect(later).toEqual(['+a/x 4 first', '~a/x 4→5'])
    }))

  it('N6: is of one view, whatever other views of the object there are', () =>
    withNarrow(async ({ narrow, run, write }) => {
      const [whole, partial]: [string[], string[]] = [[], []]
      const even = configMaps.project('even', ({ data }) => ({ even: Number(data?.n) % 2 === 0 }))
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(whole)))
      await run(() =>
        narrow.watch(even, keyOf('a/x'), {
          add: one => partial.push(`+${one.even}`),
          update: (one, { old }) => partial.push(`~${old.even}→${one.even}`),
          delete: one => partial.push(`-${one.even}`),
        }),
      )
      await write('+a/x', '~a/x', '-a/x')
      expect(whole).toEqual(['0a/x', '+a/x 1', '~a/x 1→2', '-a/x'])
      expect(partial).toEqual(['+false', '~false→true', '-true'])
    }))

  it('N6: an entry stays cached after its last subscription has gone, until it is idle', () =>
    withNarrow(
      async ({ narrow, run, write, get, watches, requests, simulation }) => {
        await write('+a/x')
        const one = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        const two = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        await run(() => one.close())
        await simulation.advance(5000)
        expect(narrow.report()).toMatchObject({ entries: 1, idle: 0, subscriptions: 1 })
        await run(() => two.close())
        requests()
        await simulation.advance(400)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await simulation.advance(900)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(await watches()).toBe(1)
        expect(requests()).toEqual([])
        await simulation.advance(501)
        expect(narrow.report()).toMatchObject({ entries: 0, idle: 0, streams: 0, views: [] })
        expect(await watches()).toBe(0)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(requests()).toHaveLength(1)
      },
      { idleMs: 1000 },
    ))

  it('N6: that is closed twice counts once: the entry stays for those that are left', () =>
    withNarrow(
      async ({ narrow, run, write, get }) => {
        const log: string[] = []
        const one = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        await run(() => one.close())
        await run(() => one.close())
        await get('a/y')
        expect(narrow.forget(configMaps, keyOf('a/x'))).toBe(false)
        await write('+a/x')
        expect(log).toEqual(['0a/x', '+a/x 1'])
      },
      { max: 1, escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
    ))

  it('N6: its signal bounds the wait for the present state, and nothing after that', () =>
    withNarrow(async ({ narrow, run, write, server, simulation }) => {
      const log: string[] = []
      const [early, late] = [new AbortController(), new AbortController()]
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log), { signal: late.signal }))
      late.abort(new Error('late'))
      await write('+a/x')
      expect(log).toEqual(['0a/x', '+a/x 1'])
      await run(() => server.faults.add({ match: { name: 'slow' }, effect: { kind: 'hang' } }))
      await run(async () => {
        const waiting = narrow.watch(configMaps, keyOf('a/slow'), noting(log), { signal: early.signal })
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 2, idle: 0 })
        early.abort(new Error('early'))
        await expect(waiting).rejects.toThrow('early')
        const gone = narrow.watch(configMaps, keyOf('a/slow'), noting(log), { signal: early.signal })
        await expect(gone).rejects.toThrow('early')
      })
      expect(narrow.report()).toMatchObject({ entries: 2, idle: 1, subscriptions: 1 })
    }))

  it('N6: with idleMs 0 an entry goes with its last read or subscription', () =>
    withNarrow(
      async ({ narrow, run, get, watches }) => {
        await get('a/x')
        expect(await watches()).toBe(0)
        const subscription = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        await get('a/x')
        expect(await watches()).toBe(1)
        await run(() => subscription.close())
        expect(await watches()).toBe(0)
      },
      { idleMs: 0 },
    ))

  it('N6: many joins and leaves while changes come lose and double nothing', () =>
    withNarrow(async ({ narrow, run, write }) => {
      const logs: string[][] = []
      const nested: string[] = []
      await run(() =>
        narrow.watch(configMaps, keyOf('a/x'), {
          add: () => void narrow.watch(configMaps, keyOf('a/x'), noting(nested)),
        }),
      )
      for (let i = 0; i < 5; i++) {
        const log: string[] = []
        logs.push(log)
        await Promise.all([
          run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log))),
          write(i === 0 ? '+a/x' : '~a/x'),
        ])
      }
      for (const [i, log] of logs.entries()) {
        const numbers = log.map(line => /(\d+)( first)?$/.exec(line)?.[1]).filter(n => n !== undefined)
        expect(numbers, `${i}: ${log}`).toEqual([...new Set(numbers)].sort())
        expect(numbers.at(-1)).toBe('5')
      }
      expect(nested).toEqual(['+a/x 1 first', '~a/x 1→2', '~a/x 2→3', '~a/x 3→4', '~a/x 4→5'])
    }))

  it('X9: a handler that throws or rejects is reported to onError, and the others receive the event', () =>
    withNarrow(async ({ narrow, run, write, simulation }) => {
      const log: string[] = []
      const broken = {
        absent: () => Promise.reject('later'),
        add: () => {
          throw new Error('now')
        },
      }
      await run(() => narrow.watch(configMaps, keyOf('a/x'), broken))
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await write('+a/x')
      expect(log).toEqual(['0a/x', '+a/x 1'])
      const reported = simulation.environment.errors.map(({ error, context }) => [
        error.message,
        context.phase,
        context.key,
      ])
      expect(reported).toEqual([
        ['a handler of /v1/configmaps failed: "later"', 'handler', 'a/x'],
        ['now', 'handler', 'a/x'],
      ])
    }))
})

describe('the cursor of a view', () => {
  it('N6: follows all entries of the view, in one journal', () =>
    withNarrow(async ({ narrow, run, write, get }) => {
      await write('+a/x', '+b/y', '+b/unrelated')
      await get('a/x')
      const cursor = await run(() => narrow.cursor(configMaps))
      const take = () => cursor.take(10).map(({ type, key }) => (key === undefined ? type : `${type} ${key}`))
      expect(take()).toEqual(['reset', 'changed a/x', 'synced'])
      await get('b/y')
      await write('~a/x', '-b/y', '~b/unrelated')
      expect(take()).toEqual(['changed a/x', 'deleted b/y'])
      await run(() => narrow.forget(configMaps, keyOf('a/x')))
      expect(take()).toEqual([])
      cursor.close()
    }))

  it('N6: given as changes, it ends with their signal', () =>
    withNarrow(async ({ narrow, run, write, get }) => {
      await get('a/x')
      const giveUp = new AbortController()
      const changes = narrow.changes(configMaps, { signal: giveUp.signal })
      const received: string[] = []
      await run(async () => {
        for await (const { type } of changes) {
          received.push(type)
          if (type === 'synced') void write('+a/x').then(() => giveUp.abort(new Error('enough')))
        }
      })
      expect(received).toEqual(['reset', 'synced', 'changed'])
      expect(narrow.report().views).toMatchObject([{ cursors: 0 }])
    }))

  it('N6: ends with the cache, and keeps no view once it is closed', () =>
    withNarrow(async ({ narrow, run, get }) => {
      const changes = narrow.changes(configMaps)
      expect((await run(() => changes.next())).value).toMatchObject({ type: 'reset' })
      expect((await run(() => changes.next())).value).toMatchObject({ type: 'synced' })
      expect(narrow.report().views).toMatchObject([{ view: '/v1/configmaps', cursors: 1 }])
      await run(() => changes.return?.())
      await run(() => narrow.get(configMaps.metadata(), keyOf('a/x')))
      expect(narrow.report().views.map(({ view }) => view)).toEqual(['/v1/configmaps?as=metadata'])
      const rest = narrow.changes(configMaps)
      await get('a/x')
      const all = Promise.all([rest.next(), rest.next(), rest.next()])
      await run(() => narrow.close())
      expect((await all).map(({ done }) => done)).toEqual([false, false, true])
      expect(() => narrow.changes(configMaps)).toThrow(expect.objectContaining({ code: 'NARROW_CLOSED' }))
    }))
})

describe('closing', () => {
  it('R23: ends all: rejects pending waits, calls no handler, leaves no watch', () =>
    withNarrow(async ({ narrow, run, write, get, watches, simulation, server }) => {
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await run(() => server.faults.add({ match: { name: 'slow' }, effect: { kind: 'hang' } }))
      const waiting = run(() => Promise.all([get('a/slow'), narrow.close(), narrow.close()]))
      await expect(waiting).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
      await write('+a/x')
      await simulation.advance(5000)
      expect(log).toEqual(['0a/x'])
      expect(await watches()).toBe(0)
      await expect(get('a/x')).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
      expect(narrow.report()).toMatchObject({ entries: 0, idle: 0, streams: 0, views: [] })
    }))

  it('R23: ends reads past the cache, too', () =>
    withNarrow(
      async ({ narrow, run, get, server, simulation }) => {
        await get('a/x')
        await run(() => server.faults.add({ match: { name: 'x' }, effect: { kind: 'hang' } }))
        const reading = get('a/x')
        reading.catch(() => {})
        await simulation.advance(1000)
        await run(() => narrow.close())
        await expect(reading).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
        expect(simulation.environment.metric('wherry_narrow_entries')).toBe(0)
        expect(simulation.environment.metric('wherry_narrow_streams')).toBe(0)
      },
      { cluster: denying(({ verb }) => verb === 'watch') },
    ))

  it('R23: closes at the end of a block that uses it; later calls are errors, and send no request', () =>
    withNarrow(async ({ narrow, run, get, requests }) => {
      await get('a/x')
      requests()
      await run(() => narrow[Symbol.asyncDispose]())
      const closed = { code: 'NARROW_CLOSED' }
      await expect(get('a/x')).rejects.toMatchObject(closed)
      await expect(run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))).rejects.toMatchObject(closed)
      expect(() => narrow.cursor(configMaps)).toThrow(expect.objectContaining(closed))
      expect([narrow.peek(configMaps, keyOf('a/x')), narrow.forget(configMaps, keyOf('a/x'))]).toEqual([
        undefined,
        false,
      ])
      expect(requests()).toEqual([])
    }))
})

describe('closing while a subscription is being made', () => {
  it('R23: calls its handler with nothing', () =>
    withNarrow(async ({ narrow, run, get }) => {
      await get('a/x')
      const log: string[] = []
      const making = run(() => {
        const one = narrow.watch(configMaps, keyOf('a/x'), noting(log))
        const two = narrow.get(configMaps, keyOf('a/x'), { signal: new AbortController().signal })
        void narrow.close()
        return Promise.allSettled([one, two])
      })
      expect((await making).map(one => (one as { reason?: unknown }).reason)).toMatchObject([
        { code: 'NARROW_CLOSED' },
        { code: 'NARROW_CLOSED' },
      ])
      expect(log).toEqual([])
    }))
})

describe('peek and forget', () => {
  it('report the entries, and close one that nobody needs', () =>
    withNarrow(async ({ narrow, run, write, get, watches, requests }) => {
      await write('+a/x')
      expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
      expect(narrow.forget(configMaps, keyOf('a/x'))).toBe(false)
      expect(requests()).toEqual([])
      await get('a/x')
      await get('a/none')
      expect(narrow.peek(configMaps, keyOf('a/x'))?.object?.data).toEqual({ n: '1' })
      expect(narrow.peek(configMaps, keyOf('a/none'))).toEqual({ object: undefined })
      const subscription = await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
      expect(narrow.forget(configMaps, keyOf('a/x'))).toBe(false)
      await run(() => subscription.close())
      expect(narrow.forget(configMaps, keyOf('a/x'))).toBe(true)
      expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
      expect(await watches()).toBe(1)
      expect(narrow.report()).toMatchObject({ entries: 1, idle: 1 })
    }))
})
