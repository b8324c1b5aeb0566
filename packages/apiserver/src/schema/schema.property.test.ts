import { type JsonObject, parseJson, readSchema } from '@wherry/cel/internal'
import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkStructural } from './check.ts'
import { decode, problemsOf } from './decode.ts'
import { applyDefaults } from './defaults.ts'
import { duplicateFields } from './duplicates.ts'
import { prune } from './prune.ts'

const names = fc.constantFrom('a', 'b', 'metadata', '__proto__', 'x.y')
const flags = { nullable: fc.boolean(), 'x-kubernetes-preserve-unknown-fields': fc.constantFrom(undefined, true) }

/** Structural schemas of some depth, with defaults that fit their types. */
const { node } = fc.letrec<{ node: JsonObject }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constant('string'), nullable: fc.boolean(), default: fc.constantFrom(undefined, 'd') }),
    fc.record({ type: fc.constant('integer'), nullable: fc.boolean(), default: fc.constantFrom(undefined, 7) }),
    fc.record({ type: fc.constant('array'), items: tie('node'), ...flags }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('node'), ...flags }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(names, tie('node'), { maxKeys: 3 }),
      default: fc.constantFrom(undefined, {}),
      ...flags,
    }),
  ) as fc.Arbitrary<JsonObject>,
}))

const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonObject>
const specs = fc.oneof(
  fc.dictionary(names, fc.oneof(values, fc.dictionary(names, values), fc.constant(null)), { maxKeys: 4 }),
  values,
) as fc.Arbitrary<JsonObject>

function same(value: unknown): unknown {
  return readJson(JSON.stringify(value))
}

it('F1: what was pruned and defaulted once stays as it is, and nothing unknown is left', () => {
  fc.assert(
    fc.property(node, specs, (raw, spec) => {
      const schema = readSchema({ type: 'object', properties: { spec: same(raw) as JsonObject } })
      const object = { kind: 'K', metadata: { name: 'o' }, spec }
      const before = JSON.stringify(object)
      const pruned = prune(schema, object)
      expect(prune(schema, pruned.object)).toEqual({ object: pruned.object, unknown: [] })
      const filled = applyDefaults(schema, object)
      expect(applyDefaults(schema, filled)).toEqual(filled)
      const decoded = decode(schema, object)
      expect(decode(schema, decoded.object)).toEqual({ object: decoded.object, unknown: [] })
      expect(JSON.stringify(object)).toBe(before)
    }),
    { numRuns: 300 },
  )
})

it('F1: an update that changes nothing is let through, whatever was wrong before', () => {
  fc.assert(
    fc.property(node, specs, (raw, spec) => {
      // What a schema keeps without knowing it is not compared: neither does the real server.
      fc.pre(!JSON.stringify(raw).includes('preserve'))
      const schema = readSchema({ type: 'object', required: ['more'], properties: { spec: same(raw) as JsonObject } })
      const { object } = decode(schema, { spec })
      expect(problemsOf(schema, object, same(object) as JsonObject)).toEqual([])
      expect(problemsOf(schema, object).length).toBeGreaterThan(0)
    }),
    { numRuns: 300 },
  )
})

it('F1: a schema of structural parts is refused for a default that does not fit, and for nothing else', () => {
  const misfit = fc.constantFrom<JsonObject>(
    { type: 'integer', default: 'd' },
    { type: 'string', default: 7 },
    { type: 'array', items: { type: 'string' }, default: {} },
    { type: 'object', additionalProperties: { type: 'integer' }, default: { a: 'd' } },
  )
  fc.assert(
    fc.property(node, misfit, (raw, wrong) => {
      const fields = (properties: JsonObject): string[] =>
        checkStructural({ type: 'object', properties: same(properties) as JsonObject }, 's').map(
          ({ field }) => `${field}`,
        )
      expect(fields({ spec: raw })).toEqual([])
      const refused = fields({ spec: raw, more: wrong })
      expect(refused.length).toBeGreaterThan(0)
      for (const field of refused) expect(field).toMatch(/^s\.properties\[more\]\.default/)
    }),
    { numRuns: 200 },
  )
})

it('F1: a text that repeats no field has no repeated field, and one that does names it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), object => {
      const text = JSON.stringify(object, null, 1)
      expect(duplicateFields(text)).toEqual([])
      const [key = ''] = Object.keys(parseJson(text) as JsonObject)
      expect(duplicateFields(`{${JSON.stringify(key)}: [{}, "\\"}"] ,${text.slice(1)}`)).toEqual([key])
    }),
    { numRuns: 300 },
  )
})
