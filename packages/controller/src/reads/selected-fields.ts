import type { FieldSelector } from '@wherry/client'

/**
 * Whether a field selector certainly selects an object, as far as its fields can be told by their paths. What an object does
 * not have may have a default that only the server knows.
 */
export function isCertainlySelected(fields: FieldSelector, object: object): boolean {
  return fields.requirements.every(({ field, operator, value }) => {
    const actual = at(object, field.split('.'))
    if (actual === undefined || typeof actual === 'object') return false
    return (`${actual}` === value) === (operator === '=')
  })
}

function at(object: unknown, path: readonly string[]): unknown {
  let value = object
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
