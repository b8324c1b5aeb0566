import { describe, expect, it } from 'vitest'
import type { StructuralSchema } from '../schema/json-schema.ts'
import type { Verdict } from './change.ts'
import { schemaChanges } from './schema-changes.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const anything = { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }
const items = (schema: StructuralSchema, more: object = {}) => ({ type: 'array', items: schema, ...more })
const fields = (properties: Record<string, StructuralSchema>, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
})
const map = (additionalProperties: StructuralSchema) => ({ type: 'object', additionalProperties })
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }
const [short, long] = [{ maxLength: 3 }, { minLength: 4 }]
const optional = (rule: string, optionalOldSelf: boolean) => ({
  'x-kubernetes-validations': [{ rule, optionalOldSelf }],
})
const rules = (...all: string[]) => ({ 'x-kubernetes-validations': all.map(rule => ({ rule })) })

type Row = readonly [
  old: StructuralSchema,
  next: StructuralSchema,
  ...changes: (readonly [path: string, change: string, verdict?: Verdict])[],
]

const unsafe: readonly Row[] = [
  [fields({ a: text }), fields({}), ['f.a', 'field removed']],
  [fields({ a: fields({ b: text }) }), fields({ a: fields({}) }), ['f.a.b', 'field removed']],
  [items(fields({ a: text })), items(fields({})), ['f[].a', 'field removed']],
  [map(fields({ a: text })), map(fields({})), ['f{}.a', 'field removed']],
  [text, whole, ['f', 'type is integer, was string']],
  [{ type: 'number' }, whole, ['f', 'type is integer, was number']],
  [{ 'x-kubernetes-int-or-string': true }, text, ['f', 'type is string, was integer or string']],
  [anything, { ...text, nullable: true }, ['f', 'type is string, was any']],
  [{ ...text, nullable: true }, text, ['f', 'null is no longer allowed']],
  [fields({ a: text }), fields({ a: text }, { required: ['a'] }), ['f.a', 'required']],
  [fields({}), fields({ a: text }, { required: ['a'] }), ['f.a', 'required field added']],
  [
    fields({ a: { ...text, default: 'x' } }, { required: ['a'] }),
    fields({ a: text }, { required: ['a'] }),
    ['f.a', 'default removed'],
  ],
  [{ ...text, enum: ['a', 'b'] }, { ...text, enum: ['b'] }, ['f', 'enum without "a"']],
  [text, { ...text, enum: ['b'] }, ['f', 'enum added: "b"']],
  [{ ...whole, maximum: 64 }, { ...whole, maximum: 32 }, ['f', 'maximum is 32, was 64']],
  [whole, { ...whole, minimum: 1 }, ['f', 'minimum is 1, was none']],
  [{ ...whole, minimum: 1 }, { ...whole, minimum: 1, exclusiveMinimum: true }, ['f', 'minimum is 1 (excluded), was 1']],
  [{ ...whole, maximum: 1 }, { ...whole, maximum: 1, exclusiveMaximum: true }, ['f', 'maximum is 1 (excluded), was 1']],
  [{ ...whole, multipleOf: 4 }, { ...whole, multipleOf: 8 }, ['f', 'multipleOf is 8, was 4']],
  [{ ...text, maxLength: 9 }, { ...text, maxLength: 8 }, ['f', 'maxLength is 8, was 9']],
  [text, { ...text, minLength: 1 }, ['f', 'minLength is 1, was none']],
  [{ ...text, pattern: 'a' }, { ...text, pattern: 'b' }, ['f', 'pattern is b, was a']],
  [text, { ...text, format: 'date' }, ['f', 'format is date, was none']],
  [{ ...whole, format: 'int64' }, { ...whole, format: 'int32' }, ['f', 'format is int32, was int64']],
  [items(text), items(text, { maxItems: 3 }), ['f', 'maxItems is 3, was none']],
  [map(text), { ...map(text), minProperties: 1 }, ['f', 'minProperties is 1, was none']],
  [items(text), items(text, { 'x-kubernetes-list-type': 'set' }), ['f', 'list type is set, was atomic']],
  [
    items(fields({ a: text, b: text }), keyed),
    items(fields({ a: text, b: text }), { ...keyed, 'x-kubernetes-list-map-keys': ['b'] }),
    ['f', 'list type is map by b, was map by a'],
  ],
  [text, { ...text, ...rules("self != ''") }, ['f', "rule added, which may refuse: self != ''"]],
  [map(text), fields({ a: text }), ['f{}', 'values of the map are no longer described']],
  [{ type: 'object', ...anything }, { type: 'object', nullable: true }, ['f{}', 'unknown fields are no longer kept']],
  [
    { type: 'object', ...anything },
    fields({ a: text }, anything),
    ['f.a', 'field described, in which there could be anything'],
  ],
  [{ type: 'object', ...anything }, { ...map(text), nullable: true }, ['f{}', 'unknown fields have a schema']],
  [
    fields({}),
    { ...fields({}), 'x-kubernetes-embedded-resource': true },
    ['f', 'x-kubernetes-embedded-resource added'],
  ],
  [text, { ...text, not: { enum: ['a'] } }, ['f', 'not added']],
  [text, { ...text, anyOf: [{ minLength: 1 }] }, ['f', 'anyOf added']],
  [text, { ...text, allOf: [{ minLength: 1 }] }, ['f', 'allOf added']],
  [
    { ...text, oneOf: [{ enum: ['a'] }] },
    { ...text, oneOf: [{ enum: ['a'] }, { minLength: 1 }] },
    ['f', 'oneOf changed'],
  ],
  [{ ...text, not: { enum: ['a'] } }, { ...text, not: { enum: ['b'] } }, ['f', 'not changed']],
  [{ ...text, allOf: [short] }, { ...text, allOf: [short, long] }, ['f', 'allOf changed']],
  [{ ...text, anyOf: [short, long] }, { ...text, anyOf: [short, { enum: ['a'] }] }, ['f', 'anyOf changed']],
  [{ ...text, oneOf: [short, long] }, { ...text, oneOf: [short] }, ['f', 'oneOf changed']],
  [whole, { ...whole, multipleOf: 2 }, ['f', 'multipleOf is 2, was none']],
  [
    { ...text, enum: ['a', 'b', 'c'] },
    { ...text, enum: ['c', 'd', 'e'] },
    ['f', 'enum without "a", "b"'],
    ['f', 'enum with "d", "e"', 'safe'],
  ],
  [whole, { ...whole, enum: [1, 2] }, ['f', 'enum added: 1, 2']],
  [{ ...text, format: 'int32' }, { ...text, format: 'date' }, ['f', 'format is date, was int32']],
  [text, { ...text, format: 'int64' }, ['f', 'format is int64, was none']],
  [items(text), items(text, { minItems: 1 }), ['f', 'minItems is 1, was none']],
  [map(text), { ...map(text), maxProperties: 1 }, ['f', 'maxProperties is 1, was none']],
  // Of several rules, the one that is not in both.
  [
    { ...text, ...rules('true', "self != ''") },
    { ...text, ...rules("self != ''", "self != 'a'") },
    ['f', "rule added, which may refuse: self != 'a'"],
    ['f', 'rule removed: true', 'safe'],
  ],
  // A new object has no old self, so the rule is one of its own.
  [
    { ...text, ...optional('self == oldSelf', false) },
    { ...text, ...optional('self == oldSelf', true) },
    ['f', 'rule added, which may refuse: self == oldSelf'],
    ['f', 'rule removed: self == oldSelf', 'safe'],
  ],
  [
    items(fields({ a: text, b: text }), { 'x-kubernetes-list-type': 'set' }),
    items(fields({ a: text, b: text }), { ...keyed, 'x-kubernetes-list-map-keys': ['b', 'a'] }),
    ['f', 'list type is map by a, b, was set'],
  ],
  // The server does not check defaults in the values of a map.
  [
    map(fields({ a: { ...text, maxLength: 2 } })),
    map(fields({ a: { ...text, maxLength: 2, default: 'abc' } })),
    ['f{}.a', 'default "abc" added'],
  ],
  // The server fills the inner default into the outer one, which has one field too many then.
  [
    fields({}),
    fields({ a: { ...fields({ b: { ...text, default: 'x' } }, { maxProperties: 0 }), default: {} } }),
    ['f.a', 'field with a default added'],
  ],
  // The default is one field more, or makes two items equal.
  [
    fields({}, { maxProperties: 0 }),
    fields({ a: { ...text, default: 'x' } }, { maxProperties: 0 }),
    ['f.a', 'field with a default added'],
  ],
  [
    fields({ a: fields({}) }, { not: { required: ['b'] } }),
    fields({ a: fields({}), b: { ...text, default: 'x' } }, { not: { required: ['b'] } }),
    ['f.b', 'field with a default added'],
  ],
  [
    items(fields({ a: text }, keyed)),
    items(fields({ a: { ...text, default: 'x' } }, keyed)),
    ['f[].a', 'default "x" added'],
  ],
  [
    fields({ a: text }, rules('!has(self.a)')),
    fields({ a: { ...text, default: 'x' } }, rules('!has(self.a)')),
    ['f.a', 'default "x" added'],
  ],
]

