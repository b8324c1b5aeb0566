import { expect, it } from 'vitest'
import { abortable } from './abortable.ts'

it('X8: ends what aborts its own signal as it begins', async () => {
  const stop = new AbortController()
  let ended = 0
  const waiting = abortable(stop.signal, () => {
    stop.abort('stopped')
    return () => {
      ended += 1
    }
  })
  const inTime = new Promise(resolve => setImmediate(resolve, 'nothing came'))
  await expect(Promise.race([waiting, inTime])).rejects.toBe('stopped')
  expect(ended).toBe(1)
})

it('leaves no work and no listener to a signal that is aborted later', async () => {
  const stop = new AbortController()
  let ended = 0
  const end = (): void => {
    ended += 1
  }
  const now = abortable<string>(stop.signal, resolve => {
    resolve('at once')
    return end
  })
  expect(await now).toBe('at once')
  stop.abort()
  expect(ended).toBe(0)
})
