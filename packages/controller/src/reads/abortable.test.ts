import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { abortable } from './abortable.ts'

const { promise: never } = Promise.withResolvers<string>()

describe('a wait for what others wait for too', () => {
  it('ends with the signal, for its own caller alone', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const stop = new AbortController()
    const waits = [abortable(promise, stop.signal), abortable(promise, undefined)]
    stop.abort(new Error('enough'))
    await expect(waits[0]).rejects.toThrow('enough')
    resolve('there')
    expect(await waits[1]).toBe('there')
  })

  it('is over at once with a signal that was aborted before', async () => {
    await expect(abortable(never, AbortSignal.abort(new Error('long ago')))).rejects.toThrow('long ago')
  })

  it('ends as the others end, and leaves nothing on a signal that lives on', async () => {
    const { signal } = new AbortController()
    const waits = [
      abortable(Promise.resolve('there'), signal),
      abortable(Promise.reject(new Error('not there')), signal),
      abortable(never, signal),
    ]
    expect(getEventListeners(signal, 'abort')).toHaveLength(3)
    expect(await waits[0]).toBe('there')
    await expect(waits[1]).rejects.toThrow('not there')
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })
})
