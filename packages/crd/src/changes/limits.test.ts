import { describe, expect, it } from 'vitest'
import { schemaChanges } from './schema-changes.ts'

type Bound = readonly [limit: number | undefined, isExclusive: boolean]

const numbers = [-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3]
const lengths = [0, 1, 2, 3, 4]

/** Each limit, the field that excludes it, its type, the values to try, and whether a value fits. */
const limits = [
  ['maximum', 'exclusiveMaximum', 'number', numbers, below],
  ['minimum', 'exclusiveMinimum', 'number', numbers, above],
  ['maxLength', undefined, 'string', lengths, below],
  ['minLength', undefined, 'string', lengths, above],
  ['maxItems', undefined, 'array', lengths, below],
  ['minItems', undefined, 'array', lengths, above],
  ['maxProperties', undefined, 'object', lengths, below],
  ['minProperties', undefined, 'object', lengths, above],
] as const

function below(value: number, [limit, isExclusive]: Bound): boolean {
  return limit === undefined || value < limit || (value === limit && !isExclusive)
}

function above(value: number, [limit, isExclusive]: Bound): boolean {
  return limit === undefined || value > limit || (value === limit && !isExclusive)
}

describe.each(limits)('a change of %s', (name, excluding, type, values, fits) => {
  const all: readonly Bound[] = [undefined, ...(type === 'number' ? [-1] : []), 0, 1, 2].flatMap(limit =>
    (excluding === undefined ? [false] : [false, true]).map((isExclusive): Bound => [limit, isExclusive]),
  )
  const schema = ([limit, isExclusive]: Bound) => ({
    type,
    ...(limit !== undefined && { [name]: limit }),
    ...(excluding !== undefined && isExclusive && { [excluding]: true }),
  })
  const text = ([limit, isExclusive]: Bound): string =>
    limit === undefined ? 'none' : `${limit}${isExclusive ? ' (excluded)' : ''}`

  it('K6: breaks stored objects exactly if a value that fitted does not fit', () => {
    for (const was of all)
      for (const is of all) {
        const found = schemaChanges(
          { type: 'object', properties: { f: schema(was) } },
          { type: 'object', properties: { f: schema(is) } },
        ).map(({ path, change, verdict }) => [path, change, verdict])
        const isBroken = values.some(value => fits(value, was) && !fits(value, is))
        const verdict = isBroken ? 'breaks stored objects' : 'safe'
        const words = `${name} is ${text(is)}, was ${text(was)}`
        expect(found, words).toEqual(text(was) === text(is) ? [] : [['f', words, verdict]])
      }
  })
})
