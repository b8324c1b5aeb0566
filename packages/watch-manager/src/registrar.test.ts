import { describe, expect, it } from 'vitest'
import type { Registrar } from './registrar.ts'
import type { MemoryInformer } from './testkit/memory-informer.ts'
import { apples, line, pears, setUp } from './testkit/set-up.ts'

describe('wanting', () => {
  it('W2: the first that wants a view starts its informer, once', async () => {
    const { simulation, cache, manager } = setUp()
    const [one, two] = [manager.registrar('one', () => {}), manager.registrar('two')]
    await Promise.all([one.add(apples), two.add(apples), one.add(apples.within({})), one.add(pears)])
    await simulation.advance(50)
    expect(cache.log).toEqual([`start ${apples.key}`, `start ${pears.key}`])
    expect(cache.holders(apples)).toEqual(['one', 'two'])
    await simulation.run(() => manager.close())
  })

  it('W3: the last one out removes the informer, and the others go on', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const one = manager.registrar('one', event => void log.push(line(event)))
    const two = manager.registrar('two', () => {})
    await one.add(apples)
    await two.add(apples)
    await simulation.advance(50)
    await simulation.run(() => two.remove(apples))
    expect(cache.open).toEqual([apples.key])
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log.at(-1)).toBe('changed a 1')
    await simulation.run(() => one.remove(apples))
    expect(cache.open).toEqual([])
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log).toHaveLength(3)
    await simulation.run(() => manager.close())
  })

  it('W3: nothing begins from the call of remove on, and it resolves when what was under way has settled', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    let end = (): void => {}
    const one = manager.registrar('one', event => {
      log.push(line(event))
      return event.type === 'changed' ? new Promise<void>(resolve => (end = resolve)) : undefined
    })
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    await one.add(apples)
    await simulation.advance(50)
    let removed = 0
    one.remove(apples).then(() => removed++)
    one.remove(apples).then(() => removed++)
    await simulation.advance(1000)
    expect(removed).toBe(0)
    end()
    await simulation.settle()
    expect(removed).toBe(2)
    expect(log).toEqual(['reset apples', 'changed a 1'])
    await simulation.run(() => manager.close())
  })

  it('W3: a view that is wanted again is replayed once the calls of before have settled', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    let end = (): void => {}
    const sink = {
      concurrency: 10,
      event: (event: Parameters<typeof line>[0]) => {
        log.push(line(event))
        return event.type === 'changed' && log.length < 3 ? new Promise<void>(resolve => (end = resolve)) : undefined
      },
    }
    const one = manager.registrar('one', sink)
    cache.put(apples, 'a')
    await one.add(apples)
    await simulation.advance(50)
    const removed = one.remove(apples)
    await one.add(apples)
    const again = one.remove(apples)
    await one.add(apples)
    await simulation.advance(50)
    expect(log).toEqual(['reset apples', 'changed a 1'])
    end()
    await simulation.run(() => Promise.all([removed, again]))
    await simulation.advance(50)
    expect(log.slice(2)).toEqual(['reset apples', 'changed a 1', 'synced apples'])
    await simulation.run(() => manager.close())
  })

  it('W5: before the manager starts a view is pending, and so is one that the server does not know', async () => {
    const { simulation, cache, manager } = setUp({ start: false })
    const unknown = new Error('no such resource')
    const log: string[] = []
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    expect(manager.state).toBe('idle')
    expect(one.pending).toEqual([{ view: apples, reason: undefined }])
    expect(cache.log).toEqual([])
    cache.refuse(apples, unknown)
    manager.start()
    manager.start()
    await one.add(pears)
    await simulation.advance(50)
    expect(one.intended).toEqual([apples, pears])
    expect(one.watched).toEqual([pears])
    expect(one.pending).toEqual([{ view: apples, reason: unknown }])
    expect(log.filter(text => text.startsWith('synced'))).toEqual(['synced pears'])
    cache.allow(apples)
    await simulation.advance(50)
    expect(one.pending).toEqual([])
    expect(log.filter(text => text.startsWith('synced'))).toEqual(['synced pears', 'synced apples'])
    await simulation.run(() => manager.close())
    expect(cache.open).toEqual([])
  })

  it('W5: a cache that can hold no more is asked again, with backoff, and nothing is left of what failed', async () => {
    const { simulation, cache, manager } = setUp()
    cache.broken = new Error('full')
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.advance(10_000)
    expect(one.pending).toEqual([{ view: apples, reason: cache.broken }])
    const { errors } = simulation.environment
    expect(errors.length).toBeGreaterThan(1)
    expect(errors.length).toBeLessThan(6)
    expect(errors[0]).toEqual({ error: cache.broken, context: { phase: 'hold one', resource: apples.key } })
    cache.broken = undefined
    await simulation.advance(60_000)
    expect(one.watched).toEqual([apples])
    cache.broken = new Error('full again')
    await one.add(pears)
    await simulation.run(() => one.remove(pears))
    await simulation.run(() => manager.close())
    expect(simulation.pending()).toEqual([])
  })

  it('W5: what a cache gives, and can not be read, is let go', async () => {
    const { simulation, cache, manager } = setUp()
    const hold = cache.hold.bind(cache)
    let tries = 0
    cache.hold = (view, holder) => {
      const given = hold(view, holder)
      if (tries++ > 0) return given
      const broken = () => {
        throw new Error('no cursor')
      }
      return {
        ...given,
        informer: new Proxy(given.informer, {
          get: (of, key) => (key === 'cursor' ? broken : Reflect.get(of, key, of)),
        }),
      }
    }
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.settle()
    expect([tries, cache.open, one.watched]).toEqual([1, [], []])
    expect(one.pending[0]?.reason?.message).toBe('no cursor')
    await simulation.advance(5000)
    expect([tries, cache.holders(apples), one.watched]).toEqual([2, ['one'], [apples]])
    await simulation.run(() => manager.close())
    expect(cache.open).toEqual([])
  })

  it('D4: a view is held again after others ended its informer, and delivered from its reset on', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    cache.put(apples, 'a')
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    await simulation.advance(50)
    cache.end(apples)
    await simulation.settle()
    expect(one.watched).toEqual([])
    await simulation.advance(5000)
    expect(one.watched).toEqual([apples])
    expect(log.slice(3)).toEqual(['reset apples', 'changed a 1', 'synced apples'])
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual([
      `the informer of ${apples.key} was ended`,
    ])
    await simulation.run(() => manager.close())
  })
})

