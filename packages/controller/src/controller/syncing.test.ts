import { getEventListeners } from 'node:events'
import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type NamedConnection, untilSynced } from './syncing.ts'

function connected(synced: () => Promise<void>): Set<NamedConnection> {
  return new Set([{ name: 'source', connection: { synced, lastError: undefined, close: async () => {} } }])
}

it.each<[string, () => Promise<void>, string]>([
  ['all have synced', async () => {}, 'synced'],
  ['one is late', () => new Promise(() => {}), 'SOURCE_NOT_SYNCED'],
])('C3: leaves nothing with the signals that may end the wait, when %s', async (_, synced, outcome) => {
  const simulation = simulate(1)
  const { environment } = simulation
  const signals = [new AbortController().signal, new AbortController().signal]
  const left = (): number[] => signals.map(signal => getEventListeners(signal, 'abort').length)
  const waited = untilSynced({
    controller: 'game',
    waiting: connected(synced),
    timeoutMs: 1000,
    environment,
    signals,
  }).then(
    () => 'synced',
    (error: { code?: string }) => error.code,
  )
  expect(left()).toEqual([1, 1])
  await simulation.advance(2000)
  expect([await waited, left()]).toEqual([outcome, [0, 0]])
})
