import type { Simulation } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Cursor } from '../../journal/cursor.ts'
import type { Store } from '../store.ts'
import type { StoreWriter } from '../store-writer.ts'
import { bed, type Item, item, line, type MakeStore, recorder } from './objects.ts'

/** What cursors and handlers of every store receive for keys that are there and have never had a value (rules R30, W8). */
export function failedContract(make: MakeStore): void {
  let store: Store<Item, 'namespaced'>
  let writer: StoreWriter
  let version = 0
  let simulation: Simulation

  const begin = (maxTombstones?: number): void => {
    version = 0
    const at = bed()
    simulation = at.simulation
    store = make({
      environment: at.environment,
      maxTombstones,
      transform: object => {
        if ((object as Item).data?.value === 'bad') throw new Error('bad value')
        return object as Item
      },
    })
    writer = store.writer()
  }
  const list = (...items: readonly Item[]): void => {
    const snapshot = writer.replace()
    for (const one of items) snapshot.put(one, 100)
    snapshot.commit()
  }
  const good = (key: string): Item => item(key, ++version)
  /** An object that can't be transformed: each time another one. */
  const bad = (key: string): Item => item(key, ++version, { value: 'bad', uid: `bad-${version}` })
  const put = (object: Item): void => writer.change('MODIFIED', object, 100)
  const remove = (key: string): void => {
    writer.change('DELETED', item(key, ++version, { uid: store.version(key)?.uid }), 100)
  }
  const lines = (cursor: Cursor<Item>, max = 1000): string[] => cursor.take(max).map(line)

  beforeEach(() => begin())

  describe('a handler', () => {
    const listen = (): string[] => {
      const log: string[] = []
      store.register({
        ...recorder(log),
        onTransformFailed: ({ key, isThere }) => {
          log.push(`${key} ${isThere ? 'is there' : 'is gone'}`)
        },
      })
      return log
    }

    it('R30: receives the key of an object without a value, and its deletion, after all others', () => {
      const log = listen()
      list(bad('a/x'), good('a/y'))
      expect(log.splice(0)).toEqual(['add a/y@2 initial', 'a/x is there'])
      put(bad('a/y'))
      expect(log.splice(0)).toEqual(['delete a/y@2 unknown', 'a/y is there'])
      put(good('a/x'))
      expect(log.splice(0)).toEqual(['add a/x@4'])
      remove('a/x')
      remove('a/y')
      expect(log.splice(0)).toEqual(['delete a/x@5', 'a/y is gone'])
      put(bad('a/y'))
      remove('a/y')
      expect(log).toEqual(['a/y is there', 'a/y is gone'])
    })

    it('R30: receives nothing when one is dropped, and its key again when it appears again', () => {
      const log = listen()
      list()
      const one = store.writer({ key: 'a/x' })
      const failing = (through: StoreWriter): void => {
        const snapshot = through.replace()
        snapshot.put(bad('a/x'), 100)
        snapshot.commit()
      }
      failing(one)
      expect(log.splice(0)).toEqual(['a/x is there'])
      one.close({ forget: true })
      expect(log).toEqual([])
      failing(store.writer({ key: 'a/x' }))
      expect(log).toEqual(['a/x is there'])
    })

    it('R30: receives a key once, whatever other states or objects of its name come, and none that keeps a value', () => {
      const log = listen()
      list(item('a/x', 1), item('a/y', 2, { value: 'bad', uid: 'y' }))
      expect(log.splice(0)).toEqual(['add a/x@1 initial', 'a/y is there'])
      put(item('a/y', 3, { value: 'bad', uid: 'y' }))
      put(item('a/x', 4, { value: 'bad' }))
      put(item('a/y', 5, { value: 'bad', uid: 'other' }))
      expect(log).toEqual([])
    })

    it('R30, R31: one that joins late receives those that are there, in the next turn, and not those gone by then', async () => {
      list(bad('a/x'), bad('a/y'), bad('a/z'), good('a/good'))
      const log = listen()
      remove('a/x')
      put(item('a/y', 9))
      expect(log).toEqual([])
      await simulation.run(() => simulation.settle())
      expect(log.splice(0)).toEqual(['add a/good@4 initial', 'add a/y@9', 'a/z is there'])
      remove('a/z')
      expect(log).toEqual(['a/z is gone'])
    })

    it('R30, R31: one that is behind receives its deletion, if it came and went with a value in between', async () => {
      list(good('a/good'))
      const log = listen()
      put(bad('a/x'))
      put(good('a/x'))
      remove('a/x')
      expect(log).toEqual(['a/x is there', 'a/x is gone'])
      put(bad('a/y'))
      put(item('a/y', 9))
      await simulation.run(() => simulation.settle())
      expect(log.slice(2)).toEqual(['a/y is there', 'add a/good@1 initial', 'add a/y@9'])
    })

    it('R26, R30: does not receive a key that has a value again when its turn comes', () => {
      const log: string[] = []
      store.register({
        add: (_, { key }) => {
          if (key === 'a/good') for (const object of [bad('a/x'), good('a/x'), bad('a/y')]) put(object)
        },
      })
      store.register({
        ...recorder(log),
        onTransformFailed: ({ key, isThere }) => {
          log.push(`${key} ${isThere ? 'is there' : 'is gone'}`)
        },
      })
      list(good('a/good'))
      expect(log).toEqual(['add a/good@1 initial', 'add a/x@3', 'a/y is there'])
    })

    it('R32, R33: one that throws is reported to onError, one that was removed receives nothing', () => {
      const { environment } = bed()
      store = make({
        environment,
        transform: () => {
          throw new Error('bad')
        },
      })
      writer = store.writer()
      const received: string[] = []
      store.register({
        onTransformFailed: () => {
          throw new Error('thrown')
        },
      })
      const registration = store.register({ onTransformFailed: ({ key }) => received.push(key) })
      list(good('a/x'))
      registration.remove()
      put(good('a/y'))
      expect(received).toEqual(['a/x'])
      const handlers = environment.errors.filter(({ context }) => context.phase === 'handler')
      expect(handlers.map(({ error, context }) => [error.message, context.key])).toEqual([
        ['thrown', 'a/x'],
        ['thrown', 'a/y'],
      ])
    })
  })

  describe('a cursor that has reported a key without a value to its user', () => {
    it('R30, W8: begins again when that is gone, and does not name it any more', async () => {
      list(bad('a/x'), good('a/y'))
      const cursor = store.cursor()
      expect(lines(cursor)).toEqual(['reset', 'changed a/y@2', 'synced a/x'])
      let woken = 0
      cursor.wake(() => woken++)
      remove('a/x')
      await Promise.resolve()
      expect([woken, cursor.resets, cursor.lag]).toEqual([1, 1, 3])
      expect(lines(cursor)).toEqual(['reset', 'changed a/y@2', 'synced'])
    })

    it('R30, W8: so it does when a list says that it is gone', () => {
      list(bad('a/x'), good('a/y'))
      const cursor = store.cursor()
      lines(cursor)
      list(item('a/y', 2))
      expect(lines(cursor)).toEqual(['reset', 'changed a/y@2', 'synced'])
    })

    it('R30, W8: reads the deletion of an object that it knew before a loss of tombstones, and that came again without a value', () => {
      begin(0)
      list(good('a/x'), good('a/y'))
      const cursor = store.cursor()
      lines(cursor)
      put(bad('a/x'))
      expect([cursor.resets, lines(cursor)]).toEqual([1, ['reset', 'changed a/y@2', 'synced a/x']])
      remove('a/x')
      expect([cursor.resets, lines(cursor)]).toEqual([2, ['reset', 'changed a/y@2', 'synced']])
    })

    it('R30, W8: reads nothing when another one of that name takes its place, with a value or without', () => {
      list(bad('a/x'), bad('a/y'))
      const cursor = store.cursor()
      lines(cursor)
      put(bad('a/x'))
      put(good('a/y'))
      expect([cursor.resets, lines(cursor)]).toEqual([0, ['changed a/y@4']])
      remove('a/x')
      expect(lines(cursor)).toEqual(['reset', 'changed a/y@4', 'synced'])
    })

    it('R30: once it has read an object of that name it reads its deletion, and none after that', () => {
      list(bad('a/x'), bad('a/y'))
      const cursor = store.cursor()
      lines(cursor)
      put(good('a/x'))
      expect(lines(cursor)).toEqual(['changed a/x@3'])
      remove('a/x')
      put(bad('a/x'))
      remove('a/x')
      expect([cursor.resets, lines(cursor)]).toEqual([0, ['deleted a/x@4']])
      put(good('a/y'))
      remove('a/y')
      expect(lines(cursor)).toEqual(['deleted a/y@8'])
      put(bad('a/y'))
      remove('a/y')
      expect([cursor.resets, lines(cursor)]).toEqual([0, []])
    })

    it('R30: nor does it begin again for one that came after it had read all: it can hold nothing of that name', () => {
      list(bad('a/x'), bad('a/y'), good('a/z'))
      const cursor = store.cursor()
      lines(cursor)
      put(bad('a/new'))
      remove('a/new')
      expect(cursor.resets).toBe(0)
      put(bad('a/new'))
      remove('a/x')
      expect(lines(cursor)).toEqual(['reset', 'changed a/z@3', 'synced a/y a/new'])
      remove('a/new')
      expect([cursor.resets, lines(cursor)]).toEqual([1, []])
      remove('a/y')
      expect([cursor.resets, lines(cursor)]).toEqual([2, ['reset', 'changed a/z@3', 'synced']])
    })

    it('R30, W8: begins again for a key if it had read the former object, but not its deletion', () => {
      list(bad('a/x'), bad('a/y'), good('a/read'), good('a/unread'))
      const cursor = store.cursor()
      lines(cursor)
      put(bad('a/read'))
      expect(lines(cursor)).toEqual(['deleted a/read@3 unknown'])
      put(bad('a/unread'))
      remove('a/x')
      expect(lines(cursor)).toEqual(['reset', 'synced a/y a/read a/unread'])
      remove('a/read')
      expect([cursor.resets, lines(cursor)]).toEqual([1, []])
      remove('a/unread')
      expect([cursor.resets, lines(cursor)]).toEqual([2, ['reset', 'synced a/y']])
    })

    it('R30, W8: what goes, or comes again, before the replay is over is named as it is in the end', () => {
      list(bad('a/x'), bad('a/y'), bad('a/z'))
      const cursor = store.cursor()
      lines(cursor)
      remove('a/x')
      remove('a/y')
      put(bad('a/y'))
      expect([cursor.resets, lines(cursor, 1)]).toEqual([1, ['reset']])
      remove('a/z')
      put(bad('a/x'))
      expect([cursor.resets, lines(cursor)]).toEqual([1, ['synced a/y a/x']])
      remove('a/x')
      expect([cursor.resets, lines(cursor)]).toEqual([2, ['reset', 'synced a/y']])
      remove('a/y')
      expect([cursor.resets, lines(cursor)]).toEqual([3, ['reset', 'synced']])
    })

    it('R30: one that has read nothing, or is closed, has nothing to begin again', () => {
      list(bad('a/x'), bad('a/y'))
      const [unread, closed, other] = [store.cursor(), store.cursor(), store.cursor()]
      lines(closed)
      lines(other)
      closed.close()
      remove('a/x')
      expect([unread, closed, other].map(cursor => cursor.resets)).toEqual([0, 0, 1])
      expect(lines(unread)).toEqual(['reset', 'synced a/y'])
    })

    it('R39: keeps no tombstone for a cursor that begins again', () => {
      list(bad('a/x'), good('a/y'))
      const cursor = store.cursor()
      lines(cursor)
      remove('a/y')
      expect(store.stats().tombstones).toBe(1)
      remove('a/x')
      expect(store.stats().tombstones).toBe(0)
      expect(lines(cursor)).toEqual(['reset', 'synced'])
      put(good('a/y'))
      remove('a/y')
      expect([store.stats().tombstones, lines(cursor), store.stats().tombstones]).toEqual([1, ['deleted a/y@6'], 0])
    })
  })
}
