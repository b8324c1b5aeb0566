import { expect, it } from 'vitest'
import { isAllowed } from './licences.ts'

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['Apache-2.0 AND MIT', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['no licence given', false],
])('judges %s as allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed)
})
