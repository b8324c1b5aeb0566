import { describe, expect, it } from 'vitest'
import type { SinkEvent } from '../sink.ts'
import { apples, line, pears, setUp } from '../testkit/set-up.ts'

/** A sink that logs. The test settles its calls: by key, or `reset` and `synced`. */
function manual(concurrency = 1) {
  const log: string[] = []
  const open = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  const event = (event: SinkEvent): Promise<void> | undefined => {
    log.push(line(event))
    if (event.type === 'reset' || event.type === 'synced') return undefined
    return new Promise((resolve, reject) => open.set(event.key.replace('default/', ''), { resolve, reject }))
  }
  const end = (name: string): void => {
    open.get(name)?.resolve()
    open.delete(name)
  }
  const fail = (name: string): void => {
    open.get(name)?.reject(new Error(`${name} refused`))
    open.delete(name)
  }
  return { log, open, end, fail, sink: { concurrency, event } }
}

function having(name: string, get: () => unknown): object {
  return Object.defineProperty({}, name, { get })
}

describe('replay', () => {
  it('W8: begins with reset and ends with synced, which waits for the store', async () => {
    const { simulation, cache, manager } = setUp({ listMs: 100 })
    cache.put(apples, 'a')
    const log: string[] = []
    await manager.registrar('one', event => void log.push(line(event))).add(apples)
    await simulation.advance(50)
    expect(log).toEqual(['reset apples'])
    await simulation.advance(100)
    expect(log).toEqual(['reset apples', 'changed a 1', 'synced apples'])
    cache.put(apples, 'a')
    cache.delete(apples, 'a')
    cache.put(apples, 'b')
    await simulation.settle()
    expect(log.slice(3)).toEqual(['deleted a 3', 'changed b 4'])
    await simulation.run(() => manager.close())
  })

  it('W8: names the keys that failed to transform, which are not gone', async () => {
    const { simulation, cache, manager } = setUp()
    const picky = apples.project('picky', object => {
      if (object.metadata?.name === 'bad') throw new Error('bad apple')
      return { metadata: object.metadata }
    })
    cache.put(apples, 'bad')
    cache.put(apples, 'good')
    const log: string[] = []
    await manager.registrar('one', event => void log.push(line(event))).add(picky)
    await simulation.advance(50)
    expect(log).toEqual(['reset apples', 'changed good 2', 'synced apples failed default/bad'])
    await simulation.run(() => manager.close())
  })

  it('W8: synced comes when all earlier calls have settled', async () => {
    const { simulation, cache, manager } = setUp()
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    const { log, sink, end } = manual(2)
    await manager.registrar('one', sink).add(apples)
    await simulation.advance(50)
    expect(log).toEqual(['reset apples', 'changed a 1', 'changed b 2'])
    end('b')
    await simulation.settle()
    end('c')
    await simulation.settle()
    expect(log.slice(3)).toEqual(['changed c 3'])
    end('a')
    await simulation.settle()
    expect(log.slice(4)).toEqual(['synced apples'])
    await simulation.run(() => manager.close())
  })

  it('W8: synced names the keys that are retried, and waits for no call of theirs', async () => {
    const { simulation, cache, manager } = setUp()
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    const log: string[] = []
    const bad = new Set<string | undefined>(['default/a', 'default/c'])
    const event = (event: SinkEvent): void => {
      log.push(line(event))
      if (bad.has(event.key)) throw new Error('not now')
    }
    await manager.registrar('one', event, { retryInitialMs: 1000 }).add(apples)
    await simulation.advance(50)
    expect(log.slice(1)).toEqual([
      'changed a 1',
      'changed b 2',
      'changed c 3',
      'synced apples retrying default/a retrying default/c',
    ])
    bad.clear()
    await simulation.advance(5000)
    expect(log.slice(5).sort()).toEqual(['changed a 1', 'changed c 3'])
    // The next replay does not name them.
    await manager.registrar('two', event).add(apples)
    await simulation.advance(50)
    expect(log.at(-1)).toBe('synced apples')
    await simulation.run(() => manager.close())
  })

  it('W2: a later registrar gets a replay of the cached objects, and no informer is started', async () => {
    const { simulation, cache, manager } = setUp()
    cache.put(apples, 'a')
    await manager.registrar('one', () => {}).add(apples)
    await simulation.advance(50)
    const log: string[] = []
    await manager.registrar('two', event => void log.push(line(event))).add(apples)
    await simulation.settle()
    expect(log).toEqual(['reset apples', 'changed a 1', 'synced apples'])
    expect(cache.log).toEqual([`start ${apples.key}`])
    await simulation.run(() => manager.close())
  })
})