describe('synced', () => {
  it('W4: resolves when the sink took a synced of each view', async () => {
    const { simulation, cache, manager } = setUp({ start: false })
    const log: string[] = []
    cache.put(apples, 'a')
    const one = manager.registrar('one', event => void log.push(line(event)))
    const none = manager.registrar('none')
    await Promise.all([one.add(apples), one.add(pears), none.add(apples)])
    const synced = Promise.all([one.synced(), none.synced()])
    manager.start()
    await simulation.run(() => synced)
    expect(log.filter(text => text.startsWith('synced')).sort()).toEqual(['synced apples', 'synced pears'])
    await simulation.run(() => one.synced({ signal: new AbortController().signal }))
    await simulation.run(() => manager.close())
  })

  it('W4: names each view that can not be watched, with its reason, and the rest proceeds', async () => {
    const { simulation, cache, manager } = setUp()
    const forbidden = new Error('forbidden')
    cache.refuse(pears, forbidden)
    const one = manager.registrar('one', () => {})
    await Promise.all([one.add(apples), one.add(pears)])
    await expect(simulation.run(() => one.synced())).rejects.toMatchObject({
      code: 'VIEWS_FAILED',
      registrar: 'one',
      views: [{ view: pears, reason: forbidden }],
      cause: forbidden,
      message: `the registrar one can't watch a view:\n  ${pears.key}: forbidden`,
    })
    expect(one.watched).toEqual([apples])
    await simulation.run(() => manager.close())
  })

  it('W4: asks informers that are never absent for nothing that they do not know of', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    const informer = cache.informer(apples) as MemoryInformer
    const asked: string[] = []
    const whenSynced = informer.whenSynced.bind(informer)
    informer.whenSynced = options => {
      asked.push(...Object.keys(options ?? {}))
      return whenSynced(options)
    }
    await simulation.run(() => one.synced({ orAbsent: true }))
    expect(new Set(asked)).toEqual(new Set(['signal']))
    await simulation.run(() => manager.close())
  })

  it('W4: names a view that the cache does not hold, for as long as it does not', async () => {
    const { simulation, cache, manager } = setUp()
    cache.broken = new Error('full')
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    const reason = { view: apples, reason: cache.broken }
    await expect(simulation.run(() => one.synced())).rejects.toMatchObject({ code: 'VIEWS_FAILED', views: [reason] })
    cache.broken = undefined
    await simulation.advance(10_000)
    await simulation.run(() => one.synced())
    await simulation.run(() => manager.close())
  })

  it('W4: waits no longer than its signal, nor for a view that is not wanted any more', async () => {
    const { simulation, manager } = setUp({ start: false })
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    const stop = new AbortController()
    const waiting = one.synced({ signal: stop.signal })
    const removed = one.synced()
    stop.abort(new Error('enough'))
    await expect(simulation.run(() => waiting)).rejects.toThrow('enough')
    await expect(one.synced({ signal: stop.signal })).rejects.toThrow('enough')
    await simulation.run(() => one.remove(apples))
    await simulation.run(() => removed)
    await one.add(apples)
    const closed = one.synced()
    closed.catch(() => {})
    await simulation.run(() => one.close())
    await expect(closed).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED' })
    await simulation.run(() => manager.close())
  })
})

