import { describe, expect, it } from 'vitest'
import type { Sink } from './sink.ts'
import { callbackSink } from './sinks/callback.ts'
import { MemoryCache } from './testkit/memory-cache.ts'
import { apples, pears, setUp } from './testkit/set-up.ts'
import { WatchManager } from './watch-manager.ts'

const red = apples.within({ labels: { colour: 'red' } })

describe('ifWatching', () => {
  it('W11: calls the function if the view is watched, and says so if it is not', async () => {
    const { simulation, manager } = setUp()
    const one = manager.registrar('one')
    await one.add(apples)
    expect(await manager.ifWatching(apples, () => 1)).toEqual({ watching: false })
    await simulation.advance(50)
    expect(await simulation.run(() => manager.ifWatching(apples, async () => 1))).toEqual({ watching: true, value: 1 })
    expect(await manager.ifWatching(pears, () => 1)).toEqual({ watching: false })
    await expect(
      simulation.run(() =>
        manager.ifWatching(apples, () => {
          throw new Error('mine')
        }),
      ),
    ).rejects.toThrow('mine')
    await simulation.run(() => manager.close())
    expect(await manager.ifWatching(apples, () => 1)).toEqual({ watching: false })
  })

  it('W11: the watch stays while the function runs, whatever removes it, the function itself among them', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.advance(50)
    let end = (): void => {}
    const running = manager.ifWatching(apples, async () => {
      await one.remove(apples)
      await new Promise<void>(resolve => (end = resolve))
    })
    await simulation.advance(50)
    expect(one.intended).toEqual([])
    expect(cache.open).toEqual([apples.key])
    expect(cache.holders(apples)).toEqual(['ifWatching'])
    end()
    await simulation.run(() => running)
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('R23: closing waits for it, but not from within it', async () => {
    const { simulation, manager } = setUp({ closeTimeoutMs: 1000 })
    await manager.registrar('one').add(apples)
    await simulation.advance(50)
    const log: string[] = []
    const within = manager.ifWatching(apples, async () => {
      await manager.close()
      log.push('closed within')
    })
    await simulation.run(() => within)
    expect(log).toEqual(['closed within'])
    const other = setUp({ closeTimeoutMs: 1000 })
    await other.manager.registrar('one').add(apples)
    await other.simulation.advance(50)
    void other.manager.ifWatching(apples, () => new Promise(() => {}))
    await other.simulation.run(() => other.manager.close())
    expect(other.simulation.clock.monotonic()).toBe(1050)
    expect(other.simulation.environment.errors).toMatchObject([
      { error: { code: 'SINK_STILL_RUNNING', calls: [apples.key] }, context: { phase: 'close' } },
    ])
  })

  it('R23: a registrar that is closed from a function that its own sink waits for is not waited for', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one', async event => {
      if (event.type === 'changed') await manager.ifWatching(apples, () => one.close())
    })
    cache.put(apples, 'a')
    await one.add(apples)
    await simulation.advance(100)
    expect(one.state).toBe('closed')
    expect(simulation.environment.errors).toEqual([])
    await simulation.run(() => manager.close())
  })
})