describe('order', () => {
  it('W6: changes that a slow sink has not taken are coalesced, one for each object, and lag counts them', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end } = manual()
    const registrar = manager.registrar('slow', sink)
    await registrar.add(apples)
    await simulation.advance(50)
    cache.put(apples, 'a')
    await simulation.settle()
    for (let i = 0; i < 1000; i++) {
      cache.put(apples, 'a')
      cache.put(apples, `b${i % 3}`)
    }
    await simulation.advance(2000)
    expect(log.slice(2)).toEqual(['changed a 1'])
    expect(registrar.stats()).toMatchObject({ lag: 5, running: 1 })
    expect(registrar.stats().lagMs).toBeGreaterThanOrEqual(1000)
    for (const name of ['a', 'a', 'b1', 'b2', 'b0', 'a']) {
      end(name)
      await simulation.settle()
    }
    end('b0')
    await simulation.settle()
    expect(new Set(log.slice(3))).toEqual(
      new Set(['changed a 2000', 'changed b1 1997', 'changed b2 1999', 'changed b0 2001']),
    )
    expect(registrar.stats()).toMatchObject({ lag: 0, lagMs: 0, running: 0, delivered: 5 })
    await simulation.run(() => manager.close())
  })

  it('W10: deleted and created again while nobody looked is a deleted, then a changed', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end } = manual(5)
    const registrar = manager.registrar('slow', sink)
    await registrar.add(apples)
    await simulation.advance(50)
    cache.put(apples, 'a')
    await simulation.settle()
    cache.delete(apples, 'a')
    cache.put(apples, 'a')
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log.slice(2)).toEqual(['changed a 1'])
    end('a')
    await simulation.settle()
    end('a')
    await simulation.settle()
    expect(log.slice(3)).toEqual(['deleted a 2', 'changed a 4'])
    expect(registrar.stats().retried).toBe(0)
    await simulation.run(() => manager.close())
  })

  it('W12: distinct objects are delivered at once, up to the sink’s concurrency, one object one after the other', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end } = manual(2)
    const registrar = manager.registrar('one', sink)
    await registrar.add(apples)
    await registrar.add(pears)
    await simulation.advance(50)
    cache.put(apples, 'a')
    cache.put(pears, 'b')
    cache.put(pears, 'c')
    await simulation.settle()
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log.slice(4)).toEqual(['changed a 1', 'changed b 2'])
    expect(registrar.stats().running).toBe(2)
    end('b')
    await simulation.settle()
    expect(log.slice(6)).toEqual(['changed c 3'])
    end('a')
    await simulation.settle()
    expect(log.slice(7)).toEqual(['changed a 4'])
    await simulation.run(() => manager.close({ signal: AbortSignal.abort() }))
  })

  it('W9: what a relist finds gone is deleted, its final state unknown', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    cache.put(apples, 'a')
    await manager.registrar('one', event => void log.push(line(event))).add(apples)
    await simulation.advance(50)
    cache.informer(apples)?.disconnect()
    cache.delete(apples, 'a')
    cache.informer(apples)?.list()
    await simulation.advance(50)
    expect(log.slice(3)).toEqual(['deleted a 1 unknown'])
    await simulation.run(() => manager.close())
  })

  it('W6: a sink that falls behind the bound on tombstones receives reset and all objects again', async () => {
    const { simulation, cache, manager } = setUp({ maxTombstones: 2 })
    const { log, sink, end } = manual()
    for (const name of ['a', 'b', 'c', 'd']) cache.put(apples, name)
    const registrar = manager.registrar('slow', sink)
    await registrar.add(apples)
    await simulation.advance(50)
    for (const name of ['a', 'b', 'c']) {
      end(name)
      await simulation.settle()
    }
    expect(log.at(-1)).toBe('changed d 4')
    expect(registrar.stats().resets).toBe(0)
    for (const name of ['a', 'b', 'c']) cache.delete(apples, name)
    end('d')
    await simulation.settle()
    end('d')
    await simulation.settle()
    expect(log.slice(5)).toEqual(['reset apples', 'changed d 4', 'synced apples'])
    expect(registrar.stats().resets).toBe(1)
    await simulation.run(() => manager.close())
  })
})

