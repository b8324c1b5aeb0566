import { getEventListeners } from 'node:events'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import type { Entry, Readiness, Waiting } from './entry.ts'
import type { NarrowView } from './narrow-view.ts'
import { settled } from './settled.ts'
import type { Shared } from './shared.ts'

/** A read of an entry that is as ready as the test says. */
function waitingRead(timeoutMs: number) {
  const simulation = simulate(1)
  const followers = new Set<Waiting>()
  const cause = new Error('the last failure')
  const state = { readiness: 'wait' as Readiness, isPresent: undefined as boolean | undefined }
  const entry = {
    key: { text: 'a/x' },
    feeding: { lastError: cause },
    get isPresent() {
      return state.isPresent
    },
    readiness: () => state.readiness,
    follow: (one: Waiting) => followers.add(one),
    unfollow: (one: Waiting) => followers.delete(one),
  }
  const shared = { settings: { timeoutMs }, environment: { clock: simulation.clock } }
  const stop = new AbortController()
  return {
    simulation,
    cause,
    state,
    stop,
    read: () =>
      settled(
        shared as unknown as Shared,
        entry as unknown as Entry,
        { view: { key: 'the view' } } as NarrowView,
        stop.signal,
        false,
      ),
    tell: (what: keyof Waiting) => {
      for (const one of [...followers]) one[what]()
    },
    /** Timers, listeners and followers that are left. */
    left: () => [simulation.pending().length, getEventListeners(stop.signal, 'abort').length, followers.size],
  }
}

describe('a read that waits', () => {
  it('goes on with the first news that are enough, and leaves nothing behind', async () => {
    const { state, read, tell, left } = waitingRead(1000)
    const waiting = read()
    expect(left()).toEqual([1, 1, 1])
    tell('news')
    expect(left()).toEqual([1, 1, 1])
    state.readiness = 'cached'
    tell('news')
    expect(left()).toEqual([0, 0, 0])
    expect(await waiting).toBe('cached')
  })

  it('does not wait where there is nothing to wait for', async () => {
    const { state, read, left } = waitingRead(1000)
    state.readiness = 'full'
    const answer = read()
    expect(left()).toEqual([0, 0, 0])
    expect(await answer).toBe('full')
  })

  it('ends with the signal’s reason, or when the cache is closed', async () => {
    const { read, tell, left, stop } = waitingRead(1000)
    const closed = read()
    tell('over')
    await expect(closed).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
    const aborted = read()
    stop.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    expect(left()).toEqual([0, 0, 0])
  })

  it('N9: is live past timeoutMs where a state is known, and else an error with what failed last', async () => {
    const { simulation, state, read, left, cause } = waitingRead(1000)
    const first = expect(read()).rejects.toMatchObject({ code: 'NARROW_TIMEOUT', view: 'the view', key: 'a/x', cause })
    await simulation.advance(999)
    expect(left()[2]).toBe(1)
    await simulation.advance(1)
    await first
    state.isPresent = false
    const second = read()
    await simulation.advance(1000)
    expect(await second).toBe('live')
    expect(left()).toEqual([0, 0, 0])
  })

  it('waits for as long as it takes with timeoutMs Infinity', () => {
    const { read, tell, left } = waitingRead(Number.POSITIVE_INFINITY)
    const waiting = expect(read()).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
    expect(left()).toEqual([0, 1, 1])
    tell('over')
    return waiting
  })
})
