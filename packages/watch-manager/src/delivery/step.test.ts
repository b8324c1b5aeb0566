import type { View } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import type { Change, Cursor } from '@wherry/informer'
import { describe, expect, it } from 'vitest'
import type { Sink, SinkEvent } from '../sink.ts'
import { apples, pears } from '../testkit/set-up.ts'
import { Delivery } from './delivery.ts'
import { FairScheduler } from './fair-scheduler.ts'
import { CallContext } from './running.ts'
import { SinkLimits } from './sink-limits.ts'

/** A cursor over a list, that logs how much is taken off it. */
class ListCursor implements Cursor<unknown> {
  readonly resets = 0
  readonly takes: number[] = []
  readonly changes: Change<unknown>[]
  lagMs = 0
  closed = false
  woken: (() => void) | undefined

  constructor(changes: Change<unknown>[]) {
    this.changes = changes
  }

  get lag(): number {
    return this.changes.length
  }

  take(max: number): Change<unknown>[] {
    this.takes.push(max)
    return this.changes.splice(0, max)
  }

  wake(fn: () => void): void {
    this.woken = fn
  }

  close(): void {
    this.closed = true
  }
}

function changed(count: number, view: View = apples): Change<unknown>[] {
  return Array.from({ length: count }, (_, i) => ({ type: 'changed', view, key: `a${i}`, object: {} }))
}

/** A delivery in steps that the test makes, on a time that it sets. */
function steps(sink: Sink, cursor: Cursor<unknown>, maxRetrying = 1000) {
  const time = { now: 0 }
  const timers: (() => void)[] = []
  const clock = {
    now: () => time.now,
    monotonic: () => time.now,
    timer: (_ms: number, fn: () => void) => {
      timers.push(fn)
      return { cancel: () => void timers.splice(timers.indexOf(fn), 1) }
    },
    turn: () => new Promise<void>(() => {}),
  }
  const errors: Error[] = []
  const environment = systemEnvironment({ clock, random: () => 0, onError: error => errors.push(error) })
  const scheduler = new FairScheduler(clock, () => {})
  const shared = { environment, scheduler, context: new CallContext() }
  const limits = new SinkLimits('one', sink, shared, { maxRetrying, retryInitialMs: 100, retryMaxMs: 1000 })
  const milestones: string[] = []
  const listener = { synced: () => void milestones.push('synced'), ended: () => void milestones.push('ended') }
  const delivery = new Delivery(apples, limits, listener)
  delivery.follow(cursor)
  return { delivery, limits, time, timers, milestones, errors }
}

