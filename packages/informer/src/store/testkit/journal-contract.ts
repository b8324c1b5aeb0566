import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import { changesOf } from '../../journal/changes-of.ts'
import type { Store } from '../store.ts'
import type { StoreWriter } from '../store-writer.ts'
import { type Bed, bed, type Item, item, line, type MakeOptions, type MakeStore } from './objects.ts'

/** What the journal of every store must keep (rules R38, R39). */
export function journalContract(make: MakeStore): void {
  let at: Bed
  let store: Store<Item, 'namespaced'>
  let writer: StoreWriter
  let version = 0

  const begin = (options: Partial<MakeOptions> = {}): void => {
    at = bed()
    version = 0
    store = make({ environment: at.environment, ...options })
    writer = store.writer()
  }
  const list = (...keys: readonly string[]): void => {
    const snapshot = writer.replace()
    for (const key of keys) snapshot.put(item(key, ++version), 100)
    snapshot.commit()
  }
  const put = (key: string): void => writer.change('MODIFIED', item(key, ++version), 100)
  const remove = (key: string): void => writer.change('DELETED', item(key, ++version), 100)
  const lines = (cursor: { take(max: number): Parameters<typeof line>[0][] }, max = 1000): string[] =>
    cursor.take(max).map(line)
  const tick = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }

  beforeEach(() => begin())

  describe('the journal', () => {
    it('R38: begins with reset and all that is there, and ends a replay with synced', () => {
      list('a/x', 'a/y')
      const cursor = store.cursor()
      expect(cursor.lag).toBe(4)
      expect(lines(cursor)).toEqual(['reset', 'changed a/x@1', 'changed a/y@2', 'synced'])
      expect([cursor.lag, lines(cursor)]).toEqual([0, []])
      expect(cursor.take(1)).toEqual([])
    })

    it('R38: gives view and key with each change', () => {
      list('a/x')
      const cursor = store.cursor()
      const { view } = store
      expect(cursor.take(9)).toEqual([
        { type: 'reset', view },
        { type: 'changed', view, key: 'a/x', object: item('a/x', 1) },
        { type: 'synced', view, failed: [] },
      ])
    })

    it('R38: does not say synced before the store has synced, and not before all of its first list was read', () => {
      const other = store.writer()
      const cursor = store.cursor()
      expect(lines(cursor)).toEqual(['reset'])
      list('a/x', 'a/y', 'a/z')
      expect(lines(cursor)).toEqual(['changed a/x@1', 'changed a/y@2', 'changed a/z@3'])
      const snapshot = other.replace()
      snapshot.put(item('b/x', ++version), 100)
      snapshot.commit()
      put('a/x')
      expect(cursor.lag).toBeGreaterThanOrEqual(3)
      expect(lines(cursor)).toEqual(['changed a/x@5', 'changed b/x@4', 'synced'])
    })

    it('R38: coalesces by key, in the order of the last change', () => {
      list('a/x', 'a/y')
      const cursor = store.cursor()
      lines(cursor)
      put('a/x')
      put('a/y')
      put('a/x')
      expect(cursor.lag).toBe(2)
      expect(lines(cursor)).toEqual(['changed a/y@4', 'changed a/x@5'])
    })

    it('R38: returns at most as many as asked for, and goes on from there', () => {
      list('a/x', 'a/y', 'a/z')
      const cursor = store.cursor()
      const reads = [1, 2, 1, 5].map(max => lines(cursor, max))
      expect(reads).toEqual([['reset'], ['changed a/x@1', 'changed a/y@2'], ['changed a/z@3'], ['synced']])
    })

    it('R38: a replay ends however fast objects change, and misses nothing that is alive', () => {
      const keys = Array.from({ length: 20 }, (_, index) => `a/${index}`)
      list(...keys)
      const cursor = store.cursor()
      const received: string[] = []
      while (!received.includes('synced') && received.length < 100) {
        for (const key of keys) put(key)
        received.push(...cursor.take(1).map(change => change.key ?? change.type))
      }
      expect(received).toEqual(['reset', ...keys, 'synced'])
    })

    it('R38: reads each key within two rounds though all change faster than it reads', () => {
      const keys = Array.from({ length: 20 }, (_, index) => `a/${index}`)
      list(...keys)
      const cursor = store.cursor()
      lines(cursor)
      const received = new Set<string | undefined>()
      for (let read = 0; read < 40; read++) {
        // Always the same ones last, so that the first come to the end again and again.
        for (const key of keys) put(key)
        const [change] = cursor.take(1)
        received.add(change?.key)
      }
      expect([...received].sort()).toEqual([...keys].sort())
    })

    it('R38: a lap has deletes too', () => {
      list('a/1', 'a/2', 'a/3')
      const cursor = store.cursor()
      lines(cursor)
      const received: string[] = []
      for (const key of ['a/1', 'a/2', 'a/3', 'a/1', 'a/2']) {
        put(key)
        put('a/3')
        received.push(...lines(cursor, 1))
      }
      remove('a/1')
      remove('a/2')
      received.push(...lines(cursor))
      expect(received.slice(-3)).toContain('deleted a/1@14')
      expect(received).toContain('deleted a/2@15')
      expect(received).not.toContain('reset')
    })

    it('W10: one that was deleted and created again is deleted, then changed', () => {
      list('a/x')
      const cursor = store.cursor()
      lines(cursor)
      remove('a/x')
      writer.change('ADDED', item('a/x', 9, { uid: 'other' }), 100)
      expect(lines(cursor)).toEqual(['deleted a/x@2', 'changed a/x@9'])
    })

    it('R39: keeps one tombstone of a key, of its last object', () => {
      list('a/x')
      const cursor = store.cursor()
      lines(cursor)
      remove('a/x')
      writer.change('ADDED', item('a/x', 5, { uid: 'second' }), 100)
      writer.change('DELETED', item('a/x', 6, { uid: 'second' }), 70)
      expect(store.stats()).toMatchObject({ tombstones: 1, tombstoneBytes: 70 })
      expect(lines(cursor)).toEqual(['deleted a/x@6'])
    })

    it('R39: keeps tombstones until each cursor has passed them, and none without a cursor that needs them', () => {
      list('a/x', 'a/y', 'a/z')
      remove('a/x')
      expect(store.stats().tombstones).toBe(0)
      const [one, two, unread] = [store.cursor(), store.cursor(), store.cursor()]
      lines(one)
      lines(two)
      remove('a/y')
      remove('a/z')
      expect(store.stats()).toMatchObject({ tombstones: 2, tombstoneBytes: 200, cursors: 3 })
      expect(lines(one, 1)).toEqual(['deleted a/y@5'])
      expect(lines(two, 2)).toEqual(['deleted a/y@5', 'deleted a/z@6'])
      expect(store.stats().tombstones).toBe(1)
      one.close()
      expect(store.stats().tombstones).toBe(0)
      expect(lines(unread)).toEqual(['reset', 'synced'])
    })

    it('R39: a cursor skips the tombstones that are older than its own start, though another one needs them', () => {
      list('a/x', 'a/y')
      const early = store.cursor()
      lines(early)
      remove('a/x')
      const late = store.cursor()
      expect(store.stats().tombstones).toBe(1)
      expect(lines(late)).toEqual(['reset', 'changed a/y@2', 'synced'])
      remove('a/y')
      expect([lines(early), lines(late)]).toEqual([['deleted a/x@3', 'deleted a/y@4'], ['deleted a/y@4']])
    })

    it('R39: one that falls behind the bound on tombstones reads reset, and all again up to synced', () => {
      begin({ maxTombstones: 2 })
      list('a/1', 'a/2', 'a/3', 'a/4')
      const [slow, quick] = [store.cursor(), store.cursor()]
      lines(slow)
      lines(quick)
      remove('a/1')
      remove('a/2')
      expect([slow.resets, store.stats().tombstones]).toEqual([0, 2])
      expect(lines(quick)).toEqual(['deleted a/1@5', 'deleted a/2@6'])
      remove('a/3')
      expect([slow.resets, quick.resets, store.stats().tombstones]).toEqual([1, 0, 1])
      expect(lines(slow)).toEqual(['reset', 'changed a/4@4', 'synced'])
      expect(lines(quick)).toEqual(['deleted a/3@7'])
      expect(store.stats().tombstones).toBe(0)
    })

    it('R39: the same for their bytes', () => {
      begin({ maxTombstoneBytes: 150 })
      list('a/1', 'a/2')
      const cursor = store.cursor()
      lines(cursor)
      remove('a/1')
      expect(cursor.resets).toBe(0)
      remove('a/2')
      expect([cursor.resets, store.stats().tombstoneBytes]).toEqual([1, 0])
      expect(lines(cursor)).toEqual(['reset', 'synced'])
    })

    it('R39: says how far it lags, and for how long', async () => {
      list('a/x', 'a/y')
      const cursor = store.cursor()
      lines(cursor)
      await at.simulation.run(async () => {
        expect([cursor.lag, cursor.lagMs]).toEqual([0, 0])
        put('a/x')
        await at.simulation.advance(5000)
        put('a/y')
        await at.simulation.advance(3000)
        expect(cursor.lag).toBe(2)
        expect(Math.abs(cursor.lagMs - 8000)).toBeLessThan(1000)
        cursor.take(1)
        expect(Math.abs(cursor.lagMs - 3000)).toBeLessThan(1000)
        cursor.take(1)
        expect([cursor.lag, cursor.lagMs]).toEqual([0, 0])
        const late = store.cursor()
        await at.simulation.advance(4000)
        expect(Math.abs(late.lagMs - 4000)).toBeLessThan(1000)
      })
    })

    it('R38: wakes a waiting reader once, in a microtask, and only if there is something to read', async () => {
      list('a/x')
      const cursor = store.cursor()
      const woken: string[] = []
      cursor.wake(() => woken.push('replaced'))
      cursor.wake(() => woken.push('there is something'))
      expect(woken).toEqual([])
      await tick()
      expect(woken).toEqual(['there is something'])
      lines(cursor)
      cursor.wake(() => woken.push('a change'))
      await tick()
      expect(woken).toHaveLength(1)
      put('a/x')
      put('a/x')
      expect(woken).toHaveLength(1)
      await tick()
      put('a/x')
      await tick()
      expect(woken).toEqual(['there is something', 'a change'])
      lines(cursor)
      cursor.wake(() => woken.push('the end'))
      cursor.close()
      cursor.close()
      await tick()
      expect(woken.at(-1)).toBe('the end')
      expect([cursor.closed, cursor.take(3), cursor.lag, cursor.lagMs]).toEqual([true, [], 0, 0])
    })

    it('X9: a wake that throws does not keep other cursors from waking', async () => {
      list()
      const woken: string[] = []
      const [bad, good] = [store.cursor(), store.cursor()]
      bad.wake(() => {
        throw new Error('bad wake')
      })
      good.wake(() => woken.push('good'))
      await tick()
      expect(woken).toEqual(['good'])
      expect(at.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
        ['bad wake', 'cursor'],
      ])
    })

    it('R38: as an iterator gives one change after the other, and ends with the store', async () => {
      list('a/x')
      const received: string[] = []
      const changes = changesOf(store.cursor())
      const reading = (async () => {
        for await (const change of changes) received.push(line(change))
      })()
      await tick()
      await tick()
      put('a/x')
      for (let turn = 0; turn < 10; turn++) await tick()
      expect(received).toEqual(['reset', 'changed a/x@1', 'synced', 'changed a/x@2'])
      store.close(new Error('over'))
      await reading
    })

    it('R38: the iterator closes its cursor when one stops reading, and when its signal is aborted', async () => {
      list('a/x')
      const one = store.cursor()
      for await (const change of changesOf(one)) if (change.type === 'changed') break
      expect(one.closed).toBe(true)
      const two = store.cursor()
      const controller = new AbortController()
      const changes = changesOf(two, { signal: controller.signal })
      two.take(9)
      const [first, second] = [changes.next(), changes.next()]
      controller.abort()
      expect(await Promise.all([first, second, changes.next()])).toEqual(
        Array(3).fill({ done: true, value: undefined }),
      )
      expect(two.closed).toBe(true)
      const three = store.cursor()
      await changesOf(three, { signal: controller.signal }).next()
      expect(three.closed).toBe(true)
    })

    it('X6: the iterator takes a signal that is none for a mistake', () => {
      expect(() => changesOf(store.cursor(), { signal: 5 } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', option: 'changes.signal' }),
      )
    })

    it.each(['the signal is aborted', 'one stops reading', 'the store is closed'])(
      'R23: the iterator is over, and leaves nothing on its signal, once %s',
      async how => {
        list('a/x')
        const cursor = store.cursor()
        const controller = new AbortController()
        const { signal } = controller
        const changes = changesOf(cursor, { signal })
        for (let read = 0; read < 3; read++) expect(await changes.next()).toMatchObject({ done: false })
        const waiting = [changes.next(), changes.next()]
        expect(getEventListeners(signal, 'abort')).toHaveLength(1)
        const over = { done: true, value: undefined }
        if (how === 'one stops reading') expect(await changes.return?.()).toEqual(over)
        else if (how === 'the signal is aborted') controller.abort()
        else store.close(new Error('over'))
        expect(await Promise.all(waiting)).toEqual([over, over])
        expect(await changes.next()).toEqual(over)
        expect([cursor.closed, getEventListeners(signal, 'abort').length]).toEqual([true, 0])
      },
    )

    it('has no trace of what was forgotten', () => {
      list('a/x')
      const one = store.writer({ key: 'a/one' })
      const snapshot = one.replace()
      snapshot.put(item('a/one', ++version), 50)
      snapshot.commit()
      const cursor = store.cursor()
      lines(cursor)
      one.change('MODIFIED', item('a/one', ++version), 50)
      one.close({ forget: true })
      expect([cursor.lag, lines(cursor), store.size]).toEqual([0, [], 1])
      expect(store.stats()).toMatchObject({ objects: 1, receivedBytes: 100, tombstones: 0 })
    })
  })
}
