import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { late, within } from './waits.ts'

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
