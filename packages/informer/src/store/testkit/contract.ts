import { beforeEach, describe, expect, it } from 'vitest'
import { TransformError } from '../../errors.ts'
import type { Store } from '../store.ts'
import type { StoreWriter } from '../store-writer.ts'
import {
  type Bed,
  bed,
  contentsOf,
  type Item,
  item,
  line,
  type MakeOptions,
  type MakeStore,
  recorder,
  shown,
} from './objects.ts'

/** What every store must keep. `make` gives an empty one; the tests run in the file that calls this. */
export function storeContract(make: MakeStore): void {
  let at: Bed
  let store: Store<Item, 'namespaced'>
  let writer: StoreWriter

  const begin = (options: Partial<MakeOptions> = {}): void => {
    at = bed()
    store = make({ environment: at.environment, ...options })
    writer = store.writer()
  }
  const replace = (objects: readonly Item[], by: StoreWriter = writer): void => {
    const snapshot = by.replace()
    for (const object of objects) snapshot.put(object, 100)
    snapshot.commit()
  }
  const listen = (name = ''): string[] => {
    const log: string[] = []
    store.register(recorder(log, name))
    return log
  }

  beforeEach(() => begin())

  describe('lists', () => {
    it('R26: shows nothing of a list before it is committed, and all of it then', () => {
      const snapshot = writer.replace()
      snapshot.put(item('a/x', 1), 100)
      snapshot.put(item('a/y', 2), 100)
      expect([contentsOf(store), store.size, store.synced]).toEqual([[], 0, false])
      snapshot.commit()
      expect([contentsOf(store), store.size, store.synced]).toEqual([['a/x@1', 'a/y@2'], 2, true])
      snapshot.commit()
      expect(contentsOf(store)).toEqual(['a/x@1', 'a/y@2'])
    })

    it('R26: delivers deletes first, then adds and updates', () => {
      replace([item('a/gone', 1), item('a/old', 2), item('a/same', 3)])
      const log: string[] = []
      store.register(recorder(log))
      return at.simulation.run(async () => {
        await at.simulation.settle()
        log.length = 0
        replace([item('a/new', 7), item('a/old', 8), item('a/same', 3)])
        expect(log).toEqual(['delete a/gone@1 unknown', 'add a/new@7', 'update a/old@2 a/old@8'])
      })
    })

    it('R8: keeps the stored object of an item with its uid and resourceVersion', () => {
      replace([item('a/x', 1), item('a/y', 2)])
      const kept = store.get('a/x')
      replace([item('a/x', 1, { value: 'a copy' }), item('a/y', 3)])
      expect(store.get('a/x')).toBe(kept)
      expect(contentsOf(store)).toEqual(['a/x@1', 'a/y@3'])
    })

    it('R28: delivers no event for an object that is the same after a relist', () => {
      replace([item('a/x', 1)])
      const cursor = store.cursor()
      cursor.take(10)
      const log = listen()
      return at.simulation.run(async () => {
        await at.simulation.settle()
        log.length = 0
        replace([item('a/x', 1)])
        expect([log, cursor.take(10)]).toEqual([[], []])
      })
    })

    it('R5, R28: after a server was restored, one resourceVersion may be two states, and an equal state is no event', () => {
      replace([item('a/x', 1), item('a/y', 2), item('a/z', 3)])
      const cursor = store.cursor()
      cursor.take(10)
      const [kept, log] = [store.get('a/x'), listen()]
      return at.simulation.run(async () => {
        await at.simulation.settle()
        log.length = 0
        const snapshot = writer.replace({ reuse: false })
        for (const one of [item('a/x', 1), item('a/y', 2, { value: 'another' })]) snapshot.put(one, 100)
        snapshot.commit()
        expect(log).toEqual(['delete a/z@3 unknown', 'update a/y@2 a/y@another'])
        expect(cursor.take(10).map(line)).toEqual(['deleted a/z@3 unknown', 'changed a/y@another'])
        expect(store.get('a/x')).toBe(kept)
        replace([item('a/x', 1), item('a/y', 2)])
        expect(contentsOf(store)).toEqual(['a/x@1', 'a/y@another'])
      })
    })

    it('R27: deletes what a relist does not have, its final state unknown', () => {
      replace([item('a/x', 1), item('a/y', 2)])
      const cursor = store.cursor()
      cursor.take(10)
      replace([item('a/y', 2)])
      expect(contentsOf(store)).toEqual(['a/y@2'])
      expect(cursor.take(10).map(line)).toEqual(['deleted a/x@1 unknown'])
    })

    it('R29: delivers a delete and an add for an object that was deleted and created again between two lists', () => {
      const log = listen()
      const cursor = store.cursor()
      replace([item('a/x', 1)])
      cursor.take(10)
      replace([item('a/x', 5, { uid: 'other' })])
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@1 unknown', 'add a/x@5'])
      expect(cursor.take(10).map(line)).toEqual(['deleted a/x@1 unknown', 'changed a/x@5'])
    })

    it('R29: delivers a delete and an add for an event of another uid', () => {
      const log = listen()
      replace([item('a/x', 1)])
      writer.change('MODIFIED', item('a/x', 5, { uid: 'other' }), 100)
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@1 unknown', 'add a/x@5'])
    })

    it('R10: what was removed while a list is read is not in it', () => {
      const snapshot = writer.replace()
      snapshot.put(item('a/x', 1), 100)
      snapshot.remove(item('a/x', 2))
      snapshot.put(item('a/y', 3), 100)
      snapshot.commit()
      expect(contentsOf(store)).toEqual(['a/y@3'])
      const second = writer.replace()
      second.put(item('a/y', 3), 100)
      second.remove(item('a/y', 4))
      second.commit()
      expect(contentsOf(store)).toEqual([])
    })

    it('R30: transforms each state that it is given once, and none of a list that is dropped', () => {
      const given: string[] = []
      begin({
        transform: object => {
          given.push(shown(object as Item))
          return object as Item
        },
      })
      const snapshot = writer.replace()
      for (const version of [1, 1, 2]) snapshot.put(item('a/x', version), 100)
      snapshot.drop()
      snapshot.put(item('a/y', 3), 100)
      snapshot.remove(item('a/x', 2))
      expect(given).toEqual(['a/x@1', 'a/x@2'])
    })

    it('takes the last state that a list has of a key', () => {
      replace([item('a/x', 1)])
      replace([item('a/x', 1), item('a/x', 4), item('a/x', 5)])
      expect(contentsOf(store)).toEqual(['a/x@5'])
      replace([item('a/x', 6), item('a/x', 5)])
      expect(contentsOf(store)).toEqual(['a/x@5'])
    })

    it('drops a list that another one follows, and one that is dropped', () => {
      const first = writer.replace()
      first.put(item('a/x', 1), 100)
      const second = writer.replace()
      first.commit()
      expect(store.synced).toBe(false)
      second.put(item('a/y', 2), 100)
      second.drop()
      second.commit()
      expect([store.synced, contentsOf(store)]).toEqual([false, []])
    })

    it('has synced when all its writers have, and stays so', () => {
      const synced: string[] = []
      store.onSynced(() => synced.push('synced'))
      store.onSynced(() => synced.push('taken back'))()
      const other = store.writer()
      replace([])
      replace([])
      expect([store.synced, writer.synced, other.synced, synced]).toEqual([false, true, false, []])
      replace([item('b/x', 1)], other)
      expect([store.synced, synced]).toEqual([true, ['synced']])
      store.writer()
      expect(store.synced).toBe(true)
      store.onSynced(() => synced.push('at once'))
      expect(synced).toEqual(['synced', 'at once'])
    })

    it('X9: a sync listener that throws does not keep it from the others', () => {
      const synced: string[] = []
      store.onSynced(() => {
        throw 'no error'
      })
      store.onSynced(() => synced.push('synced'))
      replace([item('a/x', 1)])
      expect(synced).toEqual(['synced'])
      expect(at.environment.errors).toMatchObject([
        { error: { message: expect.stringContaining('synced'), cause: 'no error' }, context: { phase: 'synced' } },
      ])
    })

    it('a removed sync listener is not called, even if the same function was added twice', () => {
      let count = 0
      const fn = (): void => {
        count++
      }
      const takeBack = store.onSynced(fn)
      store.onSynced(fn)
      takeBack()
      takeBack()
      replace([])
      expect(count).toBe(1)
      store.onSynced(fn)()
      expect(count).toBe(2)
    })

    it('has synced when the one that had not is closed', () => {
      const other = store.writer()
      replace([])
      other.close()
      expect(store.synced).toBe(true)
    })

    it('has not synced when no writer ever did', () => {
      writer.close()
      expect(store.synced).toBe(false)
    })
  })

  describe('events', () => {
    it('R25: has changed, indices and all, before any handler is called', () => {
      const seen: unknown[] = []
      store.addIndex('value', object => [object.data?.value ?? ''])
      store.register({
        add: (_, { key }) =>
          seen.push([key, contentsOf(store), store.list({ index: { name: 'value', value: '1' } }).length]),
        update: object => {
          expect(store.get('a/x')).toBe(object)
          seen.push([contentsOf(store)])
        },
        delete: () => seen.push([store.size]),
      })
      replace([])
      writer.change('ADDED', item('a/x', 1), 100)
      writer.change('MODIFIED', item('a/x', 2), 100)
      writer.change('DELETED', item('a/x', 3), 100)
      expect(seen).toEqual([['a/x', ['a/x@1'], 1], [['a/x@2']], [0]])
    })

    it('R27: a DELETED event delivers the last state as it came, and that it is final', () => {
      const log = listen()
      replace([item('a/x', 1)])
      const cursor = store.cursor()
      cursor.take(10)
      writer.change('DELETED', item('a/x', 2), 100)
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@2'])
      expect(cursor.take(10).map(line)).toEqual(['deleted a/x@2'])
      expect(store.get('a/x')).toBeUndefined()
    })

    it('R25: passes each handler the state that it received last', () => {
      const log = listen()
      replace([])
      for (const version of [1, 2, 3]) writer.change(version === 1 ? 'ADDED' : 'MODIFIED', item('a/x', version), 100)
      expect(log).toEqual(['add a/x@1', 'update a/x@1 a/x@2', 'update a/x@2 a/x@3'])
    })

    it('a delivery that is doubled is no change', () => {
      const log = listen()
      replace([item('a/x', 1)])
      writer.change('ADDED', item('a/x', 1), 100)
      writer.change('DELETED', item('a/y', 2), 100)
      expect(log).toEqual(['add a/x@1 initial'])
    })

    it('D8: clearing a writer deletes what came by it, and no more', () => {
      const other = store.writer()
      replace([item('a/x', 1)])
      replace([item('b/x', 2)], other)
      const log = listen()
      return at.simulation.run(async () => {
        await at.simulation.settle()
        log.length = 0
        writer.clear()
        expect([log, contentsOf(store)]).toEqual([['delete a/x@1 unknown'], ['b/x@2']])
      })
    })

    it('a writer that is closed changes nothing any more', () => {
      replace([item('a/x', 1)])
      const snapshot = writer.replace()
      writer.close()
      writer.close({ forget: true })
      snapshot.put(item('a/y', 2), 100)
      snapshot.commit()
      replace([item('a/y', 2)])
      writer.change('ADDED', item('a/y', 2), 100)
      writer.clear()
      expect(contentsOf(store)).toEqual(['a/x@1'])
    })

    it('clears nothing once it is closed, and takes nothing of a list that was begun before', () => {
      replace([item('a/x', 1), item('a/y', 2)])
      const begun = writer.replace()
      begun.put(item('a/z', 3), 100)
      writer.close()
      writer.clear()
      begun.commit()
      expect(contentsOf(store)).toEqual(['a/x@1', 'a/y@2'])
    })

    it('R39: keeps by default the tombstones of 32 MiB of objects, and no more', () => {
      replace(['a/x', 'a/y', 'a/z'].map((key, index) => item(key, index + 1)))
      const cursor = store.cursor()
      cursor.take(10)
      const mebibytes = (count: number): number => count * 1024 * 1024
      writer.change('DELETED', item('a/x', 4), mebibytes(20))
      writer.change('DELETED', item('a/y', 5), mebibytes(12))
      expect([cursor.resets, store.stats().tombstoneBytes]).toEqual([0, mebibytes(32)])
      writer.change('DELETED', item('a/z', 6), 1)
      expect(cursor.resets).toBe(1)
    })

    it('N6: forgets what came by a writer without a word', () => {
      replace([item('a/x', 1)])
      const log = listen()
      const cursor = store.cursor()
      cursor.take(10)
      return at.simulation.run(async () => {
        await at.simulation.settle()
        log.length = 0
        writer.close({ forget: true })
        expect([log, cursor.take(10), contentsOf(store)]).toEqual([[], [], []])
      })
    })

    it('R13: of what two writers both have, the newer state stays, and is the one’s that has it', () => {
      const other = store.writer()
      replace([item('a/x', 5)])
      replace([item('a/x', 3)], other)
      expect(contentsOf(store)).toEqual(['a/x@5'])
      writer.change('DELETED', item('a/x', 9), 100)
      expect(contentsOf(store)).toEqual([])
      writer.change('ADDED', item('a/x', 10), 100)
      other.change('MODIFIED', item('a/x', 12), 100)
      writer.change('DELETED', item('a/x', 11), 100)
      expect(contentsOf(store)).toEqual(['a/x@12'])
      replace([])
      expect(contentsOf(store)).toEqual(['a/x@12'])
      replace([], other)
      expect(contentsOf(store)).toEqual([])
    })

    it('what another writer lists in the same state is that one’s from then on, unless it is gone by the end', () => {
      const other = store.writer()
      replace([item('a/x', 1), item('a/y', 2)])
      const log = listen()
      const snapshot = other.replace()
      for (const one of [item('a/x', 1), item('a/y', 2)]) snapshot.put(one, 100)
      snapshot.remove(item('a/y', 3))
      snapshot.commit()
      replace([])
      expect(contentsOf(store)).toEqual(['a/x@1'])
      replace([], other)
      expect(contentsOf(store)).toEqual([])
      return at.simulation.run(async () => {
        await at.simulation.settle()
        expect(log).toEqual([])
      })
    })

    it('an object that another writer receives in the same state is that one’s from then on', () => {
      const other = store.writer()
      replace([item('a/x', 1)])
      other.change('ADDED', item('a/x', 1), 100)
      replace([])
      expect(contentsOf(store)).toEqual(['a/x@1'])
      other.clear()
      expect(contentsOf(store)).toEqual([])
    })

    it('R5, R13: an older state that the writer itself brings is stored; so it is once the other one is closed', () => {
      replace([item('a/x', 5)])
      replace([item('a/x', 3)])
      expect(contentsOf(store)).toEqual(['a/x@3'])
      writer.close()
      const other = store.writer()
      replace([item('a/x', 2)], other)
      expect(contentsOf(store)).toEqual(['a/x@2'])
    })

    it('R29: a DELETED event of another uid does not deliver the final state of the one that was there', () => {
      const log = listen()
      replace([item('a/x', 1)])
      writer.change('DELETED', item('a/x', 5, { uid: 'other' }), 100)
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@1 unknown'])
    })

    it('R35: what comes with the first list is in the indices that were there before it', () => {
      store.addIndex('value', object => [object.data?.value ?? ''])
      replace([item('a/x', 1), item('a/y', 2)])
      expect(store.list({ index: { name: 'value', value: '2' } })).toEqual([item('a/y', 2)])
    })

    it('writers of one object each share a store', () => {
      const one = store.writer({ key: 'a/one' })
      const two = store.writer({ key: 'a/two' })
      replace([])
      replace([item('a/one', 1)], one)
      replace([item('a/two', 2)], two)
      replace([], one)
      expect([contentsOf(store), store.synced]).toEqual([['a/two@2'], true])
    })
  })

  describe('what can not be transformed', () => {
    beforeEach(() =>
      begin({
        transform: object => {
          if ((object as Item).data?.value === 'bad') throw new Error('bad value')
          return object as Item
        },
      }),
    )
    const bad = { value: 'bad' }

    it('R30: is kept as failed where there is no earlier value: get throws, list leaves it out', () => {
      const log = listen()
      const cursor = store.cursor()
      replace([item('a/x', 1, bad), item('a/y', 2)])
      expect(() => store.get('a/x')).toThrow(TransformError)
      expect(contentsOf(store)).toEqual(['a/y@2'])
      expect([store.failed(), store.size]).toEqual([['a/x'], 2])
      expect([...store.keys()]).toEqual(['a/x', 'a/y'])
      expect(store.version('a/x')).toEqual({ uid: 'a/x', resourceVersion: '1' })
      expect(log).toEqual(['add a/y@2 initial'])
      expect(cursor.take(10).map(line)).toEqual(['reset', 'changed a/y@2', 'synced a/x'])
      expect(at.environment.errors.map(({ error, context }) => [error.name, context])).toEqual([
        ['TransformError', { resource: 'v1/configmaps', phase: 'transform', key: 'a/x' }],
      ])
      expect(store.stats()).toMatchObject({ objects: 2, failed: 1, transformFailures: 1 })
      const failures = 'wherry_informer_transform_failures_total'
      expect(at.environment.metric(failures, { resource: 'v1/configmaps' })).toBe(1)
    })

    it('R30: leaves an earlier value, stale, and moves nothing in the journal', () => {
      const log = listen()
      const cursor = store.cursor()
      replace([item('a/x', 1)])
      cursor.take(10)
      writer.change('MODIFIED', item('a/x', 2, bad), 100)
      expect([contentsOf(store), store.failed()]).toEqual([['a/x@1'], ['a/x']])
      expect(store.version('a/x')?.resourceVersion).toBe('2')
      expect([log, cursor.take(10)]).toEqual([['add a/x@1 initial'], []])
      writer.change('MODIFIED', item('a/x', 3), 100)
      expect(log).toEqual(['add a/x@1 initial', 'update a/x@1 a/x@3'])
      expect([cursor.take(10).map(line), store.failed()]).toEqual([['changed a/x@3'], []])
    })

    it('R30: each failure is reported and counted, the newest is what readers get, and bytes are of the newest state', () => {
      replace([item('a/x', 1, bad), item('a/y', 2)])
      const reasons = (): unknown[] => at.environment.errors.map(({ context }) => context.key)
      const first = at.environment.errors[0]?.error
      writer.change('MODIFIED', item('a/x', 3, bad), 130)
      writer.change('MODIFIED', item('a/y', 4, bad), 150)
      expect([reasons(), store.stats()]).toMatchObject([
        ['a/x', 'a/x', 'a/y'],
        { transformFailures: 3, failed: 2, receivedBytes: 280 },
      ])
      const newest = at.environment.errors[1]?.error
      expect(newest).not.toBe(first)
      expect(() => store.get('a/x')).toThrow(expect.toSatisfy(error => error.cause === newest?.cause))
      writer.change('MODIFIED', item('a/x', 5), 90)
      expect(store.stats()).toMatchObject({ failed: 1, receivedBytes: 240 })
    })

    it('R30: tries again when the resourceVersion changes, and not before', () => {
      replace([item('a/x', 1, bad)])
      replace([item('a/x', 1)])
      expect(store.failed()).toEqual(['a/x'])
      const log = listen()
      replace([item('a/x', 2)])
      expect([log, contentsOf(store), store.failed()]).toEqual([['add a/x@2'], ['a/x@2'], []])
    })

    it('R30: after a server was restored, one that fails is tried again, and may fail as before', () => {
      replace([item('a/x', 1, bad), item('a/y', 2), item('a/z', 3, bad)])
      const snapshot = writer.replace({ reuse: false })
      for (const one of [item('a/x', 1, bad), item('a/y', 2, bad), item('a/z', 3)]) snapshot.put(one, 100)
      snapshot.commit()
      expect([contentsOf(store), store.failed().toSorted()]).toEqual([
        ['a/y@2', 'a/z@3'],
        ['a/x', 'a/y'],
      ])
      expect(store.stats().failed).toBe(2)
    })

    it('R30: delivers a delete at once, with the stored value', () => {
      const log = listen()
      replace([item('a/x', 1)])
      writer.change('DELETED', item('a/x', 2, bad), 100)
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@1'])
      expect([store.size, store.stats().transformFailures]).toEqual([0, 1])
    })

    it('N6, R30: one that failed is forgotten as others are', () => {
      replace([])
      const [one, cursor] = [store.writer({ key: 'a/one' }), store.cursor()]
      replace([item('a/one', 1, bad)], one)
      replace([item('a/y', 2)])
      one.close({ forget: true })
      expect([cursor.lag, cursor.take(10).map(line)]).toEqual([3, ['reset', 'changed a/y@2', 'synced']])
      expect([store.failed(), store.size, store.stats().failed, cursor.lag]).toEqual([[], 1, 0, 0])
    })

    it('R30: under a new uid the old object is deleted first', () => {
      const log = listen()
      replace([item('a/x', 1)])
      writer.change('ADDED', item('a/x', 2, { ...bad, uid: 'other' }), 100)
      expect(log).toEqual(['add a/x@1 initial', 'delete a/x@1 unknown'])
      expect(store.failed()).toEqual(['a/x'])
    })

    it('R30: delivers no delete of an object that was never delivered', () => {
      const log = listen()
      replace([item('a/x', 1, bad)])
      writer.change('DELETED', item('a/x', 2), 100)
      expect([log, store.size, store.stats().failed]).toEqual([[], 0, 0])
    })
  })

  describe('its end', () => {
    it('drops everything, and says so to a late caller', async () => {
      replace([item('a/x', 1)])
      const cursor = store.cursor()
      const registration = store.register(recorder([]))
      const waiting = registration.whenSynced()
      store.close(new Error('over'))
      store.close(new Error('again'))
      await expect(waiting).rejects.toThrow('over')
      expect([cursor.closed, cursor.take(5), store.stats().objects]).toEqual([true, [], 0])
      writer.change('ADDED', item('a/y', 2), 100)
      replace([item('a/y', 2)])
      writer.clear()
      writer.close()
      expect(store.stats()).toMatchObject({ objects: 0, receivedBytes: 0, tombstones: 0, cursors: 0, registrations: 0 })
      const lister = store
      const reads = [
        () => lister.get('a/x'),
        () => lister.list(),
        () => lister.keys(),
        () => lister.size,
        () => lister.failed(),
        () => lister.version('a/x'),
      ]
      for (const read of reads) expect(read).toThrow('over')
      for (const late of [
        () => store.register(recorder([])),
        () => store.cursor(),
        () => store.writer(),
        () => store.addIndex('x', () => []),
        () => store.promote([], []),
      ]) {
        expect(late).toThrow('over')
      }
    })

    it.each<[string, string, () => unknown]>([
      ['an unknown option of a writer', 'writer.kay', () => store.writer({ kay: 'a/x' } as never)],
      ['a key that is no text', 'writer.key', () => store.writer({ key: 5 } as never)],
      ['a word for staged', 'writer.staged', () => store.writer({ staged: 'yes' } as never)],
      ['a number for reuse', 'replace.reuse', () => writer.replace({ reuse: 1 } as never)],
      ['a number for forget', 'close.forget', () => writer.close({ forget: 1 } as never)],
      ['a handler of nothing', 'handler', () => store.register({} as never)],
      ['a handler that is a function', 'handler', () => store.register((() => {}) as never)],
      ['no handler', 'handler', () => store.register(undefined as never)],
      ['a handler with a number', 'handler', () => store.register({ add: 5 } as never)],
      ['a handler with one function', 'handler', () => store.register({ add() {}, delete: 5 } as never)],
      ['no resync', 'register.resyncMs', () => store.register(recorder([]), { resyncMs: 0 })],
      ['an unknown option of a handler', 'register.resync', () => store.register(recorder([]), { resync: 1 } as never)],
      ['nothing to take', 'max', () => store.cursor().take(0)],
      ['an event that is none', 'type', () => writer.change('CHANGED' as never, item('a/x', 1), 1)],
      ['an index that is no function', 'indices.one', () => store.addIndex('one', 'two' as never)],
      ['an index without a name', 'index', () => store.addIndex('', () => [])],
      ['a listener that is none', 'onSynced', () => store.onSynced('fn' as never)],
    ])('X6: takes %s for a mistake, and names the option', (_, option, call) => {
      expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
    })
  })
}
