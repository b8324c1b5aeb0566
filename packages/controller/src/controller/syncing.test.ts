import { getEventListeners } from 'node:events'
import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { InputConnection } from '../sources/input.ts'
import { untilSynced } from './syncing.ts'

const connected = (synced: () => Promise<void>) => [{ name: 'source', connection: { synced } as InputConnection }]

it.each<[string, () => Promise<void>, string]>([
  ['all have synced', async () => {}, 'synced'],
  ['one is late', () => new Promise(() => {}), 'SOURCE_NOT_SYNCED'],
])('C3: leaves nothing with the signals that may end the wait, when %s', async (_, synced, outcome) => {
  const simulation = simulate(1)
  const { clock } = simulation
  const signals = [new AbortController().signal, new AbortController().signal]
  const left = (): number[] => signals.map(signal => getEventListeners(signal, 'abort').length)
  const waited = untilSynced({
    controller: 'game',
    connections: connected(synced),
    timeoutMs: 1000,
    clock,
    signals,
  }).then(
    () => 'synced',
    (error: { code?: string }) => error.code,
  )
  expect(left()).toEqual([1, 1])
  await simulation.advance(2000)
  expect([await waited, left()]).toEqual([outcome, [0, 0]])
})
