import { ApiError } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { applyEmptying } from './apply-emptying.ts'

const object: ConfigMap & { readonly spec?: unknown } = { metadata: { name: 'a', namespace: 'default' } }
const about = { method: 'PATCH', path: '/x' }
const refusal = (field: string, what = 'map in body must be of type object: "null"'): ApiError => {
  const causes = [{ reason: 'FieldValueTypeInvalid', field, message: `Invalid value: "null": ${what}` }]
  return new ApiError({ status: 422, message: 'no', reason: 'Invalid', causes }, about)
}

/** The requests after the first apply is refused, and their outcome. */
async function sent(error: ApiError, given: typeof object, before: string | undefined, patchError?: Error) {
  const requests: unknown[] = []
  const writer = {
    apply: async () => {
      requests.push('apply')
      if (requests.length === 1) throw error
      return given
    },
    patch: async (_: unknown, key: unknown, steps: unknown, options: unknown) => {
      requests.push([key, steps, options])
      if (patchError !== undefined) throw patchError
    },
  }
  const options = { force: true, fieldManager: 'me' }
  const outcome = applyEmptying(writer as never, configMaps as never, given, before, options)
  const answer = await outcome.catch((thrown: unknown) => thrown)
  return { requests, answer }
}

const steps = (path: string, value: unknown) => [
  { op: 'test', path: '/metadata/resourceVersion', value: '7' },
  { op: 'replace', path, value },
]

it.each([
  ['spec.map', undefined, '/spec/map', {}],
  ['status', ' in body must be of type object: "null"', '/status', {}],
  ['spec.items[2].tags', 'spec.items[2].tags in body must be of type array: "null"', '/spec/items/2/tags', []],
])('A3: empties %s, and applies again', async (field, what, path, value) => {
  const { requests, answer } = await sent(refusal(field, what), object, '7')
  const key = { name: 'a', namespace: 'default' }
  expect(requests).toEqual(['apply', [key, steps(path, value), { fieldManager: 'me' }], 'apply'])
  expect(answer).toBe(object)
})

it.each([
  ['the object was not there', refusal('spec.map'), object, undefined],
  ['the object itself has the null', refusal('spec.map'), { ...object, spec: { map: null } }, '7'],
  ['a name could be two names', refusal('spec.map.a/b'), object, '7'],
  ['another value is refused', refusal('spec.map', 'must be of type string: "null"'), object, '7'],
  ['it is no refusal of values', new ApiError({ status: 409, message: 'no' }, about), object, '7'],
])('A3: leaves the object as it is if %s', async (_, error, given, before) => {
  const { requests, answer } = await sent(error, given, before)
  expect(requests).toEqual(['apply'])
  expect(answer).toBe(error)
})

it('A3: gives the refusal if the object has changed since', async () => {
  const error = refusal('spec.map')
  const { requests, answer } = await sent(error, object, '7', new ApiError({ status: 422, message: 'test' }, about))
  expect(requests).toHaveLength(2)
  expect(answer).toBe(error)
})
