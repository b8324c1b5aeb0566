import { beforeEach, describe, expect, it } from 'vitest'
import { HandlerRemovedError } from '../../errors.ts'
import type { Registration } from '../../registrations/handler.ts'
import type { Store } from '../store.ts'
import type { StoreWriter } from '../store-writer.ts'
import { type Bed, bed, type Item, item, type MakeStore, recorder } from './objects.ts'

/** What handlers of every store are promised (rules R25–R34). */
export function handlerContract(make: MakeStore): void {
  let at: Bed
  let store: Store<Item, 'namespaced'>
  let writer: StoreWriter

  const list = (...objects: readonly Item[]): void => {
    const snapshot = writer.replace()
    for (const object of objects) snapshot.put(object, 100)
    snapshot.commit()
  }
  const many = (count: number): Item[] => Array.from({ length: count }, (_, index) => item(`a/${index}`, index + 1))

  beforeEach(() => {
    at = bed()
    store = make({ environment: at.environment })
    writer = store.writer()
  })

  describe('handlers', () => {
    it('R31: one that joins late receives all that is there, from the next turn on, then of what happens', async () => {
      list(item('a/x', 1), item('a/y', 2))
      const log: string[] = []
      const registration = store.register(recorder(log))
      expect([log, registration.hasSynced]).toEqual([[], false])
      await at.simulation.run(async () => {
        await registration.whenSynced()
        expect(registration.hasSynced).toBe(true)
        writer.change('ADDED', item('a/z', 3), 100)
      })
      expect(log).toEqual(['add a/x@1 initial', 'add a/y@2 initial', 'add a/z@3'])
    })

    it('R31: one that joins receives nothing before the next turn, however much comes till then', async () => {
      list(item('a/0', 1))
      let received = 0
      store.register({ add: () => void received++ })
      list(...many(3000))
      expect(received).toBe(0)
      await at.simulation.run(() => at.simulation.settle())
      expect(received).toBe(3000)
    })

    it('R31: events of what it has not come to are folded into the add', async () => {
      list(item('a/x', 1), item('a/y', 2), item('a/z', 3))
      const log: string[] = []
      store.register(recorder(log))
      writer.change('MODIFIED', item('a/x', 4), 100)
      writer.change('DELETED', item('a/y', 5), 100)
      writer.change('ADDED', item('a/new', 6), 100)
      await at.simulation.run(() => at.simulation.settle())
      expect(log).toEqual(['add a/x@4 initial', 'add a/z@3 initial', 'add a/new@6'])
    })

    it('R31: has synced once the store has, and its first adds have returned', async () => {
      const synced: boolean[] = []
      const registration: Registration = store.register({ add: () => synced.push(registration.hasSynced) })
      expect(registration.hasSynced).toBe(false)
      list(item('a/x', 1))
      expect([synced, registration.hasSynced]).toEqual([[false], true])
      await registration.whenSynced()
    })

    it('R31: the first adds come in slices, and give the loop back', async () => {
      const slices: number[] = []
      list(...many(500))
      let received = 0
      let time = 0
      const { clock } = at.environment
      const turn = (): Promise<void> => {
        slices.push(received)
        return clock.turn()
      }
      const slow = {
        ...at.environment,
        clock: { ...clock, monotonic: () => time, turn },
      }
      store = make({ environment: slow })
      writer = store.writer()
      list(...many(500))
      store.register({
        add() {
          received++
          time += 0.1
        },
      })
      await at.simulation.run(() => at.simulation.settle())
      expect(received).toBe(500)
      // 10 ms are 100 calls, looked at each 64.
      expect(slices).toEqual([0, 128, 256, 384])
    })

    it('R31: a first list of very many is delivered in slices too, in which later events are folded', async () => {
      let time = 0
      const { clock } = at.environment
      store = make({ environment: { ...at.environment, clock: { ...clock, monotonic: () => time } }, freeze: false })
      writer = store.writer()
      const received = new Map<string, string>()
      const initial: boolean[] = []
      const registration = store.register({
        add(object, { key, isInInitialList }) {
          time++
          expect(received.has(key)).toBe(false)
          received.set(key, object.metadata?.resourceVersion as string)
          initial.push(isInInitialList)
        },
        update: (object, { key }) => received.set(key, object.metadata?.resourceVersion as string),
        delete: (_, { key }) => received.delete(key),
      })
      list(...many(2000))
      expect([received.size, registration.hasSynced, registration.isBehind]).toEqual([64, false, true])
      writer.change('MODIFIED', item('a/1999', 5000), 100)
      writer.change('MODIFIED', item('a/0', 5001), 100)
      writer.change('DELETED', item('a/1998', 5002), 100)
      writer.change('ADDED', item('a/new', 5003), 100)
      expect([received.size, received.get('a/0')]).toEqual([64, '5001'])
      await at.simulation.run(() => registration.whenSynced())
      await at.simulation.run(() => at.simulation.settle())
      expect(registration.isBehind).toBe(false)
      expect([received.size, received.get('a/1999'), received.has('a/1998'), received.has('a/new')]).toEqual([
        2000,
        '5000',
        false,
        true,
      ])
      expect(initial.filter(is => !is)).toHaveLength(1)
    })

    it('R31: between two slices, a change of the object that was delivered last is delivered, and of the next one folded in', async () => {
      let time = 0
      const { clock } = at.environment
      store = make({ environment: { ...at.environment, clock: { ...clock, monotonic: () => time } } })
      writer = store.writer()
      list(...many(100))
      const log: string[] = []
      const own = recorder(log)
      store.register({
        ...own,
        add(object, about) {
          own.add?.(object, about)
          time++
          if (log.length !== 64) return
          // The slice is over by now: this comes before the next one.
          clock.turn().then(() => {
            for (const [index, version] of [63, 64].entries()) {
              writer.change('MODIFIED', item(`a/${version}`, 200 + index), 100)
            }
          })
        },
      })
      await at.simulation.run(() => at.simulation.settle())
      expect(log).toHaveLength(101)
      expect(log.slice(63, 66)).toEqual(['add a/63@64 initial', 'update a/63@64 a/63@200', 'add a/64@201 initial'])
    })

    it('R32: one that throws or rejects is reported to onError, and all others receive the event', async () => {
      const log: string[] = []
      store.register({
        add() {
          throw new Error('thrown')
        },
        update: () => Promise.reject(new Error('rejected')),
        delete: () => new Promise(() => {}),
      })
      store.register(recorder(log))
      list(item('a/x', 1))
      writer.change('MODIFIED', item('a/x', 2), 100)
      writer.change('DELETED', item('a/x', 3), 100)
      await at.simulation.run(() => at.simulation.settle())
      expect(log).toEqual(['add a/x@1 initial', 'update a/x@1 a/x@2', 'delete a/x@3'])
      const context = { resource: 'v1/configmaps', phase: 'handler', key: 'a/x' }
      expect(at.environment.errors.map(({ error, context: of }) => [error.message, of])).toEqual([
        ['thrown', context],
        ['rejected', context],
      ])
    })

    it('R33: removing one takes effect at once, also from within a handler, and twice is harmless', () => {
      const log: string[] = []
      const registrations: Registration[] = []
      registrations.push(
        store.register({
          add: () => {
            for (const registration of registrations) registration.remove()
            registrations[0]?.remove()
          },
        }),
      )
      registrations.push(store.register(recorder(log)))
      const last = store.register(recorder(log, 'last '))
      list(item('a/x', 1), item('a/y', 2))
      expect(log).toEqual(['last add a/x@1 initial', 'last add a/y@2 initial'])
      last.remove()
      last.remove()
      writer.change('DELETED', item('a/x', 3), 100)
      expect([log.length, store.stats().registrations]).toEqual([2, 0])
    })

    it('R33: the same handler added twice is two registrations', () => {
      const log: string[] = []
      const handler = recorder(log)
      const first = store.register(handler)
      store.register(handler)
      list(item('a/x', 1))
      first.remove()
      writer.change('DELETED', item('a/x', 2), 100)
      expect(log).toEqual(['add a/x@1 initial', 'add a/x@1 initial', 'delete a/x@2'])
    })

    it('R33: one that is removed before its first adds receives none of them, and its waits are rejected', async () => {
      list(item('a/x', 1))
      const log: string[] = []
      const registration = store.register(recorder(log))
      const waiting = registration.whenSynced()
      registration.remove()
      await expect(waiting).rejects.toThrow(HandlerRemovedError)
      await expect(registration.whenSynced()).rejects.toThrow(HandlerRemovedError)
      await at.simulation.run(() => at.simulation.settle())
      expect(log).toEqual([])
    })

    it('R33: one that is removed amid its first adds, or amid a resync, receives nothing more', async () => {
      list(item('a/x', 1), item('a/y', 2))
      const log: string[] = []
      await at.simulation.run(async () => {
        const first = store.register({
          add: (_, { key }) => {
            first.remove()
            log.push(`add ${key}`)
          },
        })
        const update = (_object: Item, { key }: { readonly key: string }): void => {
          second.remove()
          log.push(`update ${key}`)
        }
        const second = store.register({ update }, { resyncMs: 1000 })
        await at.simulation.advance(5000)
      })
      expect(log).toEqual(['add a/x', 'update a/x'])
      expect(at.simulation.pending()).toEqual([])
    })

    it('R33: one that is removed while it waits for its resync leaves no timer', async () => {
      list(item('a/x', 1))
      await at.simulation.run(async () => {
        const registration = store.register(recorder([]), { resyncMs: 1000 })
        await registration.whenSynced()
        registration.remove()
      })
      expect(at.simulation.pending()).toEqual([])
    })

    it('R33: one that is removed after the end of its store says why that ended', async () => {
      const registration = store.register(recorder([]))
      store.close(new Error('over'))
      registration.remove()
      await expect(registration.whenSynced()).rejects.toThrow('over')
    })

    it('R36: waiting for its sync ends with the signal, too', async () => {
      const registration = store.register(recorder([]))
      const controller = new AbortController()
      const waiting = registration.whenSynced({ signal: controller.signal })
      controller.abort(new Error('no more'))
      await expect(waiting).rejects.toThrow('no more')
      await expect(registration.whenSynced({ signal: controller.signal })).rejects.toThrow('no more')
      list()
      await registration.whenSynced()
    })

    it('R25: what a handler brings about is delivered when all have received the event before it', () => {
      const log: string[] = []
      store.register({
        add: (_, { key }) => {
          if (key === 'a/x') writer.change('MODIFIED', item('a/x', 9), 100)
        },
      })
      store.register(recorder(log))
      list(item('a/x', 1), item('a/y', 2))
      expect(log).toEqual(['add a/x@1 initial', 'add a/y@2 initial', 'update a/x@1 a/x@9'])
    })

    it('R25: what a handler brings about of one key is delivered in order', () => {
      const log: string[] = []
      store.register({
        add: (_, { key }) => {
          if (key !== 'a/x') return
          writer.change('ADDED', item('a/y', 2), 100)
          writer.change('MODIFIED', item('a/y', 3), 100)
          writer.change('DELETED', item('a/y', 4), 100)
          writer.change('ADDED', item('a/y', 5, { uid: 'new' }), 100)
        },
      })
      store.register(recorder(log))
      list()
      writer.change('ADDED', item('a/x', 1), 100)
      expect(log).toEqual(['add a/x@1', 'add a/y@2', 'update a/y@2 a/y@3', 'delete a/y@4', 'add a/y@5'])
    })

    it('R31: one that joins amid a delivery receives nothing of what happened before', async () => {
      list(item('a/x', 1))
      const log: string[] = []
      let late: Registration | undefined
      store.register({
        update: () => {
          writer.change('DELETED', item('a/x', 3), 100)
          writer.change('ADDED', item('a/y', 4), 100)
          writer.change('DELETED', item('a/y', 5), 100)
          late = store.register(recorder(log))
        },
      })
      await at.simulation.run(() => at.simulation.settle())
      writer.change('MODIFIED', item('a/x', 2), 100)
      await at.simulation.run(async () => {
        await late?.whenSynced()
        await at.simulation.settle()
        writer.change('ADDED', item('a/z', 6), 100)
      })
      expect(log).toEqual(['add a/z@6'])
    })

    it('R31: what a handler brings about in its first adds is neither lost nor delivered twice', async () => {
      list(item('a/x', 1), item('a/y', 2), item('a/z', 3))
      const log: string[] = []
      const own = recorder(log)
      store.register({
        ...own,
        add: (object, about) => {
          own.add?.(object, about)
          if (about.key !== 'a/y') return
          writer.change('MODIFIED', item('a/x', 7), 100)
          writer.change('MODIFIED', item('a/z', 8), 100)
        },
      })
      await at.simulation.run(() => at.simulation.settle())
      expect(log).toEqual(['add a/x@1 initial', 'add a/y@2 initial', 'update a/x@1 a/x@7', 'add a/z@8 initial'])
    })

    it('R34: resyncs each at its own period, and asks nobody', async () => {
      list(item('a/x', 1), item('a/y', 2))
      const [quick, slow, never]: string[][] = [[], [], []]
      store.register(recorder(quick as string[]), { resyncMs: 1000 })
      const registration = store.register(recorder(slow as string[]), { resyncMs: 2500 })
      store.register(recorder(never as string[]))
      await at.simulation.run(async () => {
        await at.simulation.settle()
        for (const log of [quick, slow, never]) log?.splice(0)
        await at.simulation.advance(2600)
        const both = ['update a/x@1 a/x@1', 'update a/y@2 a/y@2']
        expect([quick, slow, never]).toEqual([[...both, ...both], both, []])
        registration.remove()
        await at.simulation.advance(5000)
        expect(slow).toEqual(both)
        store.close(new Error('over'))
      })
      expect(at.simulation.pending()).toEqual([])
    })
  })
}
