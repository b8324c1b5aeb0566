import { forEachSeed, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { randomSchema } from '../testkit/random-schemas.ts'
import { schemaProblems, structuralSchema } from './structural.ts'

it('K2: a schema that is structural already stays the same', async () => {
  const counts = { same: 0, refused: 0 }
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      for (let at = 0; at < 200; at += 1) {
        const schema = withoutDefaults(randomSchema(random)) as Record<string, unknown>
        const isRefused = schemaProblems(schema).length > 0
        counts[isRefused ? 'refused' : 'same'] += 1
        if (!isRefused) expect(structuralSchema(schema), JSON.stringify(schema)).toEqual(schema)
      }
    },
    { seeds: 10 },
  )
  expect(counts.same).toBeGreaterThan(counts.refused)
})

/** Without defaults: what does not fit them is refused, which is looked at elsewhere. An empty list of fields says nothing. */
function withoutDefaults(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    const isEmpty = key === 'properties' && Object.keys(value).length === 0
    return key === 'default' || isEmpty ? undefined : value
  })
}
