import { getEventListeners } from 'node:events'
import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { untilSynced } from './syncing.ts'

it.each<[string, () => Promise<void>, string | undefined]>([
  ['has synced', async () => {}, undefined],
  ['is late', () => new Promise(() => {}), 'SOURCE_NOT_SYNCED'],
])('C3: the wait for a source that %s leaves no listener on a signal', async (_, synced, code) => {
  const { environment, advance, pending } = simulate(1)
  const { signal } = new AbortController()
  const signals = [signal]
  const connection = {
    synced: (ended: AbortSignal) => {
      signals.push(ended)
      return synced()
    },
    close: async () => {},
  }
  const connections = [{ name: 'source', connection, hasSynced: false }]
  const waited = untilSynced('game', connections, environment, 1000, signal)
  const outcome = waited.catch(error => error.code)
  await advance(2000)
  expect(await outcome).toBe(code)
  expect(signals.map(signal => getEventListeners(signal, 'abort').length)).toEqual([0, 0])
  expect(pending()).toEqual([])
})

it('C3: the wait ends at once with a signal that was aborted before, whatever a source does', async () => {
  const connection = { synced: () => new Promise<void>(() => {}), close: async () => {} }
  const signal = AbortSignal.abort(new Error('long ago'))
  const { environment } = simulate(1)
  const connections = [{ name: 'source', connection, hasSynced: false }]
  const waited = untilSynced('game', connections, environment, 1000, signal)
  await expect(waited).rejects.toThrow('long ago')
})
