import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { unlessAbsent } from './unless-absent.ts'

it('rejects with the reason of its signal, whatever the wait makes of it', async () => {
  const { clock, advance } = simulate(1)
  const ended = new AbortController()
  const wait = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('not synced', { cause: signal.reason })))
    })
  const waiting = unlessAbsent(wait, () => new Promise(() => {}), clock, ended.signal).catch(error => error)
  await advance(1000)
  ended.abort('mine')
  expect(await waiting).toBe('mine')
})