describe('from within a sink', () => {
  it('R23: one that removes its view, adds another and closes its registrar is not waited for', async () => {
    const { simulation, cache, manager } = setUp({ closeTimeoutMs: 60_000 })
    const log: string[] = []
    const one: Registrar = manager.registrar('one', async event => {
      log.push(line(event))
      if (event.key === 'default/a') {
        await one.remove(apples)
        await one.add(pears)
        log.push('removed')
      } else if (event.key === 'default/b') {
        await simulation.clock.turn()
        await one.close()
        await one.close()
        log.push('closed')
      }
    })
    cache.put(apples, 'a')
    cache.put(pears, 'b')
    await one.add(apples)
    await simulation.advance(1000)
    expect(log).toEqual(['reset apples', 'changed a 1', 'removed', 'reset pears', 'changed b 2', 'closed'])
    expect(one.state).toBe('closed')
    expect(simulation.clock.monotonic()).toBeLessThan(2000)
    expect(simulation.environment.errors).toEqual([])
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('R23: another’s call is waited for, and so are one’s own other calls', async () => {
    const { simulation, cache, manager } = setUp()
    const ends: (() => void)[] = []
    const log: string[] = []
    await manager.registrar('other', () => new Promise<void>(resolve => ends.push(resolve))).add(apples)
    const one: Registrar = manager.registrar('one', {
      concurrency: 2,
      event: async event => {
        if (event.key === 'default/a') await new Promise<void>(resolve => ends.push(resolve))
        if (event.key !== 'default/b') return
        await manager.close()
        log.push('closed')
      },
    })
    await simulation.advance(50)
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    await one.add(apples)
    await simulation.advance(1000)
    expect(ends).toHaveLength(2)
    expect(log).toEqual([])
    ends[0]?.()
    await simulation.advance(1000)
    expect(log).toEqual([])
    ends[1]?.()
    await simulation.advance(1000)
    expect(log).toEqual(['closed'])
    expect(manager.state).toBe('closed')
    expect(simulation.environment.errors).toEqual([])
  })

  it('R23: one that returns no promise may close its registrar too', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const one: Registrar = manager.registrar('one', event => {
      log.push(line(event))
      if (event.key === 'default/b') void one.close()
    })
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    await one.add(apples)
    await simulation.advance(1000)
    expect(log).toEqual(['reset apples', 'changed a 1', 'changed b 2'])
    expect(one.state).toBe('closed')
    await simulation.run(() => manager.close())
  })

  it('R23: code in a promise that outlives its call is outside of it again', async () => {
    const { simulation, cache, manager } = setUp()
    const ends: (() => void)[] = []
    const log: string[] = []
    const one: Registrar = manager.registrar('one', async event => {
      if (event.type !== 'changed') return
      if (event.key === 'default/a') {
        simulation.clock.timer(100, async () => {
          await one.remove(apples)
          log.push('removed')
        })
        return
      }
      await new Promise<void>(resolve => ends.push(resolve))
    })
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    await one.add(apples)
    await simulation.advance(1000)
    expect(log).toEqual([])
    ends[0]?.()
    await simulation.advance(1000)
    expect(log).toEqual(['removed'])
    await simulation.run(() => manager.close())
  })
})

describe('closing', () => {
  it('W13: removes all its views, delivers no more events, and calls closed of the sink', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const sink = {
      event: (event: Parameters<typeof line>[0]) => void log.push(line(event)),
      removed: (view: typeof apples) => void log.push(`removed ${view.resource.plural}`),
      closed: () => void log.push('closed'),
    }
    const one = manager.registrar('one', sink)
    await Promise.all([one.add(apples), one.add(pears)])
    await simulation.advance(50)
    log.length = 0
    await simulation.run(() => one.remove(apples))
    await simulation.run(() => Promise.all([one.close(), one.close(), one[Symbol.asyncDispose]()]))
    cache.put(apples, 'a')
    await simulation.advance(50)
    expect(log).toEqual(['removed apples', 'removed pears', 'closed'])
    expect(cache.open).toEqual([])
    expect(one).toMatchObject({ state: 'closed', intended: [], watched: [], pending: [] })
    await expect(one.add(apples)).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED', registrar: 'one' })
    await expect(one.replace([])).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED' })
    await expect(one.synced()).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED' })
    await one.remove(apples)
    await simulation.run(() => manager.close())
  })

  it('R23: waits for a sink under way at most closeTimeoutMs or the signal, and then names the calls that still run', async () => {
    const { simulation, cache, manager } = setUp({ closeTimeoutMs: 5000 })
    const stuck = {
      concurrency: 2,
      event: (event: { key?: string | undefined }) => (event.key ? new Promise(() => {}) : 1),
    }
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    const [one, two] = [manager.registrar('one', stuck), manager.registrar('two', stuck)]
    await Promise.all([one.add(apples), two.add(apples)])
    await simulation.advance(50)
    const stop = new AbortController()
    const [first, second] = [one.close(), two.close({ signal: stop.signal })]
    await simulation.advance(4000)
    expect(one.state).toBe('closing')
    expect(two.state).toBe('closing')
    stop.abort()
    await simulation.run(() => second)
    expect(one.state).toBe('closing')
    expect(() => manager.registrar('one')).toThrow('the name one is taken by another registrar')
    await simulation.run(() => first)
    expect(simulation.clock.monotonic()).toBe(5050)
    expect(manager.registrar('one').state).toBe('open')
    const errors = simulation.environment.errors.map(({ error, context }) => ({
      ...error,
      message: error.message,
      context,
    }))
    expect(errors).toMatchObject(
      ['two', 'one'].map(registrar => ({
        code: 'SINK_STILL_RUNNING',
        registrar,
        calls: ['default/a', 'default/b'],
        message: `the sink of the registrar ${registrar} is still at work on default/a, default/b of ${apples.key}`,
        context: { phase: 'close', resource: apples.key },
      })),
    )
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
    expect(simulation.pending()).toEqual([])
  })

  it('W4: a wait for its views rejects once it is closed, and await using closes it', async () => {
    const { simulation, manager } = setUp()
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    const waiting = one.synced()
    const refused = expect(waiting).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED', registrar: 'one' })
    await simulation.run(() => one[Symbol.asyncDispose]())
    await simulation.run(() => refused)
    expect([one.state, manager.watched]).toEqual(['closed', []])
    await simulation.run(() => manager.close())
  })

  it('R23: names the watch where that is what does not end', async () => {
    const { simulation, cache, manager } = setUp({ closeTimeoutMs: 5000 })
    const hold = cache.hold.bind(cache)
    cache.hold = (view, holder) => ({ ...hold(view, holder), release: () => new Promise(() => {}) })
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.advance(50)
    await simulation.run(() => one.close())
    expect(simulation.clock.monotonic()).toBe(5050)
    expect(simulation.environment.errors.map(({ error }) => error)).toMatchObject([
      { code: 'SINK_STILL_RUNNING', calls: ['its watch'] },
    ])
    await simulation.run(() => manager.close())
  })

  it('X9: an error that a sink throws from removed or closed goes to onError, and closing goes on', async () => {
    const { simulation, manager } = setUp()
    const broken = (what: string) => (): never => {
      throw new Error(what)
    }
    const sink = { event: () => {}, removed: broken('removed'), closed: () => Promise.reject(new Error('closed')) }
    const one = manager.registrar('one', sink)
    await one.add(apples)
    await simulation.run(() => one.close())
    expect(simulation.environment.errors.map(({ error, context }) => [error.message, context])).toEqual([
      ['removed', { phase: 'sink one', resource: apples.key }],
      ['closed', { phase: 'sink one', resource: undefined }],
    ])
    await simulation.run(() => manager.close())
  })
})

