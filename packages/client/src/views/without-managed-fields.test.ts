import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withoutManagedFields } from './without-managed-fields.ts'

const key = fc.oneof(
  fc.constantFrom('name', 'labels', 'managedFields', '__proto__', 'constructor', '7', ''),
  fc.string(),
)
const metadata = fc.array(fc.tuple(key, fc.anything()), { maxLength: 8 }).map(pairs => {
  // own keys, `__proto__` too, as JSON.parse makes them
  const object = readJson(`{${pairs.map(([each]) => `${JSON.stringify(each)}:0`).join()}}`) as Record<string, unknown>
  for (const [each, value] of pairs) if (Object.hasOwn(object, each)) object[each] = value
  return object
})

it('X5: gives all fields but managedFields, whatever they are called, in their order', () => {
  fc.assert(
    fc.property(fc.array(metadata, { maxLength: 30 }), all => {
      for (const each of all) {
        const without = withoutManagedFields(each)
        const names = Object.keys(each).filter(name => name !== 'managedFields')
        expect(Object.keys(without)).toEqual(names)
        for (const name of names) expect(without[name]).toBe(each[name])
        expect(Object.getPrototypeOf(without)).toBe(Object.prototype)
      }
    }),
  )
})

it('gives each caller an object of its own', () => {
  const received = { name: 'a', managedFields: [] }
  const first = withoutManagedFields(received)
  first.name = 'b'
  expect(withoutManagedFields(received)).toEqual({ name: 'a' })
  expect(received.name).toBe('a')
})
