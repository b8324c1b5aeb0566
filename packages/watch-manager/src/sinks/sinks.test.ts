import type { KubernetesObject } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { apples, line, pears, setUp } from '../testkit/set-up.ts'
import { iteratorSink } from './iterator.ts'
import { queueSink } from './queue.ts'

describe('iteratorSink', () => {
  it('W12: an event is taken when the next is asked for; meanwhile changes are coalesced', async () => {
    const { simulation, cache, manager } = setUp()
    const sink = iteratorSink<KubernetesObject>()
    const one = manager.registrar('one', sink)
    await one.add(apples)
    const events = sink[Symbol.asyncIterator]()
    const next = async (): Promise<string> => {
      const { value, done } = await simulation.run(() => events.next())
      return done ? 'done' : line(value)
    }
    expect(await next()).toBe('reset apples')
    expect(await next()).toBe('synced apples')
    for (let i = 0; i < 10; i++) cache.put(apples, 'a')
    expect(await next()).toBe('changed a 10')
    cache.put(apples, 'a')
    cache.put(apples, 'a')
    await simulation.settle()
    expect(one.stats()).toMatchObject({ lag: 2, running: 1 })
    expect(await next()).toBe('changed a 12')
    const last = events.next()
    await simulation.settle()
    expect(one.stats()).toMatchObject({ lag: 0, running: 0, delivered: 2 })
    await simulation.run(() => one.close())
    expect(await last).toEqual({ done: true, value: undefined })
    expect(await next()).toBe('done')
    await simulation.run(() => manager.close())
  })

  it('W6: one that nobody reads costs no more than its first event, and another loop goes on where one was left', async () => {
    const { simulation, cache, manager } = setUp()
    const sink = iteratorSink<KubernetesObject>()
    await manager.registrar('one', sink).add(apples)
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    await simulation.advance(50)
    const read = async (until: string): Promise<string[]> => {
      const lines: string[] = []
      for await (const event of sink) {
        lines.push(line(event))
        if (lines.at(-1) === until) break
      }
      return lines
    }
    expect(await simulation.run(() => read('changed b 2'))).toEqual(['reset apples', 'changed a 1', 'changed b 2'])
    expect(await simulation.run(() => read('synced apples'))).toEqual(['changed c 3', 'synced apples'])
    const left = sink[Symbol.asyncIterator]()
    await left.return?.()
    expect(await left.next()).toEqual({ done: true, value: undefined })
    await simulation.run(() => manager.close())
  })

  it('W3: an event of a removed view that nobody read is not read later', async () => {
    const { simulation, cache, manager } = setUp()
    const sink = iteratorSink<KubernetesObject>()
    const one = manager.registrar('one', sink)
    cache.put(pears, 'b')
    await one.add(apples)
    await simulation.advance(50)
    await simulation.run(() => one.remove(apples))
    await one.add(pears)
    const events = sink[Symbol.asyncIterator]()
    const { value } = await simulation.run(() => events.next())
    expect(line(value)).toBe('reset pears')
    await simulation.run(() => manager.close({ signal: AbortSignal.abort() }))
  })

  it('W12: several readers work at once, on distinct objects', async () => {
    const { simulation, cache, manager } = setUp()
    const sink = iteratorSink<KubernetesObject>({ concurrency: 2 })
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    const one = manager.registrar('one', sink)
    await one.add(apples)
    const [first, second] = [sink[Symbol.asyncIterator](), sink[Symbol.asyncIterator]()]
    const next = async (events: typeof first): Promise<string> => {
      const { value } = await simulation.run(() => events.next())
      return line(value)
    }
    expect(await next(first)).toBe('reset apples')
    expect(await next(first)).toBe('changed a 1')
    expect(await next(second)).toBe('changed b 2')
    expect(one.stats().running).toBe(2)
    expect(await next(second)).toBe('changed c 3')
    await simulation.run(() => manager.close({ signal: AbortSignal.abort() }))
    expect(simulation.environment.errors[0]?.error).toMatchObject({ calls: ['default/a', 'default/c'] })
  })

  it('W12: a reader that leaves while it waits takes no event: the next reader gets it', async () => {
    const { simulation, cache, manager } = setUp()
    const sink = iteratorSink<KubernetesObject>()
    const one = manager.registrar('one', sink)
    await one.add(apples)
    const [first, second] = [sink[Symbol.asyncIterator](), sink[Symbol.asyncIterator]()]
    await simulation.run(() => first.next())
    await simulation.run(() => first.next())
    const waiting = first.next()
    await simulation.settle()
    await first.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    cache.put(apples, 'a')
    const { value } = await simulation.run(() => second.next())
    expect(line(value)).toBe('changed a 1')
    await second.return?.()
    await simulation.settle()
    expect(one.stats()).toMatchObject({ lag: 0, running: 0, delivered: 1 })
    await simulation.run(() => manager.close())
  })

  it('W12: the next call takes all events that one reader has got by calls at once', async () => {
    const sink = iteratorSink({ concurrency: 2 })
    const events = sink[Symbol.asyncIterator]()
    const got = [events.next(), events.next()]
    const taken = [apples, pears].map(view => sink.event({ type: 'reset', view }))
    expect((await Promise.all(got)).map(({ value }) => line(value))).toEqual(['reset apples', 'reset pears'])
    const waiting = events.next()
    await Promise.all(taken)
    await events.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('X6: checks its options', () => {
    expect(() => iteratorSink({ concurrency: 0 })).toThrow(
      expect.objectContaining({ option: 'iteratorSink.concurrency' }),
    )
  })
})

describe('queueSink', () => {
  it('W12: adds the key of what changed or is gone', async () => {
    const { simulation, cache, manager } = setUp()
    const added: string[] = []
    cache.put(apples, 'a')
    await manager.registrar('one', queueSink({ add: (key: string) => void added.push(key) })).add(apples)
    await simulation.advance(50)
    cache.put(apples, 'b')
    await simulation.settle()
    cache.delete(apples, 'a')
    await simulation.settle()
    expect(added).toEqual(['default/a', 'default/b', 'default/a'])
    await simulation.run(() => manager.close())
  })

  it('W8: adds the keys of objects that went while the registrar lagged too far behind, and not those that failed', async () => {
    const { simulation, cache, manager } = setUp({ maxTombstones: 0 })
    const added: string[] = []
    let end: (() => void) | undefined
    const queue = {
      add: (key: string) => {
        added.push(key)
        return end === undefined ? undefined : new Promise<void>(resolve => (end = resolve))
      },
    }
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    const one = manager.registrar('one', queueSink(queue))
    await one.add(apples)
    await simulation.advance(50)
    added.length = 0
    end = () => {}
    cache.put(apples, 'a')
    await simulation.settle()
    expect(added).toEqual(['default/a'])
    cache.delete(apples, 'b')
    cache.delete(apples, 'c')
    await simulation.settle()
    const settle = end as () => void
    end = undefined
    settle()
    await simulation.settle()
    expect(added).toEqual(['default/a', 'default/a', 'default/b', 'default/c'])
    expect(one.stats()).toMatchObject({ lag: 0, resets: 1 })
    await simulation.run(() => manager.close())
  })

  it('W12: keys are the caller’s, and one that is none is not added', async () => {
    const added: { of: string; key: string }[] = []
    const sink = queueSink<KubernetesObject, { of: string; key: string }>(
      { add: key => void added.push(key) },
      event => (event.key.endsWith('ignored') ? undefined : { of: event.view.resource.plural, key: event.key }),
    )
    const changed = (name: string) => ({ type: 'changed', view: apples, key: name, object: {} }) as const
    sink.event({ type: 'reset', view: apples })
    for (const name of ['a', 'b', 'c', 'ignored']) sink.event(changed(name))
    sink.event({ type: 'synced', view: apples, failed: [], retrying: [] })
    sink.event({ type: 'reset', view: apples })
    sink.event({ type: 'synced', view: apples, failed: ['b', 'x'], retrying: ['c'] })
    const keys = (names: string[]) => names.map(key => ({ of: 'apples', key }))
    expect(added).toEqual(keys(['a', 'b', 'c', 'a']))
    sink.rescoped?.(apples, pears)
    sink.event({ type: 'reset', view: pears })
    sink.event({ type: 'reset', view: pears })
    sink.event({ type: 'synced', view: pears, failed: [], retrying: [] })
    expect(added.slice(4)).toEqual(keys(['b', 'c']))
    sink.event(changed('d'))
    sink.removed?.(apples)
    sink.event({ type: 'reset', view: apples })
    sink.event({ type: 'synced', view: apples, failed: [], retrying: [] })
    expect(added.slice(6)).toEqual(keys(['d']))
  })

  it('W12: waits for promises of the queue, for what it adds at synced too', async () => {
    const added: string[] = []
    const sink = queueSink({ add: (key: string) => Promise.resolve(added.push(key)) })
    await sink.event({ type: 'changed', view: apples, key: 'a', object: {} })
    sink.event({ type: 'reset', view: apples })
    const synced = { type: 'synced', view: apples, failed: [], retrying: [] } as const
    let adds = 0
    const refused = queueSink({ add: () => Promise.reject(new Error(`full ${++adds}`)) })
    await expect(refused.event({ type: 'changed', view: apples, key: 'a', object: {} })).rejects.toThrow('full 1')
    refused.event({ type: 'reset', view: apples })
    await expect(refused.event(synced)).rejects.toThrow('full 2')
    await expect(refused.event(synced)).rejects.toThrow('full 3')
    await sink.event(synced)
    sink.event(synced)
    expect(added).toEqual(['a', 'a'])
  })

  it('X6: checks what it is given', () => {
    expect(() => queueSink({} as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option: 'queue' }))
    expect(() => queueSink({ add() {} }, 1 as never)).toThrow(expect.objectContaining({ option: 'keyOf' }))
  })
})
