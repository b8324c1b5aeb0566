import { expect, it } from 'vitest'
import { appliedDigest, digestOf } from './status-digest.ts'

const desired = { phase: 'Copied', lives: 9007199254740993n, none: null }
const entry = {
  ...{ manager: 'copies-games', operation: 'Apply', apiVersion: 'x.io/v1', fieldsType: 'FieldsV1' },
  ...{ subresource: 'status', fieldsV1: { 'f:status': { 'f:lives': {}, 'f:phase': {} } } },
}
const digest = (changes: object = {}, status: object = { lives: 9007199254740993n, phase: 'Copied', more: 'x' }) =>
  appliedDigest({ metadata: { managedFields: [{ ...entry, ...changes }] }, status } as never, 'copies-games')

it('H4: what a manager has applied to a status has the digest of what was sent, with its version, and of no other fields', () => {
  expect(digest()).toBe(digestOf('x.io/v1', desired))
  expect(digest()).toMatch(/^[\w-]{22}$/)
  expect(digest({ apiVersion: 'x.io/v2' })).toBe(digestOf('x.io/v2', desired))
  expect(digestOf('x.io/v2', desired)).not.toBe(digestOf('x.io/v1', desired))
  expect(digest({}, { phase: 'Copied', lives: 9007199254740992n })).not.toBe(digest())
  for (const other of [{ subresource: undefined }, { operation: 'Update' }, { manager: 'other' }, { fieldsV1: {} }]) {
    expect(digest(other)).toBeUndefined()
  }
})
