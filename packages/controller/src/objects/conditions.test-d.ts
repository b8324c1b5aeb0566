import { expectTypeOf, it } from 'vitest'
import { type Condition, conditionOf, isConditionTrue, setCondition } from './conditions.ts'

declare const conditions: Condition[] | null | undefined

it('conditions may be null, as in generated types', () => {
  expectTypeOf(conditionOf(conditions, 'Ready')).toEqualTypeOf<Condition | undefined>()
  expectTypeOf(isConditionTrue(conditions, 'Ready')).toEqualTypeOf<boolean>()
  const set = { type: 'Ready', status: 'True', reason: 'AllGood' } as const
  expectTypeOf(setCondition(conditions, set, 0)).toEqualTypeOf<Condition[]>()
})