describe('retries', () => {
  it('W12: a call that fails is made again with backoff, with the newest state, while others go on', async () => {
    const { simulation, cache, manager } = setUp()
    const times: string[] = []
    let broken = true
    const registrar = manager.registrar('one', event => {
      times.push(`${Math.floor(simulation.clock.monotonic() / 100)} ${line(event)}`)
      if (broken && event.key === 'default/bad') throw new Error('not now')
    })
    await registrar.add(apples)
    cache.put(apples, 'bad')
    cache.put(apples, 'good')
    await simulation.advance(50)
    expect(times).toEqual([
      '0 reset apples',
      '0 changed bad 1',
      '0 changed good 2',
      '0 synced apples retrying default/bad',
    ])
    cache.put(apples, 'bad')
    cache.put(apples, 'good')
    await simulation.advance(1000)
    const bad = times.filter(text => text.includes('changed bad'))
    expect(times).toContain('0 changed good 4')
    expect(bad.slice(1).map(text => text.slice(2))).toEqual(bad.slice(1).map(() => 'changed bad 3'))
    expect(bad.length).toBeGreaterThan(2)
    expect(bad.length).toBeLessThan(6)
    expect(registrar.stats()).toMatchObject({ retrying: 1, retried: bad.length - 1, lag: 1 })
    expect(simulation.environment.errors.length).toBe(bad.length)
    expect(simulation.environment.errors[0]?.context).toEqual({
      phase: 'sink one',
      resource: apples.key,
      key: 'default/bad',
    })
    broken = false
    await simulation.advance(5000)
    expect(registrar.stats()).toMatchObject({ retrying: 0, lag: 0, retried: bad.length })
    await simulation.run(() => manager.close())
  })

  it('W12: a deletion after a failed call is delivered before the object that was created again', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end, fail } = manual()
    await manager.registrar('one', sink).add(apples)
    cache.put(apples, 'a')
    await simulation.advance(50)
    end('a')
    cache.delete(apples, 'a')
    await simulation.settle()
    fail('a')
    cache.put(apples, 'a')
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log.slice(1)).toEqual(['changed a 1', 'synced apples', 'deleted a 2'])
    await simulation.advance(300)
    end('a')
    await simulation.settle()
    end('a')
    await simulation.settle()
    expect(log.slice(4)).toEqual(['deleted a 2', 'changed a 4'])
    await simulation.run(() => manager.close())
  })

  it('W12: a newer delete takes the place of a change that failed', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, fail } = manual()
    await manager.registrar('one', sink).add(apples)
    cache.put(apples, 'a')
    await simulation.advance(50)
    cache.delete(apples, 'a')
    fail('a')
    await simulation.advance(300)
    expect(log.slice(1)).toEqual(['changed a 1', 'synced apples retrying default/a', 'deleted a 2'])
    await simulation.run(() => manager.close({ signal: AbortSignal.abort() }))
  })

  it('W7, W12: an event that came during a call that fails is delivered, and an event that it made obsolete is not', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end, fail } = manual(3)
    await manager.registrar('one', sink).add(apples)
    await simulation.advance(50)
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    await simulation.settle()
    cache.delete(apples, 'a')
    cache.put(apples, 'b')
    await simulation.settle()
    expect(log.slice(2)).toEqual(['changed a 1', 'changed b 2'])
    fail('a')
    fail('b')
    await simulation.advance(5000)
    end('a')
    end('b')
    await simulation.advance(5000)
    expect(log.slice(4).sort()).toEqual(['changed b 4', 'deleted a 3'])
    await simulation.run(() => manager.close())
  })

  it('W12: a retry waits for room, as every call does', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end, fail } = manual()
    const registrar = manager.registrar('one', sink)
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    await registrar.add(apples)
    await simulation.advance(50)
    fail('a')
    await simulation.advance(5000)
    expect(log).toEqual(['reset apples', 'changed a 1', 'changed b 2'])
    end('b')
    await simulation.settle()
    end('a')
    await simulation.settle()
    expect(log.slice(3)).toEqual(['changed a 1', 'synced apples'])
    expect(registrar.stats()).toMatchObject({ delivered: 2, retried: 1, lag: 0 })
    await simulation.run(() => manager.close())
  })

  it('W12: a call for one view waits for room while a call for another view is under way, and so does a reset that is retried', async () => {
    const { simulation, cache, manager } = setUp()
    const { log, sink, end } = manual()
    let refusals = 1
    const event = (event: SinkEvent): unknown => {
      if (event.type === 'reset' && event.view.key === pears.key && refusals-- > 0) throw new Error('not now')
      return sink.event(event)
    }
    const registrar = manager.registrar('one', event)
    cache.put(apples, 'a')
    await registrar.add(pears)
    await registrar.add(apples)
    await simulation.advance(5000)
    expect(log).toEqual(['reset apples', 'changed a 1'])
    end('a')
    await simulation.settle()
    expect(log.slice(2).sort()).toEqual(['reset pears', 'synced apples', 'synced pears'])
    await simulation.run(() => manager.close())
  })

  it('W12: the cursor stops while as many objects are being retried as may be', async () => {
    const { simulation, cache, manager } = setUp()
    const bad = new Set<string | undefined>(['default/a', 'default/b'])
    const log: string[] = []
    const event = (event: SinkEvent): void => {
      log.push(line(event))
      if (bad.has(event.key)) throw new Error('not now')
    }
    const options = { maxRetrying: 2, retryInitialMs: 1000, retryMaxMs: 1000 }
    const registrar = manager.registrar('one', event, options)
    for (const name of ['a', 'b', 'c']) cache.put(apples, name)
    await registrar.add(apples)
    await registrar.add(pears)
    await simulation.advance(500)
    expect(log.filter(text => text.includes('changed'))).toEqual(['changed a 1', 'changed b 2'])
    expect(registrar.stats()).toMatchObject({ retrying: 2, lag: 5 })
    cache.put(apples, 'd')
    bad.delete('default/b')
    await simulation.advance(2500)
    expect(log).toContain('changed d 4')
    expect(log).toContain('synced apples retrying default/a')
    expect(log).toContain('synced pears')
    expect(registrar.stats()).toMatchObject({ retrying: 1, lag: 1 })
    await simulation.run(() => manager.close())
  })

  it('W12: at most 1,000 objects are being retried unless it says otherwise, and what comes then waits', async () => {
    const { simulation, cache, manager } = setUp()
    const delivered = new Set<string>()
    const event = ({ type, key }: SinkEvent): void => {
      if (type !== 'changed') return
      delivered.add(key)
      throw new Error('not now')
    }
    for (let i = 0; i < 1010; i++) cache.put(apples, `a${i}`)
    const registrar = manager.registrar('one', event)
    await registrar.add(apples)
    await simulation.advance(2000)
    expect([delivered.size, registrar.stats().retrying]).toEqual([1000, 1000])
    await simulation.run(() => manager.close())
  })

  it('W12: a view that is removed while its objects are retried makes room for the others', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const registrar = manager.registrar(
      'one',
      event => {
        log.push(line(event))
        if (event.view.key === apples.key && event.type === 'changed') throw new Error('not now')
      },
      { maxRetrying: 1 },
    )
    cache.put(apples, 'a')
    cache.put(pears, 'b')
    await registrar.add(apples)
    await simulation.advance(50)
    await registrar.add(pears)
    await simulation.advance(50)
    expect(log).not.toContain('changed b 2')
    await simulation.run(() => registrar.remove(apples))
    await simulation.advance(50)
    expect(log.slice(-2)).toEqual(['changed b 2', 'synced pears'])
    expect(registrar.stats()).toMatchObject({ retrying: 0, lag: 0 })
    await simulation.run(() => manager.close())
  })

  it('W8, W12: a change that waits to be retried is forgotten when a replay begins, for the object may be gone', async () => {
    const { simulation, cache, manager } = setUp({ maxTombstones: 0 })
    const log: string[] = []
    const registrar = manager.registrar(
      'one',
      event => {
        log.push(line(event))
        if (event.type === 'changed' && event.key === 'default/a') throw new Error('not now')
      },
      { retryInitialMs: 1000 },
    )
    await registrar.add(apples)
    cache.put(apples, 'a')
    cache.put(apples, 'b')
    await simulation.advance(50)
    expect(log.slice(1)).toEqual(['changed a 1', 'changed b 2', 'synced apples retrying default/a'])
    cache.delete(apples, 'a')
    await simulation.advance(5000)
    expect(log.slice(4)).toEqual(['reset apples', 'changed b 2', 'synced apples'])
    expect(registrar.stats()).toMatchObject({ retrying: 0, lag: 0 })
    await simulation.run(() => manager.close())
  })

  it('W8: a due retry does not overtake a synced that fails', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const refusals = new Map([
      ['changed', 1],
      ['synced', 2],
    ])
    const registrar = manager.registrar('one', ({ type, ...event }: SinkEvent) => {
      log.push(line({ type, ...event } as SinkEvent))
      const left = refusals.get(type) ?? 0
      refusals.set(type, left - 1)
      if (left > 0) throw new Error('not now')
    })
    cache.put(apples, 'a')
    await registrar.add(apples)
    await simulation.advance(5000)
    const synced = 'synced apples retrying default/a'
    expect(log).toEqual(['reset apples', 'changed a 1', synced, synced, synced, 'changed a 1'])
    await simulation.run(() => manager.close())
  })

  it('W8: a reset or synced that fails is repeated, and nothing overtakes it', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    let refusals = 2
    const registrar = manager.registrar('one', async event => {
      log.push(line(event))
      if (event.type !== 'changed' && refusals-- > 0) throw new Error('not now')
      if (event.type === 'changed') refusals = 1
    })
    cache.put(apples, 'a')
    await registrar.add(apples)
    await simulation.advance(50)
    expect(log).toEqual(['reset apples'])
    await simulation.advance(5000)
    expect(log).toEqual([
      ...['reset apples', 'reset apples', 'reset apples'],
      ...['changed a 1', 'synced apples', 'synced apples'],
    ])
    expect(registrar.stats()).toMatchObject({ retried: 3, retrying: 0, lag: 0, resets: 0 })
    await simulation.run(() => manager.close())
  })
})