describe('intended and watched', () => {
  it('W14: are readable overall, each view once, and are metrics by type', async () => {
    const { simulation, cache, manager } = setUp({ metricsMs: 1000 })
    const { environment } = simulation
    const one = manager.registrar('one', event => {
      if (event.key === 'default/bad') throw new Error('bad')
    })
    cache.refuse(pears, new Error('forbidden'))
    cache.put(apples, 'bad')
    cache.put(apples, 'good')
    await Promise.all([one.add(apples), one.add(red), one.add(pears), manager.registrar('two').add(apples)])
    await simulation.advance(1100)
    expect(manager.intended).toEqual([apples, red, pears])
    expect(manager.watched).toEqual([apples, red])
    expect(environment.metric('watch_manager_intended_watch_gvk')).toBe(2)
    expect(environment.metric('watch_manager_watched_gvk')).toBe(1)
    const labels = { registrar: 'one' }
    const { retried } = one.stats()
    expect(environment.metric('watch_manager_registrar_intended_views', labels)).toBe(3)
    expect(environment.metric('watch_manager_registrar_watched_views', labels)).toBe(2)
    expect(environment.metric('watch_manager_registrar_delivered_total', labels)).toBe(1)
    expect(environment.metric('watch_manager_registrar_retried_total', labels)).toBeGreaterThan(0)
    expect(environment.metric('watch_manager_registrar_resets_total', labels)).toBe(0)
    expect(environment.metric('watch_manager_registrar_retrying_objects', labels)).toBe(1)
    expect(environment.metric('watch_manager_registrar_lag_changes', labels)).toBe(1)
    expect(environment.metric('watch_manager_registrar_lag_seconds', labels)).toBeGreaterThan(0.9)
    expect(environment.metric('watch_manager_registrar_intended_views', { registrar: 'two' })).toBe(1)
    await simulation.run(() => manager.close())
    expect(environment.metric('watch_manager_registrar_retried_total', labels)).toBe(retried)
    expect(environment.metric('watch_manager_registrar_intended_views', labels)).toBe(0)
    expect(environment.metric('watch_manager_registrar_lag_changes', labels)).toBe(0)
    expect(environment.metric('watch_manager_intended_watch_gvk')).toBe(0)
    expect(environment.metric('watch_manager_watched_gvk')).toBe(0)
    expect(simulation.pending()).toEqual([])
  })

  it('W14: what the server no longer knows is wanted, and not watched', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one')
    const two = manager.registrar('two', () => {})
    const synced = (): Promise<unknown> =>
      simulation.run(() => Promise.allSettled([one.synced(), two.synced()])).then(all => all.map(each => each.status))
    await one.add(apples)
    await two.add(apples)
    expect(await synced()).toEqual(['fulfilled', 'fulfilled'])
    const gone = new Error('gone')
    cache.informer(apples)?.vanish(gone)
    expect(await synced()).toEqual(['rejected', 'rejected'])
    expect(one).toMatchObject({ watched: [], pending: [{ view: apples, reason: gone }] })
    expect(manager.watched).toEqual([])
    cache.allow(apples)
    await simulation.advance(50)
    expect(manager.watched).toEqual([apples])
    expect(await synced()).toEqual(['fulfilled', 'fulfilled'])
    await simulation.run(() => manager.close())
  })
})

describe('closing', () => {
  it('W13: closes all registrars, once, and takes no new ones', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await manager.registrar('two').add(pears)
    await simulation.advance(50)
    const closing = Promise.all([manager.close(), manager[Symbol.asyncDispose]()])
    expect(manager.state).toBe('closing')
    expect(() => manager.registrar('three')).toThrow(expect.objectContaining({ code: 'WATCH_MANAGER_CLOSED' }))
    expect(() => manager.start()).toThrow(expect.objectContaining({ code: 'WATCH_MANAGER_CLOSED' }))
    await simulation.run(() => closing)
    await manager.close()
    expect(manager.state).toBe('closed')
    expect(cache.open).toEqual([])
    await expect(one.add(apples)).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED' })
    expect(simulation.pending()).toEqual([])
  })

  it('X9: the error of a cache that fails to release a hold goes to onError', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one')
    const hold = cache.hold.bind(cache)
    const broken = [
      () => {
        throw new Error('at once')
      },
      () => Promise.reject(new Error('later')),
    ]
    cache.hold = ((view: typeof apples, holder: string) => ({ ...hold(view, holder), release: broken.pop() })) as never
    await Promise.all([one.add(apples), one.add(pears)])
    await simulation.advance(50)
    await simulation.run(() => manager.close())
    expect(simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
      ['at once', 'release one'],
      ['later', 'release one'],
    ])
  })
})

