import { expect, it } from 'vitest'
import { isFromOperator } from './messages.ts'
import { Overview } from './overview.ts'

const run = { controller: 'game', key: 'a', why: '', outcome: 'failed', startedAt: 1, tookMs: 1 }

it('takes what the process of an operator sends, and nothing that a program sends of its own', () => {
  const views = [{ view: 'games', state: 'synced', objects: 1, receivedBytes: 1, holders: ['game'] }]
  const controllers = [{ name: 'game', views: ['games'], pending: [] }]
  expect(isFromOperator({ type: 'state', state: { name: 'x', controllers, views } })).toBe(true)
  expect(isFromOperator({ type: 'run', run })).toBe(true)
  expect(isFromOperator({ type: 'explained', id: 1, text: 'idle' })).toBe(true)
  for (const own of [
    ...['ready', null, undefined, {}, [], 1, { type: 'ready' }, { type: 'state' }, { type: 'run', run: null }],
    ...[
      { type: 'run', run: { ...run, key: 1 } },
      { type: 'explained', id: 'a', text: '' },
      { type: 'explained', id: 1 },
    ],
    ...[
      { type: 'state', state: { name: 'x', controllers: {}, views } },
      { type: 'state', state: { name: 'x', controllers } },
    ],
    { type: 'state', state: { name: 'x', controllers: [null], views } },
  ])
    expect(isFromOperator(own)).toBe(false)
})

it('shows an error of megabytes by its first thousand characters', () => {
  const overview = new Overview('https://127.0.0.1')
  for (let key = 0; key < 300; key += 1)
    overview.hear({ type: 'run', run: { ...run, key: `${key}`, error: 'x'.repeat(500_000) } })
  expect(overview.shown.keys[0]?.error).toBe(`${'x'.repeat(1000)} … (500000 characters)`)
  expect(JSON.stringify(overview.shown).length).toBeLessThan(400_000)
})
