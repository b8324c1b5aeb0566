import { describe, expect, it } from 'vitest'
import { simulate } from '../simulate/simulate.ts'
import { Recorder, RecorderTimeoutError } from './recorder.ts'

describe('Recorder', () => {
  it('keeps events in order, as strings or as anything', () => {
    const seen = new Recorder<{ type: string; key: string }>()
    for (const type of ['added', 'deleted']) seen.record({ type, key: 'a' })
    expect(seen.events).toEqual([
      { type: 'added', key: 'a' },
      { type: 'deleted', key: 'a' },
    ])
  })

  it('gives copies: what was given does not change', () => {
    const seen = new Recorder()
    seen.record('one')
    const before = seen.events
    seen.record('two')
    expect(before).toEqual(['one'])
  })

  it('take starts a new record', () => {
    const seen = new Recorder()
    seen.record('one')
    expect(seen.take()).toEqual(['one'])
    seen.record('two')
    expect(seen.events).toEqual(['two'])
  })

  it('waits for a number of events on the real clock, and leaves no timer', async () => {
    const seen = new Recorder()
    const waiting = seen.until(2)
    queueMicrotask(() => seen.record('one'))
    queueMicrotask(() => seen.record('two'))
    expect(await waiting).toEqual(['one', 'two'])
    expect(await seen.until(1)).toEqual(['one', 'two'])
  })

  it('waits for a condition on the simulated clock, up to the moment it holds', async () => {
    const { clock, run, pending } = simulate(1)
    const seen = new Recorder({ clock })
    for (const ms of [600_000, 1_200_000, 1_800_000]) clock.timer(ms, () => seen.record(`at ${ms}`))
    const events = await run(() => seen.until(all => all.includes('at 1200000')))
    expect(events).toEqual(['at 600000', 'at 1200000'])
    expect(clock.monotonic()).toBe(1_200_000)
    expect(pending()).toEqual(['timer at 1800000 ms: (anonymous)'])
  })

  it('serves several waits, each when its own condition holds', async () => {
    const { clock, run } = simulate(1)
    const seen = new Recorder<number>({ clock })
    const order: string[] = []
    await run(async () => {
      const waits = [3, 1, 2].map(count => seen.until(count).then(events => order.push(`${count}: ${events}`)))
      for (const event of [7, 8, 9]) clock.timer(event, () => seen.record(event))
      await Promise.all(waits)
    })
    expect(order).toEqual(['1: 7', '2: 7,8', '3: 7,8,9'])
  })

  it('rejects past its limit, with what was recorded instead', async () => {
    const { clock, run } = simulate(1)
    const seen = new Recorder<unknown>({ clock, limitMs: 100 })
    seen.record('added a')
    seen.record({ deleted: 'b' })
    const waiting = run(() => seen.until(5))
    const error = await waiting.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RecorderTimeoutError)
    expect((error as Error).message).toBe("not within 100 ms: 5 events\nrecorded:\n  added a\n  { deleted: 'b' }")
    expect(clock.monotonic()).toBe(100)
    const quiet = new Recorder({ clock })
    await expect(run(() => quiet.until(1, { what: 'a first event', limitMs: 5 }))).rejects.toThrow(
      'not within 5 ms: a first event\nrecorded: nothing',
    )
  })

  it('lists only the last events when there are many', async () => {
    const { clock, run } = simulate(1)
    const seen = new Recorder<number>({ clock })
    for (let i = 0; i < 60; i++) seen.record(i)
    const error = await run(() => seen.until(() => false, { limitMs: 1 })).catch((reason: Error) => reason)
    expect((error as Error).message).toContain('\n  (10 before)\n  10\n  11')
  })

  it('rejects with what the condition throws, at once or later', async () => {
    const { clock, run, pending } = simulate(1)
    const seen = new Recorder({ clock })
    const wrong = new Error('condition')
    const waiting = seen.until(events => {
      if (events.length > 0) throw wrong
      return false
    })
    waiting.catch(() => {})
    seen.record('one')
    await expect(run(() => waiting)).rejects.toBe(wrong)
    expect(pending()).toEqual([])
  })

  it('can be handed on as a listener', () => {
    const seen = new Recorder()
    const { record } = seen
    record('one')
    expect(seen.events).toEqual(['one'])
  })
})