describe('options', () => {
  const sink = { event: () => {} }

  it('X6: each is checked when it is given', () => {
    const { environment } = setUp().simulation
    const cache = new MemoryCache(environment)
    const manager = new WatchManager({ cache, environment })
    const wrong = (fn: () => unknown, option: string): void => {
      expect(fn).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
    }
    wrong(() => new WatchManager({ environment } as never), 'watchManager.cache')
    wrong(() => new WatchManager({ cache: {} as never }), 'watchManager.cache')
    wrong(() => new WatchManager({ cache, environment: 1 as never }), 'watchManager.environment')
    wrong(() => new WatchManager({ cache, closeTimeoutMs: -1 }), 'watchManager.closeTimeoutMs')
    wrong(() => new WatchManager({ cache, metricsMs: 0 }), 'watchManager.metricsMs')
    wrong(() => new WatchManager({ cache, other: 1 } as never), 'watchManager.other')
    wrong(() => manager.registrar(''), 'name')
    wrong(() => manager.registrar(1 as never), 'name')
    wrong(() => manager.registrar('a', {} as never), 'sink')
    wrong(() => manager.registrar('a', null as never), 'sink')
    wrong(() => manager.registrar('a', { ...sink, concurrency: 0 }), 'sink.concurrency')
    wrong(() => manager.registrar('a', { ...sink, rescoped: 1 } as never), 'sink.rescoped')
    wrong(() => manager.registrar('a', { ...sink, removed: 1 } as never), 'sink.removed')
    wrong(() => manager.registrar('a', { ...sink, closed: 1 } as never), 'sink.closed')
    wrong(() => manager.registrar('a', sink, { maxRetrying: 0 }), 'registrar.maxRetrying')
    wrong(() => manager.registrar('a', sink, { retryInitialMs: 0 }), 'registrar.retryInitialMs')
    wrong(() => manager.registrar('a', sink, { retryMaxMs: 50 }), 'registrar.retryMaxMs')
    wrong(() => manager.registrar('a', sink, { concurrency: 2 } as never), 'registrar.concurrency')
    wrong(() => callbackSink(1 as never), 'event')
    wrong(() => callbackSink(() => {}, { concurrency: 0.5 }), 'callbackSink.concurrency')
    expect(manager.registrar('a').state).toBe('open')
  })

  it('X6: a value that is no view is refused, and leaves nothing behind', async () => {
    const { simulation, cache, manager } = setUp()
    const one = manager.registrar('one', sink as Sink)
    for (const view of [undefined, null, 1, {}, { key: 'x' }]) {
      const error = { code: 'INVALID_OPTION', option: 'view' }
      await expect(one.add(view as never)).rejects.toMatchObject(error)
      await expect(one.remove(view as never)).rejects.toMatchObject(error)
      await expect(manager.ifWatching(view as never, () => 1)).rejects.toMatchObject(error)
      await expect(one.replace([view as never])).rejects.toMatchObject({ ...error, option: 'views' })
    }
    for (const views of [undefined, null, 1, {}]) {
      await expect(one.replace(views as never)).rejects.toMatchObject({ option: 'views' })
    }
    await expect(one.replace([], { onFailure: 'give up' as never })).rejects.toMatchObject({
      option: 'replace.onFailure',
    })
    await expect(one.synced({ signal: 1 as never })).rejects.toMatchObject({ option: 'synced.signal' })
    await expect(one.remove(apples, { signal: 1 as never })).rejects.toMatchObject({ option: 'remove.signal' })
    await expect(one.close({ signal: 1 as never })).rejects.toMatchObject({ option: 'close.signal' })
    await expect(manager.close({ signal: 1 as never })).rejects.toMatchObject({ option: 'close.signal' })
    await expect(manager.ifWatching(apples, 1 as never)).rejects.toMatchObject({ option: 'fn' })
    expect(one.intended).toEqual([])
    expect(one.state).toBe('open')
    await simulation.run(() => manager.close())
    expect(cache.log).toEqual([])
  })

  it('D1: another function under the name of a view that it wants is refused', async () => {
    const { simulation, manager } = setUp()
    const one = manager.registrar('one', sink as Sink)
    const [named, other] = [apples.project('name', object => object), apples.project('name', object => object)]
    await one.add(named)
    await one.add(named.within({}))
    const error = { code: 'INVALID_OPTION', option: 'view' }
    await expect(one.add(other)).rejects.toMatchObject(error)
    await expect(one.replace([other])).rejects.toMatchObject({ option: 'views' })
    await expect(manager.registrar('two').replace([named, other])).rejects.toMatchObject({ option: 'views' })
    expect(one.intended).toEqual([named])
    await simulation.run(() => manager.close())
  })
})