describe('a stuck or dead sink', () => {
  it('W6: delays nobody else', async () => {
    const { simulation, cache, manager } = setUp()
    await manager.registrar('stuck', () => new Promise(() => {})).add(apples)
    await manager
      .registrar('dead', () => {
        throw new Error('dead')
      })
      .add(apples)
    const log: string[] = []
    await manager.registrar('well', event => void log.push(line(event))).add(apples)
    await simulation.advance(50)
    for (let i = 0; i < 5; i++) {
      cache.put(apples, 'a')
      await simulation.settle()
    }
    expect(log).toEqual(['reset apples', 'synced apples', ...[1, 2, 3, 4, 5].map(version => `changed a ${version}`)])
    await simulation.run(() => manager.close({ signal: AbortSignal.abort() }))
  })

  it('X9: a sink that returns a value that is no promise, or a broken one, is taken at its word', async () => {
    const { simulation, cache, manager } = setUp()
    const broken = (): never => {
      throw new Error('no')
    }
    const results: unknown[] = [
      ...[1, null, 'text', {}, having('then', () => 1), () => {}],
      having('then', () => (resolve: () => void) => resolve()),
      having('then', broken),
      having('then', () => broken),
    ]
    const log: string[] = []
    const registrar = manager.registrar('one', event => {
      log.push(line(event))
      return event.type === 'changed' ? results.shift() : undefined
    })
    for (let i = 1; i <= 9; i++) cache.put(apples, `a${i}`)
    await registrar.add(apples)
    await simulation.advance(5000)
    const changed = log.filter(text => text.startsWith('changed'))
    expect(changed).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 9].map(i => `changed a${i} ${i}`)])
    expect(registrar.stats()).toMatchObject({ lag: 0, retried: 2, delivered: 9 })
    await simulation.run(() => manager.close())
  })
})
