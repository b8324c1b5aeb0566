import { expect, it } from 'vitest'
import type { PlatformCondition, PlatformOperator } from '../platform-operator.ts'
import { conditionsOf, stateOf } from './aggregate.ts'

const of = (name: string, text: string, isInstalled = true, deletionTimestamp?: string): PlatformOperator => {
  const conditions = text.split(', ').flatMap((one): PlatformCondition[] => {
    const [type = '', status, reason = '', ...message] = one.split(' ')
    return one === '' ? [] : [{ type, status: status as 'True', reason, message: message.join(' ') }]
  })
  const bundle = { name: `${name}.v1.0.0`, version: '1.0.0', digest: 'sha256:0' }
  return {
    metadata: { name, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { package: name, namespace: name },
    status: { conditions, ...(isInstalled && { bundle }) },
  }
}

it.each([
  [
    'well',
    of('a', 'Installed True Installed, UpToDate True Newest, Healthy True AllAvailable'),
    'available',
    undefined,
  ],
  ['new', of('a', '', false), 'progressing', undefined],
  [
    'upgraded',
    of('a', 'Installed True Installed, UpToDate False Progressing a.v2, Healthy True x'),
    'available progressing',
    undefined,
  ],
  [
    'not healthy',
    of('a', 'Installed True Installed, UpToDate True Newest, Healthy False NotAvailable no pods'),
    '',
    'NotAvailable: no pods',
  ],
  [
    'waiting',
    of('a', 'Installed False WaitsForDefinitions x, Healthy False NotAvailable x'),
    'progressing',
    'NotAvailable: x',
  ],
  [
    'refused',
    of('a', 'Installed False Refused no right, UpToDate True Newest', false),
    'degraded',
    'Refused: no right',
  ],
  [
    'blocked',
    of('a', 'Installed True Installed, UpToDate False NeedsWebhooks x, Healthy True x'),
    'available degraded',
    'NeedsWebhooks: x',
  ],
  [
    'without a catalog',
    of('a', 'Installed True Installed, UpToDate Unknown TooSlow x, Healthy True x'),
    'available degraded',
    'TooSlow: x',
  ],
  ['going', of('a', 'Installed False Refused x', true, '2026-01-01T00:00:00Z'), 'progressing', 'Refused: x'],
])('an operator that is %s', (_, operator, expected, message) => {
  const state = stateOf(operator)
  const is = (['available', 'progressing', 'degraded'] as const).filter(one => state[one])
  expect(is.join(' ')).toBe(expected)
  expect(state.message).toBe(message)
})

it('the conditions of all name those that are concerned, in 256 bytes', () => {
  expect(conditionsOf([])).toMatchObject([
    { type: 'Available', status: 'True', reason: 'AsExpected', message: '' },
    { type: 'Progressing', status: 'False', reason: 'AsExpected' },
    { type: 'Degraded', status: 'False', reason: 'AsExpected' },
  ])
  const names = Array.from({ length: 100 }, (_, index) => `operator-${index}`)
  const states = [
    of('well', 'Installed True x, Healthy True x'),
    ...names.map(name => of(name, 'Installed False Refused x')),
  ]
  const conditions = conditionsOf(states.map(stateOf))
  expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'Available False',
    'Progressing False',
    'Degraded True',
  ])
  expect(conditions[2]?.message).toMatch(/^100 of 101 degraded: operator-0, operator-1, .*…$/)
  for (const { message } of conditions) expect(Buffer.byteLength(message ?? '')).toBeLessThanOrEqual(256)
})