describe('a step', () => {
  it('W6: makes 32 calls, then lets others have their turn', () => {
    const keys: string[] = []
    const cursor = new ListCursor(changed(40))
    const { delivery } = steps({ event: ({ key }) => void keys.push(key ?? '') }, cursor)
    expect(delivery.step(1000)).toBe(true)
    expect(keys).toHaveLength(32)
    expect(delivery.step(1000)).toBe(false)
    expect(keys).toHaveLength(40)
    expect(new Set(keys).size).toBe(40)
    expect(cursor.woken).toBeDefined()
    expect(delivery.queued).toBe(true)
  })

  it('W6: looks at the clock after every eighth call', () => {
    let calls = 0
    const event = (): void => {
      time.now = ++calls
    }
    const { delivery, time } = steps({ event }, new ListCursor(changed(40)))
    expect(delivery.step(4)).toBe(true)
    expect(calls).toBe(8)
    expect(delivery.step(9)).toBe(true)
    expect(calls).toBe(16)
    expect(delivery.step(24)).toBe(true)
    expect(calls).toBe(24)
    expect(delivery.step(100)).toBe(false)
    expect(calls).toBe(40)
  })

  it('W6: looks at the clock after every call that is waited for', () => {
    let calls = 0
    const event = (): Promise<void> => {
      time.now = ++calls
      return new Promise(() => {})
    }
    const { delivery, time } = steps({ concurrency: 100, event }, new ListCursor(changed(40)))
    expect(delivery.step(10)).toBe(true)
    expect(calls).toBe(10)
    expect(delivery.step(100)).toBe(false)
    expect(calls).toBe(40)
  })

  it('W6: takes more and more off the cursor at once, one at a time from a sink that is waited for, none while it waits', () => {
    const cursor = new ListCursor(changed(200))
    let waits = false
    const { delivery, limits } = steps({ event: () => (waits ? new Promise(() => {}) : undefined) }, cursor)
    while (cursor.lag > 100) delivery.step(1)
    expect(cursor.takes).toEqual([1, 2, 4, 8, 16, 16, 16, 16, 16, 16])
    waits = true
    delivery.step(1)
    expect(cursor.takes).toHaveLength(10)
    expect(limits.running).toBe(1)
    const left = cursor.lag
    delivery.step(1)
    expect(cursor.lag).toBe(left)
  })

  it('W6: what one that is waited for took off the cursor is one change, with a fresh start', () => {
    const cursor = new ListCursor(changed(10))
    const { delivery } = steps({ concurrency: 3, event: () => new Promise(() => {}) }, cursor)
    delivery.step(1)
    expect(cursor.takes).toEqual([1, 1, 1])
    expect(delivery.lag).toBe(10)
    expect(delivery.underWay()).toEqual(['a0', 'a1', 'a2'])
  })

  it('W14: lag and its age count changes that were taken and not delivered, held keys, and a reset or synced that waits', async () => {
    const reset: Change<unknown> = { type: 'reset', view: apples }
    const cursor = new ListCursor([...changed(1), reset, ...changed(1)])
    const { delivery, time, timers } = steps(
      {
        event: ({ type }) => {
          if (type === 'reset') throw new Error('no')
          return new Promise(() => {})
        },
      },
      cursor,
    )
    expect([delivery.lag, delivery.lagMs]).toEqual([3, 0])
    time.now = 5
    delivery.step(100)
    time.now = 20
    expect([delivery.lag, delivery.lagMs]).toEqual([3, 15])
    cursor.lagMs = 18
    expect(delivery.lagMs).toBe(18)
    delivery.stop()
    expect([delivery.lagMs, cursor.closed]).toEqual([0, true])
    expect(timers).toEqual([])
    const failing = steps({ event: () => Promise.reject(new Error('no')) }, new ListCursor([reset, ...changed(1)]))
    failing.delivery.step(100)
    await Promise.resolve()
    await new Promise(setImmediate)
    failing.time.now = 7
    expect([failing.delivery.lag, failing.delivery.lagMs]).toEqual([2, 7])
    expect(failing.timers).toHaveLength(1)
    failing.delivery.stop()
    expect(failing.timers).toEqual([])
  })

  it('W14: the lag of an object that changes during each of its calls is the time since its last undelivered change', async () => {
    const calls: (() => void)[] = []
    const cursor = new ListCursor(changed(1))
    const sink = { concurrency: 2, event: () => new Promise<void>(resolve => calls.push(resolve)) }
    const { delivery, time } = steps(sink, cursor)
    delivery.step(1000)
    for (time.now = 100; time.now <= 1000; time.now += 100) {
      cursor.changes.push(...changed(1))
      delivery.step(time.now + 1000)
      expect(delivery.lagMs).toBeLessThanOrEqual(100)
      calls.shift()?.()
      await new Promise(setImmediate)
      delivery.step(time.now + 1000)
      expect(delivery.lagMs).toBe(0)
    }
    delivery.stop()
  })

  it('W12: no more calls for objects are under way than may come to be retried', () => {
    const cursor = new ListCursor(changed(10))
    const { delivery, limits } = steps({ concurrency: 5, event: () => new Promise(() => {}) }, cursor, 2)
    expect(delivery.step(1)).toBe(false)
    expect([limits.running, limits.fresh]).toEqual([2, 2])
  })

  it('W3: a call that comes back after the stop changes nothing but the calls under way', async () => {
    const ends: { resolve: () => void; reject: (error: Error) => void }[] = []
    const sink = { concurrency: 2, event: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })) }
    const { delivery, limits, errors, timers } = steps(sink, new ListCursor(changed(5)))
    delivery.step(1)
    delivery.stop()
    const idle = delivery.idle(true)
    ends[0]?.resolve()
    ends[1]?.reject(new Error('late'))
    await idle
    expect(limits).toMatchObject({ running: 0, fresh: 0, retrying: 0, delivered: 1 })
    expect(errors.map(({ message }) => message)).toEqual(['late'])
    expect(timers).toEqual([])
    expect(delivery.step(1)).toBe(false)
    expect(ends).toHaveLength(2)
  })

  it('W3: a reset that is refused after the stop is not tried again', async () => {
    let refuse = (): void => {}
    const sink = { event: () => new Promise<void>((_, reject) => (refuse = () => reject(new Error('late')))) }
    const reset: Change<unknown> = { type: 'reset', view: apples }
    const { delivery, limits, errors, timers, milestones } = steps(sink, new ListCursor([reset, ...changed(1)]))
    delivery.step(1)
    expect(delivery.underWay()).toEqual(['reset'])
    delivery.stop()
    refuse()
    await delivery.idle(true)
    expect(errors.map(({ message }) => message)).toEqual(['late'])
    expect([limits.running, timers, milestones]).toEqual([0, [], []])
  })

  it('W3: a synced that the sink took after the stop is not reported', async () => {
    let take = (): void => {}
    const sink = { event: () => new Promise<void>(resolve => (take = resolve)) }
    const synced: Change<unknown> = { type: 'synced', view: apples, failed: [] }
    const { delivery, milestones } = steps(sink, new ListCursor([synced]))
    delivery.step(1)
    delivery.stop()
    take()
    await delivery.idle(true)
    expect(milestones).toEqual([])
  })

  it('D9: a move is delivered before the first change of the new view, and the sink knows both views meanwhile', async () => {
    const calls: string[] = []
    let end = (): void => {}
    const sink: Sink = {
      event: (event: SinkEvent) => void calls.push(`${event.view.key} ${event.key}`),
      rescoped: (from, to) => {
        calls.push(`${from.key} ${to.key}`)
        return new Promise<void>(resolve => (end = resolve))
      },
    }
    const { delivery } = steps(sink, new ListCursor([...changed(2), ...changed(1, pears)]))
    expect(delivery.known).toEqual([apples])
    delivery.expect(pears)
    delivery.step(1)
    expect(calls).toEqual([`${apples.key} a0`, `${apples.key} a1`, `${apples.key} ${pears.key}`])
    expect(delivery.known).toEqual([apples, pears])
    expect(delivery.underWay()).toEqual(['rescoped'])
    let moved = false
    const waits = delivery.moved().then(() => {
      moved = true
    })
    await new Promise(setImmediate)
    expect(moved).toBe(false)
    end()
    await waits
    await delivery.moved()
    expect(delivery.known).toEqual([pears])
    delivery.step(1)
    expect(calls.slice(3)).toEqual([`${pears.key} a0`])
  })

  it('D9: a move waits for the calls under way, and until it is delivered the sink knows the old view alone', async () => {
    const calls: string[] = []
    let end = (): void => {}
    const sink: Sink = {
      concurrency: 2,
      event: () => new Promise<void>(resolve => (end = resolve)),
      rescoped: (from, to) => void calls.push(`${from.key} ${to.key}`),
    }
    const { delivery } = steps(sink, new ListCursor(changed(1)))
    delivery.step(1)
    delivery.move(pears)
    expect(delivery.step(1)).toBe(false)
    expect([calls, delivery.known]).toEqual([[], [apples]])
    end()
    await delivery.idle()
    delivery.step(1)
    expect(calls).toEqual([`${apples.key} ${pears.key}`])
    expect(delivery.known).toEqual([pears])
  })

  it('D9: a change that was taken off the cursor before a move is delivered under the new view after it', () => {
    const calls: string[] = []
    const sink: Sink = {
      event: ({ view, key }: SinkEvent) => {
        calls.push(`${view.resource.plural} ${key}`)
        if (key === 'a4') delivery.move(pears)
      },
      rescoped: () => void calls.push('moved'),
    }
    const cursor = new ListCursor(changed(7))
    const { delivery } = steps(sink, cursor)
    delivery.step(1)
    expect(cursor.takes.slice(0, 3)).toEqual([1, 2, 4])
    const [before, after] = [calls.slice(0, 5), calls.slice(5)]
    expect(before).toEqual([0, 1, 2, 3, 4].map(i => `apples a${i}`))
    expect(after).toEqual(['moved', 'pears a5', 'pears a6'])
  })

  it('D9: a wait for a move lasts no longer than the delivery', async () => {
    const { delivery } = steps({ event: () => {} }, new ListCursor([]))
    delivery.pause()
    delivery.move(pears)
    const waits = Promise.all([delivery.moved(), delivery.moved()])
    delivery.stop()
    await waits
    await delivery.moved()
    expect(delivery.known).toEqual([apples])
  })

  it('W7: events name the view that the sink knows, whatever the cursor calls it', () => {
    const views: View[] = []
    const alike = apples.within({})
    const cursor = new ListCursor([...changed(1, alike), ...changed(1, pears), ...changed(1, apples)])
    const { delivery } = steps({ event: ({ view }) => void views.push(view) }, cursor)
    delivery.step(1)
    expect(views[0]).toBe(alike)
    expect(views[1]).toBe(apples)
    expect(views[2]).toBe(apples)
  })

  it('D4: says once that its cursor was closed under it', () => {
    const cursor = new ListCursor(changed(1))
    const { delivery, milestones } = steps({ event: () => {} }, cursor)
    cursor.closed = true
    expect(delivery.step(1)).toBe(false)
    expect(delivery.step(1)).toBe(false)
    expect(milestones).toEqual(['ended'])
    expect(cursor.takes).toEqual([1, 2])
  })
})
