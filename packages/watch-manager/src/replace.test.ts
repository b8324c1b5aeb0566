import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { alikeSignal } from '@wherry/client/testkit/alike-signal'
import { describe, expect, it } from 'vitest'
import type { Registrar } from './registrar.ts'
import type { SinkEvent } from './sink.ts'
import { apples, line, pears, setUp } from './testkit/set-up.ts'

const apple = { group: 'test.example.com', version: 'v1', kind: 'Apple', plural: 'apples', namespaced: true } as const
const red = apples.within({ labels: { colour: 'red' } })
const ours = apples.within({ namespaces: ['ours'] })

function recording(log: string[]) {
  return {
    event: (event: SinkEvent) => void log.push(line(event)),
    rescoped: (from: View, to: View) => void log.push(`rescoped ${from.key} ${to.key}`),
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

describe('retry', () => {
  it('W4: does the difference only: what stays is not replayed, and others notice nothing', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const others: string[] = []
    cache.put(apples, 'a')
    cache.put(pears, 'b')
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    await manager.registrar('other', event => void others.push(line(event))).add(apples)
    await simulation.advance(50)
    log.length = 0
    others.length = 0
    await simulation.run(() => one.replace([apples, pears, pears]))
    await simulation.advance(50)
    expect(log).toEqual(['reset pears', 'changed b 2', 'synced pears'])
    await simulation.run(() => one.replace(new Set([pears])))
    cache.put(apples, 'a')
    await simulation.advance(50)
    expect(log).toHaveLength(3)
    expect(others).toEqual(['changed a 3'])
    await simulation.run(() => one.replace([]))
    expect(cache.open).toEqual([apples.key])
    expect(one.intended).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('W4: what fails stays pending and is watched when it can be', async () => {
    const { simulation, cache, manager } = setUp()
    const forbidden = new Error('forbidden')
    cache.refuse(pears, forbidden)
    const one = manager.registrar('one', () => {})
    await simulation.run(() => one.replace([apples, pears]))
    await simulation.advance(50)
    expect(one.watched).toEqual([apples])
    expect(one.pending).toEqual([{ view: pears, reason: forbidden }])
    cache.allow(pears)
    await simulation.advance(50)
    expect(one.watched).toEqual([apples, pears])
    await simulation.run(() => manager.close())
  })

  it('W4: resolves when calls to the sink for what left have settled', async () => {
    const { simulation, cache, manager } = setUp()
    let end = (): void => {}
    cache.put(apples, 'a')
    const one = manager.registrar('one', event => (event.key ? new Promise<void>(resolve => (end = resolve)) : 0))
    await one.add(apples)
    await simulation.advance(50)
    let replaced = false
    const replacing = one.replace([pears]).then(() => {
      replaced = true
    })
    await simulation.advance(1000)
    expect(replaced).toBe(false)
    expect(one.intended).toEqual([pears])
    end()
    await simulation.run(() => replacing)
    await simulation.run(() => manager.close())
  })
})

describe('rollback', () => {
  it('W4: changes nothing until all have synced', async () => {
    const { simulation, cache, manager } = setUp({ listMs: 100 })
    const log: string[] = []
    cache.put(apples, 'a')
    cache.put(pears, 'b')
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    await simulation.advance(150)
    const replacing = one.replace([pears], { onFailure: 'rollback' })
    await simulation.advance(50)
    expect(one.intended).toEqual([apples])
    expect(cache.open).toEqual([apples.key, pears.key])
    expect(log.filter(text => text.includes('pears'))).toEqual([])
    await simulation.run(() => replacing)
    expect(one.watched).toEqual([pears])
    expect(cache.open).toEqual([pears.key])
    await simulation.advance(50)
    expect(log.slice(3)).toEqual(['reset pears', 'changed b 2', 'synced pears'])
    await simulation.run(() => manager.close())
    expect(cache.log).toEqual([
      `start ${apples.key}`,
      `start ${pears.key}`,
      ...[`stop ${apples.key}`, `stop ${pears.key}`],
    ])
  })

  it('W4: takes any object with the interface of a signal, and rejects with its reason', async () => {
    const { simulation, manager } = setUp()
    const one = manager.registrar('one')
    const stop = new AbortController()
    const options = { onFailure: 'rollback', signal: alikeSignal(stop.signal) } as const
    await simulation.run(() => one.replace([pears], options))
    expect(one.watched).toEqual([pears])
    const replaced = one.replace([apples], options).catch(error => error.message)
    stop.abort(new Error('enough'))
    expect(await simulation.run(() => replaced)).toBe('enough')
    expect(one.watched).toEqual([pears])
    await simulation.run(() => manager.close())
  })

  it('W4: keeps the old set where one fails, and lists each view with its reason', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    cache.refuse(pears, new Error('forbidden'))
    cache.refuse(red, new Error('unknown'))
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    await simulation.advance(50)
    await expect(
      simulation.run(() => one.replace([pears, ours, red], { onFailure: 'rollback' })),
    ).rejects.toMatchObject({
      code: 'VIEWS_FAILED',
      views: [
        { view: pears, reason: { message: 'forbidden' } },
        { view: red, reason: { message: 'unknown' } },
      ],
      message: `the registrar one can't watch 2 views:\n  ${pears.key}: forbidden\n  ${red.key}: unknown`,
    })
    expect(one.intended).toEqual([apples])
    expect(cache.open).toEqual([apples.key])
    cache.broken = new Error('full')
    await expect(simulation.run(() => one.replace([pears], { onFailure: 'rollback' }))).rejects.toMatchObject({
      views: [{ view: pears, reason: { message: 'full' } }],
    })
    cache.put(apples, 'a')
    await simulation.settle()
    expect(log).toEqual(['reset apples', 'synced apples', 'changed a 1'])
    await simulation.run(() => manager.close())
  })

  it('W4: keeps the old set where the signal is aborted, the registrar is closed, or another replace comes', async () => {
    const { simulation, cache, manager } = setUp({ listMs: 1000 })
    const one = manager.registrar('one', () => {})
    await one.add(apples)
    await simulation.advance(2000)
    const stop = new AbortController()
    const options = { onFailure: 'rollback', signal: stop.signal } as const
    const aborted = one.replace([pears], options)
    aborted.catch(() => {})
    await simulation.advance(100)
    stop.abort(new Error('enough'))
    await expect(simulation.run(() => aborted)).rejects.toThrow('enough')
    await expect(one.replace([pears], options)).rejects.toThrow('enough')
    const superseded = one.replace([pears], { onFailure: 'rollback' })
    superseded.catch(() => {})
    await simulation.advance(100)
    const next = one.replace([red], { onFailure: 'rollback' })
    await expect(simulation.run(() => superseded)).rejects.toMatchObject({
      code: 'REPLACE_SUPERSEDED',
      registrar: 'one',
    })
    await simulation.run(() => next)
    expect(one.watched).toEqual([red])
    expect(cache.open).toEqual([red.key])
    const closed = one.replace([pears], { onFailure: 'rollback' })
    closed.catch(() => {})
    await simulation.run(() => one.close())
    await expect(simulation.run(() => closed)).rejects.toMatchObject({ code: 'REGISTRAR_CLOSED' })
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('W4: one that another replace has taken the place of says so, whatever else failed', async () => {
    const { simulation, cache, manager } = setUp()
    cache.refuse(pears, new Error('forbidden'))
    const one = manager.registrar('one')
    const hold = cache.hold.bind(cache)
    cache.hold = ((view: typeof apples, holder: string) => {
      const held = hold(view, holder)
      const never = { ...held.informer, whenSynced: ({ signal }: { signal: AbortSignal }) => aborted(signal) }
      return view.key === red.key ? { ...held, informer: never } : held
    }) as never
    const superseded = one.replace([pears, red], { onFailure: 'rollback' })
    superseded.catch(() => {})
    await simulation.advance(50)
    const next = one.replace([apples])
    await expect(simulation.run(() => superseded)).rejects.toMatchObject({ code: 'REPLACE_SUPERSEDED' })
    await simulation.run(() => next)
    expect(cache.open).toEqual([apples.key])
    await simulation.run(() => manager.close())
  })

  it('X9: an error that a cache throws while a rollback releases its holds goes to onError, and the views give the reason', async () => {
    const { simulation, cache, manager } = setUp()
    cache.refuse(pears, new Error('forbidden'))
    const one = manager.registrar('one')
    const hold = cache.hold.bind(cache)
    cache.hold = ((view: typeof apples, holder: string) => {
      const held = hold(view, holder)
      const release = async (): Promise<never> => {
        await held.release()
        throw new Error(`stuck ${view.resource.plural}`)
      }
      return { ...held, release }
    }) as never
    const replacing = simulation.run(() => one.replace([apples, pears], { onFailure: 'rollback' }))
    await expect(replacing).rejects.toMatchObject({ views: [{ reason: { message: 'forbidden' } }] })
    expect(simulation.environment.errors.map(({ error, context }) => [error.message, context])).toEqual([
      ['stuck apples', { phase: 'release one' }],
      ['stuck pears', { phase: 'release one' }],
    ])
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })

  it('W4: views that are added and removed while it waits count', async () => {
    const { simulation, cache, manager } = setUp({ listMs: 1000 })
    const one = manager.registrar('one')
    const replacing = one.replace([pears, red], { onFailure: 'rollback' })
    await one.add(apples)
    await one.remove(red)
    await simulation.run(() => replacing)
    expect(one.intended).toEqual([apples, pears])
    await simulation.advance(2000)
    expect(cache.open).toEqual([apples.key, pears.key].sort())
    await simulation.run(() => manager.close())
  })

  it('W5: waits for the manager to start', async () => {
    const { simulation, manager } = setUp({ start: false })
    const one = manager.registrar('one')
    const replacing = one.replace([apples], { onFailure: 'rollback' })
    const stop = new AbortController()
    const two = manager.registrar('two').replace([apples], { onFailure: 'rollback', signal: stop.signal })
    two.catch(() => {})
    await simulation.settle()
    stop.abort(new Error('enough'))
    await expect(two).rejects.toThrow('enough')
    const three = manager.registrar('three').replace([apples], { onFailure: 'rollback', signal: stop.signal })
    await expect(simulation.run(() => three)).rejects.toThrow('enough')
    manager.start()
    await simulation.run(() => replacing)
    expect(one.watched).toEqual([apples])
    await simulation.run(() => manager.close())
  })
})

describe('from within a sink', () => {
  it('W4: a view that a sink adds while it is notified of a removal is wanted', async () => {
    const { simulation, cache, manager } = setUp()
    const one: Registrar = manager.registrar('one', {
      event: () => {},
      removed: view => {
        if (view.key === apples.key) void one.replace([pears])
      },
    })
    await Promise.all([one.add(apples), one.add(pears)])
    await simulation.advance(50)
    await simulation.run(() => one.replace([red]))
    await simulation.advance(50)
    expect(one.intended).toEqual([pears])
    expect(one.watched).toEqual([pears])
    expect(cache.open).toEqual([pears.key])
    await simulation.run(() => manager.close())
  })
})

describe('a move that takes its time', () => {
  /** A registrar that moves from apples to the red ones, while a call is under way. */
  async function moving() {
    const parts = setUp()
    const { simulation, cache, manager } = parts
    const log: string[] = []
    const ends: (() => void)[] = []
    const arrive = cache.delayMoves()
    cache.put(apples, 'a', { labels: { colour: 'red' } })
    const one = manager.registrar<KubernetesObject>('one', {
      concurrency: 3,
      event: event => {
        log.push(`${line(event)} of ${event.view.key}`)
        return event.type === 'changed' && ends.length === 0
          ? new Promise<void>(resolve => ends.push(resolve))
          : undefined
      },
      rescoped: (from, to) => void log.push(`rescoped ${from.key} ${to.key}`),
      removed: view => void log.push(`removed ${view.key}`),
    })
    await one.add(apples)
    await simulation.advance(50)
    const moved = one.replace([red])
    await simulation.settle()
    return { ...parts, one, log, moved, arrive, end: () => ends[0]?.() }
  }

  it('W7, D9: a view that is wanted again meanwhile is delivered after the sink has taken the move', async () => {
    const { simulation, manager, one, log, moved, arrive, end } = await moving()
    await one.add(apples)
    arrive()
    await simulation.run(() => moved)
    await simulation.advance(50)
    expect(log).toEqual([`reset apples of ${apples.key}`, `changed a 1 of ${apples.key}`])
    end()
    await simulation.advance(50)
    expect(log.slice(2)).toEqual([
      `synced apples of ${apples.key}`,
      `rescoped ${apples.key} ${red.key}`,
      `reset apples of ${apples.key}`,
      `changed a 1 of ${apples.key}`,
      `synced apples of ${apples.key}`,
    ])
    await simulation.run(() => manager.close())
  })

  it('W7, D9: a view that is wanted again and removed meanwhile is nothing to the sink, which knows it as what moves', async () => {
    const { simulation, manager, one, log, moved, arrive, end } = await moving()
    await one.add(apples)
    arrive()
    await simulation.run(() => moved)
    await simulation.run(() => one.remove(apples))
    end()
    await simulation.advance(50)
    expect(log.slice(2)).toEqual([`synced apples of ${apples.key}`, `rescoped ${apples.key} ${red.key}`])
    await simulation.run(() => one.remove(red))
    expect(log.slice(4)).toEqual([`removed ${red.key}`])
    await simulation.run(() => manager.close())
  })

  it('W4: synced waits for its end, and for what takes its place where it fails', async () => {
    for (const rigid of [undefined, new Error('no')]) {
      const { simulation, cache, manager, one, arrive, end } = await moving()
      cache.rigid = rigid
      end()
      await simulation.settle()
      let synced = 0
      const waiting = one.synced().then(() => synced++)
      await simulation.advance(50)
      expect(synced).toBe(0)
      arrive()
      await simulation.run(() => waiting)
      expect(one.watched).toEqual([red])
      await simulation.run(() => manager.close())
    }
  })

  it('W4: another registrar’s replace is not held up by it once its signal is aborted', async () => {
    const { simulation, cache, manager, moved, arrive, end } = await moving()
    const two = manager.registrar('two')
    const stop = new AbortController()
    const replacing = two.replace([red], { onFailure: 'rollback', signal: stop.signal })
    replacing.catch(() => {})
    await simulation.advance(50)
    stop.abort(new Error('enough'))
    await expect(simulation.run(() => replacing)).rejects.toThrow('enough')
    end()
    arrive()
    await simulation.run(() => moved)
    expect(cache.holders(red)).toEqual(['one'])
    await simulation.run(() => manager.close())
  })
})

describe('rescope', () => {
  async function moved(prepare: (parts: ReturnType<typeof setUp>) => void = () => {}) {
    const parts = setUp()
    const { simulation, cache, manager } = parts
    const log: string[] = []
    cache.put(apples, 'a', { labels: { colour: 'red' } })
    cache.put(apples, 'b')
    cache.put(apples, 'c', { labels: { colour: 'red' } })
    const one = manager.registrar<KubernetesObject>('one', recording(log))
    await one.add(apples)
    await simulation.advance(50)
    log.length = 0
    prepare(parts)
    await simulation.run(() => one.replace([red]))
    await simulation.advance(50)
    return { ...parts, one, log }
  }

  it('D9: a view that makes way for another of the same resource is moved: only the difference is delivered', async () => {
    const { simulation, cache, manager, one, log } = await moved()
    expect(log).toEqual([`rescoped ${apples.key} ${red.key}`, 'deleted b 2 unknown'])
    expect(one.watched).toEqual([red])
    expect(manager.watched).toEqual([red])
    cache.put(apples, 'a', { labels: { colour: 'red' } })
    cache.put(apples, 'b')
    await simulation.settle()
    await simulation.run(() => one.replace([apples]))
    await simulation.advance(50)
    expect(log.slice(2)).toEqual(['changed a 4', `rescoped ${red.key} ${apples.key}`, 'changed b 5'])
    expect(cache.log.map(text => text.split(' ')[0])).toEqual(['start', 'rescope', 'rescope'])
    await simulation.run(() => manager.close())
    expect(cache.open).toEqual([])
  })

  it('D9: the sink is notified of the move after earlier calls have settled, and before the objects of the new scope', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const ends: (() => void)[] = []
    const call = (text: string): Promise<void> => {
      log.push(text)
      return new Promise(resolve => ends.push(resolve))
    }
    cache.put(apples, 'a')
    const one = manager.registrar<KubernetesObject>('one', {
      concurrency: 3,
      event: event => (event.key ? call(`${line(event)} of ${event.view.key}`) : undefined),
      rescoped: (from, to) => call(`rescoped ${from.key} ${to.key}`),
    })
    await one.add(red)
    await simulation.advance(50)
    cache.put(apples, 'c', { labels: { colour: 'red' } })
    await simulation.settle()
    await simulation.run(() => one.replace([apples]))
    await simulation.settle()
    expect(log).toEqual([`changed c 2 of ${red.key}`])
    ends[0]?.()
    await simulation.settle()
    expect(log.slice(1)).toEqual([`rescoped ${red.key} ${apples.key}`])
    ends[1]?.()
    await simulation.settle()
    expect(log.slice(2)).toEqual([`changed a 1 of ${apples.key}`])
    ends[2]?.()
    await simulation.run(() => manager.close())
  })

  it('D9: where the cache can not, or another holds either, the new view is held in place of the old', async () => {
    const whole = ['reset apples', 'changed a 1', 'changed c 3', 'synced apples']
    const refused = await moved(({ cache }) => {
      cache.rigid = new Error('no')
    })
    expect(refused.log).toEqual(whole)
    expect(refused.cache.open).toEqual([red.key])
    await refused.simulation.run(() => refused.manager.close())

    const shared = await moved(({ manager }) => void manager.registrar('two').add(apples))
    expect(shared.log).toEqual(whole)
    expect(shared.cache.log).not.toContain(`rescope ${apples.key} ${red.key}`)
    await shared.simulation.run(() => shared.manager.close())

    const there = await moved(({ manager }) => void manager.registrar('two').add(red))
    expect(there.log).toEqual(whole)
    await there.simulation.run(() => there.manager.close())

    const unable = await moved(({ cache }) => Object.assign(cache, { moveHold: undefined }))
    expect(unable.log).toEqual(whole)
    await unable.simulation.run(() => unable.manager.close())
  })

  it.each<[string, View<KubernetesObject>]>([
    ['group', defineResource<KubernetesObject>({ ...apple, group: 'other.example.com' })],
    ['version', defineResource<KubernetesObject>({ ...apple, version: 'v2' })],
    ['plural', defineResource<KubernetesObject>({ ...apple, plural: 'crabs' })],
    ['kind of projection', apples.full()],
    ['projection', apples.project('small', object => object)],
  ])('D9: a view of another %s is held in place of the old, not moved', async (_, other) => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const one = manager.registrar('one', recording(log))
    await one.add(apples)
    await simulation.advance(50)
    await simulation.run(() => one.replace([other]))
    await simulation.advance(50)
    expect(log.filter(text => text.startsWith('rescoped'))).toEqual([])
    expect(cache.log.map(text => text.split(' ')[0])).toEqual(['start', 'start', 'stop'])
    expect(one.watched).toEqual([other])
    await simulation.run(() => manager.close())
  })

  it('D9: a sink that knows of no moves gets the new view from its reset on', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    const one = manager.registrar('one', event => void log.push(line(event)))
    await one.add(apples)
    await simulation.advance(50)
    await simulation.run(() => one.replace([red]))
    await simulation.advance(50)
    expect(log).toEqual(['reset apples', 'synced apples', 'reset apples', 'synced apples'])
    expect(cache.log.map(text => text.split(' ')[0])).toEqual(['start', 'start', 'stop'])
    await simulation.run(() => manager.close())
  })

  it('D9: what becomes of a move that is overtaken is what was asked for last', async () => {
    const { simulation, cache, manager } = setUp()
    const log: string[] = []
    cache.put(apples, 'a', { namespace: 'ours' })
    const one = manager.registrar<KubernetesObject>('one', recording(log))
    await one.add(apples)
    await simulation.advance(50)
    const first = one.replace([red])
    const second = one.replace([ours])
    expect(one.intended).toEqual([ours])
    await simulation.run(() => Promise.all([first, second]))
    await simulation.advance(50)
    expect(one.watched).toEqual([ours])
    expect(cache.open).toEqual([ours.key])
    const third = one.replace([apples])
    const closed = one.close()
    await simulation.run(() => Promise.all([third, closed]))
    expect(cache.open).toEqual([])
    await simulation.run(() => manager.close())
  })
})
