import type { JsonObject } from '@wherry/cel/internal'
import { readSchema } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import { checkStructural } from './check.ts'
import { decode, problemsOf } from './decode.ts'
import { duplicateFields } from './duplicates.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

/** The findings of the schema about `spec`. */
function problems(schema: JsonObject, spec: JsonObject['spec'], old?: JsonObject['spec']): string[] {
  const root = readSchema(object({ spec: schema }))
  const causes = problemsOf(root, { spec }, old === undefined ? undefined : { spec: old })
  return causes.map(({ reason, field, message }) => `${reason?.replace('FieldValue', '')} ${field}: ${message}`)
}

describe('validation', () => {
  const cases: [JsonObject, JsonObject['spec'], ...string[]][] = [
    [string, 5, 'TypeInvalid spec: Invalid value: "integer": spec in body must be of type string: "integer"'],
    [integer, null, 'TypeInvalid spec: Invalid value: "null": spec in body must be of type integer: "null"'],
    [{ type: 'integer', nullable: true }, null],
    [integer, 3.0],
    [object({}, { required: ['a'] }), {}, 'Required spec.a: Required value'],
    [
      { type: 'string', enum: ['a', 'b'] },
      'c',
      'NotSupported spec: Unsupported value: "c": supported values: "a", "b"',
    ],
    [{ type: 'string', maxLength: 2 }, '😀😀😀', 'TooLong spec: Too long: may not be more than 2 bytes'],
    [
      { type: 'string', minLength: 2 },
      'é',
      'Invalid spec: Invalid value: "é": spec in body should be at least 2 chars long',
    ],
    [
      { type: 'string', pattern: '^a$' },
      'b\n',
      'Invalid spec: Invalid value: "b\\n": spec in body should match \'^a$\'',
    ],
    [
      { type: 'integer', maximum: 3, exclusiveMaximum: true },
      3,
      'Invalid spec: Invalid value: 3: spec in body should be less than 3',
    ],
    [{ type: 'integer', multipleOf: 2 }, 3, 'Invalid spec: Invalid value: 3: spec in body should be a multiple of 2'],
    [
      { type: 'integer', format: 'int32' },
      2 ** 31,
      'Invalid <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec',
    ],
    [{ type: 'array', items: integer, maxItems: 1 }, [1, 2], 'TooMany spec: Too many: 2: must have at most 1 item'],
    [
      { type: 'array', items: integer, minItems: 1 },
      [],
      'Invalid spec: Invalid value: 0: spec in body should have at least 1 items',
    ],
    [
      { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
      ['a', 'a', 'a'],
      'Duplicate spec[1]: Duplicate value: "a"',
    ],
    [
      { type: 'string', format: 'date-time' },
      'today',
      'TypeInvalid spec: Invalid value: "today": spec in body must be of type date-time: "today"',
    ],
    [{ type: 'string', format: 'no-such-format' }, 'x'],
    [{ 'x-kubernetes-int-or-string': true }, '5%'],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      'TypeInvalid spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"',
    ],
    [
      object({ a: string, b: string }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { a: '', b: '' },
      'Invalid <nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      { type: 'string', not: { enum: ['a'] } },
      'a',
      'Invalid <nil>: Invalid value: "": "spec" must not validate the schema (not)',
    ],
  ]
  it.each(cases)('F1: of %j against %j says what the server says', (schema, spec, ...said) => {
    expect(problems(schema, spec)).toEqual(said)
  })

  it('F1: of an update lets through problems of the old object, in maps by their keys', () => {
    const item = object({ k: string, v: { type: 'integer', maximum: 1 } }, { required: ['k'] })
    const map = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
    const old = [{ k: 'a', v: 5 }]
    expect(
      problems(
        map,
        [
          { k: 'b', v: 1 },
          { k: 'a', v: 5 },
        ],
        old,
      ),
    ).toEqual([])
    expect(problems(map, [{ k: 'b', v: 5 }], old)).toHaveLength(1)
    expect(problems({ type: 'array', items: item }, [{ k: 'a', v: 5 }, { k: 'b' }], old)).toHaveLength(1)
  })
})

describe('many problems', () => {
  it('F1: each is reported once, and 30,000 wrong items take no quadratic time', () => {
    const list = { type: 'array', items: string }
    // Quadratic time is 15 seconds, and the test may take five.
    expect(problems(list, Array(30_000).fill(1))).toHaveLength(30_000)
    const twice = { ...list, allOf: [{ items: { minLength: 1 } }, { items: { minLength: 1 } }] }
    // A problem for each item, and one for the list.
    expect(problems(twice, Array(50).fill(''))).toHaveLength(51)
  })
})

describe('decoding', () => {
  it('F1: prunes unknown fields, keeps preserved ones, and reports the paths in order', () => {
    const spec = object({
      list: { type: 'array', items: object({ a: string }) },
      open: object({ in: object({ a: string }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
    })
    const given = { kind: 'K', z: 1, spec: { zz: 1, list: [{ a: 'x' }, { b: 1 }], open: { more: 1, in: { b: 2 } } } }
    expect(decode(readSchema(object({ spec })), given)).toEqual({
      object: { kind: 'K', spec: { list: [{ a: 'x' }, {}], open: { more: 1, in: {} } } },
      unknown: ['spec.list[1].b', 'spec.open.in.b', 'spec.zz', 'z'],
    })
  })

  it('F1: fills in defaults where the object is there or has a default, and for null where that is not allowed', () => {
    const child = object({ b: { type: 'integer', default: 1 } })
    const spec = object({
      absent: child,
      whole: { ...child, default: {} },
      there: child,
      may: { ...string, nullable: true },
    })
    const given = { spec: { there: { b: null }, may: null, absent: null } }
    expect(decode(readSchema(object({ spec })), given).object).toEqual({
      spec: { there: { b: 1 }, may: null, whole: { b: 1 } },
    })
  })

  it('F1: finds fields that are given twice, as deep as they are', () => {
    expect(duplicateFields('{"a":1,"b":[{"c":"\\"","c":2},{"c":3}],"a":{"a":1},"\\u0061":0}')).toEqual(['b[0].c', 'a'])
  })
})

describe('definitions', () => {
  it('F1: are refused if they are not structural, with the causes in order', () => {
    const schema = object({ spec: { anyOf: [{ type: 'string' }] }, list: { type: 'array' } }, { nullable: true })
    expect(checkStructural(schema, 's').map(({ field, message }) => `${field}: ${message}`)).toEqual([
      's.nullable: Forbidden: nullable cannot be true at the root',
      's.properties[list].items: Required value: must be specified',
      's.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
      's.properties[spec].type: Required value: must not be empty for specified object fields',
    ])
  })
})
