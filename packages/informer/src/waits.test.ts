import { alikeSignal } from '@wherry/client/testkit/alike-signal'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { late, withEither, within } from './waits.ts'

const never = new Promise<never>(() => {})

describe('a bounded wait', () => {
  it('ends with its promise, when the time is over, or with the signal', async () => {
    const simulation = simulate(1)
    const { clock } = simulation
    expect(await within(Promise.resolve('done'), 5000, clock)).toBe('done')
    expect(await within(Promise.resolve('done'), Number.POSITIVE_INFINITY, clock)).toBe('done')
    await expect(within(Promise.reject(new Error('no')), 5000, clock)).rejects.toThrow('no')
    const waits = within(never, 5000, clock)
    await simulation.advance(5000)
    expect(await waits).toBe(late)
    const ending = new AbortController()
    const ended = within(never, Number.POSITIVE_INFINITY, clock, ending.signal)
    ending.abort()
    expect(await ended).toBe(late)
  })

  it('takes a settled promise before an aborted signal, and leaves no rejection unhandled', async () => {
    const simulation = simulate(1)
    const { clock } = simulation
    const unhandled: unknown[] = []
    const receive = (reason: unknown): unknown => unhandled.push(reason)
    process.on('unhandledRejection', receive)
    try {
      expect(await simulation.run(() => within(Promise.resolve('done'), 5000, clock, AbortSignal.abort()))).toBe('done')
      const failed = within(Promise.reject(new Error('no')), 5000, clock, AbortSignal.abort())
      await expect(failed).rejects.toThrow('no')
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', receive)
    }
  })
})

describe('a signal of two', () => {
  it('is aborted with the first of them, for any object with the interface of a signal', async () => {
    for (const [index, why] of ['first', 'second'].entries()) {
      const [first, second] = [new AbortController(), new AbortController()]
      const reason = withEither(alikeSignal(first.signal), second.signal, either => {
        return new Promise(resolve => either.addEventListener('abort', () => resolve(either.reason)))
      })
      ;[first, second][index]?.abort(why)
      expect(await reason).toBe(why)
    }
    const aborted = AbortSignal.abort('before')
    expect(await withEither(aborted, new AbortController().signal, async ({ reason }) => reason)).toBe('before')
    expect(await withEither(undefined, aborted, async either => either)).toBe(aborted)
  })
})
