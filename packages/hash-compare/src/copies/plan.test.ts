import { expect, it } from 'vitest'
import { CopyPlan } from './plan.ts'

it('is sorted by key, and a table as text', () => {
  const plan = new CopyPlan(
    [
      { key: 'b/x', source: 'shared/x', action: 'update', parts: ['spec', 'status'] },
      { key: 'a/long-name', source: undefined, action: 'delete', parts: [] },
      { key: 'b/x', source: 'shared/y', action: 'claim', parts: [] },
      { key: 'a/a', source: 'shared/a', action: 'annotate', parts: [] },
    ],
    7,
    new Map([['shared/z', new Error('no build')]]),
  )
  expect(plan.work.map(({ key }) => key)).toEqual(['a/a', 'a/long-name', 'b/x', 'b/x'])
  expect(`${plan}`.split('\n')).toEqual([
    'action    copy         source    parts',
    'annotate  a/a          shared/a',
    'delete    a/long-name  (gone)',
    'update    b/x          shared/x  spec, status',
    'claim     b/x          shared/y',
    'fails     shared/z     no build',
    '4 to do, 7 as they should be, 1 that fail',
  ])
})

it('is one line where there is nothing to do', () => {
  expect(`${new CopyPlan([], 0, new Map())}`).toBe('0 to do, 0 as they should be, 0 that fail')
})