describe('W1', () => {
  it('W1: a name is taken while its registrar lives, and an old handle does not touch a new registrar', async () => {
    const { simulation, cache, manager } = setUp()
    const old = manager.registrar('one', () => {})
    expect(() => manager.registrar('one')).toThrow(
      expect.objectContaining({ code: 'REGISTRAR_NAME_TAKEN', registrar: 'one' }),
    )
    await old.add(apples)
    await simulation.run(() => old.close())
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.advance(50)
    await old.remove(apples)
    await old.close()
    expect(one.watched).toEqual([apples])
    expect(cache.holders(apples)).toEqual(['one'])
    expect(() => manager.registrar('one')).toThrow('the name one is taken by another registrar')
    await simulation.run(() => manager.close())
  })
})

describe('calls that still run', () => {
  it('R23: is named: a reset, a synced, a move', async () => {
    const { simulation, cache, manager } = setUp({ closeTimeoutMs: 0 })
    const red = apples.within({ labels: { colour: 'red' } })
    const removed: string[] = []
    const stuckAt = (what: string) => ({
      event: ({ type }: { type: string }) => (type === what ? new Promise(() => {}) : undefined),
      rescoped: () => new Promise(() => {}),
      removed: (view: typeof apples) => void removed.push(view.key),
    })
    const names = ['reset', 'synced', 'rescoped']
    const registrars = names.map(name => manager.registrar(name, stuckAt(name)))
    await registrars[2]?.add(apples)
    await simulation.advance(50)
    await simulation.run(async () => registrars[2]?.replace([red]))
    await registrars[0]?.add(pears)
    await registrars[1]?.add(pears)
    await simulation.advance(50)
    for (const registrar of registrars) await simulation.run(() => registrar.close())
    const named = simulation.environment.errors.map(({ error }) => (error as { calls?: unknown }).calls)
    expect(named).toEqual([['reset'], ['synced'], ['rescoped']])
    // The last one may have taken the move, or not.
    expect(removed).toEqual([pears.key, pears.key, apples.key, red.key])
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('W3: a view that a move leads to or from is held by others once the move is over', async () => {
    const { simulation, cache, manager } = setUp()
    const red = apples.within({ labels: { colour: 'red' } })
    const [one, two, three] = ['one', 'two', 'three'].map(name => manager.registrar(name))
    if (one === undefined || two === undefined || three === undefined) throw new Error('no registrars')
    await one.add(apples)
    await simulation.advance(50)
    const moved = cache.delayMoves()
    const replaced = one.replace([red])
    await two.add(apples)
    const third = three.replace([red], { onFailure: 'rollback' })
    await simulation.advance(50)
    expect(cache.holders(apples)).toEqual(['one'])
    expect(one).toMatchObject({ intended: [red], watched: [] })
    expect(await manager.ifWatching(red, () => 1)).toEqual({ watching: false })
    moved()
    await simulation.run(() => Promise.all([replaced, third]))
    await simulation.advance(50)
    expect(cache.holders(apples)).toEqual(['two'])
    expect(cache.holders(red)).toEqual(['one', 'three'])
    await simulation.run(() => manager.close())
  })

  it('W3: one that is removed while it waits for a move is never held', async () => {
    const { simulation, cache, manager } = setUp()
    const red = apples.within({ labels: { colour: 'red' } })
    const [one, two] = [manager.registrar('one'), manager.registrar('two')]
    await one.add(apples)
    await simulation.advance(50)
    const moved = cache.delayMoves()
    const replaced = one.replace([red])
    await two.add(apples)
    await simulation.settle()
    await simulation.run(() => two.remove(apples))
    moved()
    await simulation.run(() => replaced)
    await simulation.advance(50)
    expect(cache.open).toEqual([red.key])
    await simulation.run(() => manager.close())
    expect(cache.open).toEqual([])
  })
})