const clients: readonly Row[] = [
  [fields({ a: { ...text, default: 'x' } }), fields({ a: text }), ['f.a', 'default removed']],
  [text, { ...text, ...rules('self == oldSelf') }, ['f', 'immutable']],
  [
    items(text, { 'x-kubernetes-list-type': 'set' }),
    items(text, { 'x-kubernetes-list-type': 'atomic' }),
    ['f', 'list type is atomic, was set'],
  ],
  [map(text), { ...map(text), 'x-kubernetes-map-type': 'atomic' }, ['f', 'map type is atomic, was granular']],
  [{ ...map(text), 'x-kubernetes-map-type': 'atomic' }, map(text), ['f', 'map type is granular, was atomic']],
  [text, { ...text, ...rules(' self == oldSelf ') }, ['f', 'immutable']],
]

const safe: readonly Row[] = [
  [text, { ...text, description: 'A text.' }],
  [fields({}), fields({ a: text }), ['f.a', 'field added']],
  [
    fields({ a: text }, rules('has(self.a)')),
    fields({ a: text, b: { ...text, default: 'x' } }, rules('has(self.a)')),
    ['f.b', 'field with a default added'],
  ],
  [fields({}), fields({ a: { ...text, default: 'x' } }, { required: ['a'] }), ['f.a', 'field with a default added']],
  [fields({ a: text }, { required: ['a'] }), fields({ a: text }), ['f.a', 'no longer required']],
  [
    fields({ a: text }),
    fields({}, { 'x-kubernetes-preserve-unknown-fields': true }),
    ['f.a', 'field is no longer described, and kept'],
    ['f{}', 'any other field is allowed'],
  ],
  [fields({ a: text }), map(text), ['f{}', 'any other field is allowed']],
  [whole, { type: 'number' }, ['f', 'type is number, was integer']],
  [text, { 'x-kubernetes-int-or-string': true }, ['f', 'type is integer or string, was string']],
  [text, { ...text, nullable: true }, ['f', 'null is allowed']],
  [{ ...text, enum: ['a'] }, { ...text, enum: ['a', 'b'] }, ['f', 'enum with "b"']],
  [{ ...text, enum: ['a'] }, text, ['f', 'enum removed']],
  [{ ...whole, maximum: 64 }, { ...whole, maximum: 65 }, ['f', 'maximum is 65, was 64']],
  [{ ...whole, minimum: 1 }, whole, ['f', 'minimum is none, was 1']],
  [{ ...whole, multipleOf: 8 }, { ...whole, multipleOf: 4 }, ['f', 'multipleOf is 4, was 8']],
  [{ ...whole, format: 'int32' }, { ...whole, format: 'int64' }, ['f', 'format is int64, was int32']],
  [{ ...text, pattern: 'a', format: 'date' }, text, ['f', 'pattern is none, was a'], ['f', 'format is none, was date']],
  // A limit of texts does not matter to numbers.
  [whole, { 'x-kubernetes-int-or-string': true, pattern: 'a' }, ['f', 'type is integer or string, was integer']],
  [{ ...text, ...rules('true') }, text, ['f', 'rule removed: true']],
  [{ ...text, not: { enum: ['a'] } }, text, ['f', 'not removed']],
  [
    { ...text, anyOf: [{ minLength: 1 }] },
    { ...text, anyOf: [{ enum: ['a'] }, { minLength: 1 }] },
    ['f', 'anyOf changed'],
  ],
  [{ ...text, default: 'a' }, { ...text, default: 'b' }, ['f', 'default is "b", was "a"']],
  [{ ...text, allOf: [short, long] }, { ...text, allOf: [long] }, ['f', 'allOf changed']],
  [{ ...text, allOf: [short] }, text, ['f', 'allOf removed']],
  [{ ...text, anyOf: [short] }, text, ['f', 'anyOf removed']],
  [{ ...text, oneOf: [short] }, text, ['f', 'oneOf removed']],
  [{ ...whole, multipleOf: 2 }, whole, ['f', 'multipleOf is none, was 2']],
  [text, { ...text, minLength: 0 }, ['f', 'minLength is 0, was none']],
  [
    { ...text, enum: ['a', 'b'] },
    { ...text, enum: ['b', 'a'] },
  ],
  // A limit that does not matter to a type of values.
  [
    { ...text, maximum: 2, minimum: 1, multipleOf: 2, maxItems: 2, minProperties: 1 },
    { ...text, maximum: 1, minimum: 2, multipleOf: 3, maxItems: 1, minProperties: 2 },
  ],
  [
    { ...whole, maxLength: 2, minLength: 1, pattern: 'a' },
    { ...whole, maxLength: 1, minLength: 2, pattern: 'b' },
  ],
  // What the server takes it for if nothing is said.
  [items(text), items(text, { 'x-kubernetes-list-type': 'atomic' })],
  [map(text), { ...map(text), 'x-kubernetes-map-type': 'granular' }],
  [
    items(fields({ a: text, b: text }), { ...keyed, 'x-kubernetes-list-map-keys': ['a', 'b'] }),
    items(fields({ a: text, b: text }), { ...keyed, 'x-kubernetes-list-map-keys': ['b', 'a'] }),
  ],
  [
    { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'one' }] },
    { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'two', optionalOldSelf: false }] },
  ],
]

const verdicts: readonly (readonly [Verdict, readonly Row[]])[] = [
  ['breaks stored objects', unsafe],
  ['breaks clients', clients],
  ['safe', safe],
]

describe.each(verdicts)('%s', (verdict, rows) => {
  it.for(rows)('from %j to %j', ([old, next, ...expected]) => {
    const found = schemaChanges(fields({ f: old }), fields({ f: next }))
    expect(found.map(one => [one.path, one.change, one.verdict])).toEqual(
      expected.map(([path, change, other = verdict]) => [path, change, other]),
    )
    // A change that is not safe says what to do, and nothing else does.
    expect(found.filter(one => (one.verdict === 'safe') !== (one.advice === ''))).toEqual([])
  })
})

it('knows the fields that every object has', () => {
  const all = fields({ apiVersion: text, kind: text, metadata: { type: 'object' } })
  expect([schemaChanges(all, fields({})), schemaChanges(fields({}), all)]).toEqual([[], []])
  const named = fields({ metadata: fields({ name: { ...text, maxLength: 9 } }) })
  expect(schemaChanges(all, named).map(({ path, verdict }) => [path, verdict])).toEqual([
    ['metadata.name', 'breaks stored objects'],
  ])
})
