import { expect, it } from 'vitest'
import { isOlder } from './narrow.ts'

const at = (resourceVersion: string | undefined): object => ({ metadata: { resourceVersion } })

it('a state is older only if both have versions that can be compared, and its version is the smaller number', () => {
  expect(isOlder(at('9'), at('10'))).toBe(true)
  expect(isOlder(at('10'), at('10'))).toBe(false)
  expect(isOlder(at('10'), at('9'))).toBe(false)
  for (const unknown of [undefined, {}, at(undefined), at(''), at('x')]) {
    expect(isOlder(unknown, at('10'))).toBe(false)
    expect(isOlder(at('9'), unknown)).toBe(false)
  }
})
