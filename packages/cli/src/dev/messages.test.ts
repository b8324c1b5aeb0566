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

const admission = {
  ...{
    webhook: 'limits',
    operation: 'CREATE',
    resource: 'games',
    object: 'default/chess',
    user: 'jane',
    isDryRun: false,
  },
  ...{ allowed: true, message: '', warnings: [], changes: [], startedAt: 1, tookMs: 1 },
}

it('takes admissions whole, and none that a program sends of its own', () => {
  expect(isFromOperator({ type: 'admission', admission })).toBe(true)
  for (const field of Object.keys(admission)) {
    const { [field as 'user']: _, ...rest } = admission
    expect(isFromOperator({ type: 'admission', admission: rest }), field).toBe(false)
  }
  expect(isFromOperator({ type: 'admission' })).toBe(false)
})

it('keeps the last two hundred admissions, the latest first, with twenty of their changes', () => {
  const overview = new Overview('https://127.0.0.1')
  const changes = Array.from({ length: 30 }, (_, at) => `add /data/${at}`)
  for (let at = 0; at < 210; at++)
    overview.receive({ type: 'admission', admission: { ...admission, changes, object: `${at}` } })
  const { admissions } = overview.shown
  expect([admissions.length, admissions[0]?.object, admissions.at(-1)?.object]).toEqual([200, '209', '10'])
  expect(admissions[0]?.changes.slice(19)).toEqual(['add /data/19', 'and 10 more'])
  overview.setProgram('starts')
  expect(overview.shown.admissions).toEqual([])
})

it('shows an error of megabytes by its first thousand characters', () => {
  const overview = new Overview('https://127.0.0.1')
  for (let key = 0; key < 300; key += 1)
    overview.receive({ type: 'run', run: { ...run, key: `${key}`, error: 'x'.repeat(500_000) } })
  expect(overview.shown.keys[0]?.error).toBe(`${'x'.repeat(1000)} … (500000 characters)`)
  expect(JSON.stringify(overview.shown).length).toBeLessThan(400_000)
})
