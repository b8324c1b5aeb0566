import { describe, expect, it } from 'vitest'
import type { Entry, Waiting } from './entry.ts'
import { type WaitOptions, waitFor } from './wait.ts'

/** Waits for news of an entry that is all that this needs of one. */
function waiting(signal?: AbortSignal) {
  const waits = new Set<Waiting>()
  const entry = {
    isOver: false,
    follow: (one: Waiting) => waits.add(one),
    unfollow: (one: Waiting) => waits.delete(one),
  }
  let is: string | undefined
  const shared = { settings: { timeoutMs: Number.POSITIVE_INFINITY } }
  const options = { shared, entry: entry as unknown as Entry, signal, now: () => is } as WaitOptions<string>
  return { waits, entry, options, come: (value: string) => (is = value) }
}

describe('a wait for news of an entry', () => {
  it('ends with what there is already, with no signal and no entry looked at', async () => {
    const { entry, options, come } = waiting(AbortSignal.abort(new Error('enough')))
    entry.isOver = true
    come('news')
    expect(await waitFor(options)).toBe('news')
  })

  it('ends with the news, with the reason of the signal, or with the entry, and follows it no more', async () => {
    const news = waiting()
    const first = waitFor(news.options)
    news.come('news')
    for (const one of news.waits) one.news()
    expect(await first).toBe('news')
    const stop = new AbortController()
    const aborted = waiting(stop.signal)
    const second = waitFor(aborted.options)
    stop.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    const over = waiting()
    const third = waitFor(over.options)
    for (const one of over.waits) one.over()
    await expect(third).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
    expect([news, aborted, over].map(({ waits }) => waits.size)).toEqual([0, 0, 0])
  })

  it('R23: does not begin once its signal has ended, or its entry was closed: nobody would tell it so', async () => {
    await expect(waitFor(waiting(AbortSignal.abort(new Error('enough'))).options)).rejects.toThrow('enough')
    const { entry, options, waits } = waiting()
    entry.isOver = true
    await expect(waitFor(options)).rejects.toMatchObject({ code: 'NARROW_CLOSED' })
    expect(waits.size).toBe(0)
  })
})
