import { describe, expect, it } from 'vitest'
import type { JsonSchema } from './json-schema.ts'
import { structuralSchema } from './structural.ts'

const levels = { type: 'string', enum: ['low', 'high'] }
const nothing = { enum: [null], nullable: true }
const http = { type: 'object', properties: { http: { type: 'string' } }, required: ['http'] }
const file = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] }
const fields = { http: { type: 'string' }, file: { type: 'string' } }

/** What made invalid definitions in other projects: how a schema generator writes it, and what must come of it. */
const cases: readonly (readonly [title: string, schema: JsonSchema, structural: JsonSchema])[] = [
  [
    'an enumeration with descriptions of its values (bottlerocket-update-operator #277)',
    {
      description: 'The level.',
      oneOf: [
        { description: 'Not much.', type: 'string', enum: ['low'] },
        { description: 'Much.', type: 'string', enum: ['high'] },
      ],
    },
    { description: 'The level.', ...levels },
  ],
  [
    'the same without words for the whole',
    {
      oneOf: [
        { description: 'Not much.', ...levels, enum: ['low'] },
        { ...levels, enum: ['high'] },
      ],
    },
    levels,
  ],
  [
    'an optional enumeration (kube-rs #1908)',
    { description: 'The level.', anyOf: [levels, nothing] },
    {
      ...{ description: 'The level.', type: 'string', nullable: true, maxLength: 4 },
      // The server refuses null by an enum, whatever is in it.
      'x-kubernetes-validations': [
        { rule: 'self in ["low", "high"]', message: 'must be null or one of: "low", "high"' },
      ],
    },
  ],
  [
    'an optional union of objects (kube-rs #1934)',
    { description: 'The source.', anyOf: [{ oneOf: [http, file] }, nothing] },
    {
      ...{ description: 'The source.', type: 'object', properties: fields, nullable: true },
      oneOf: [{ required: ['http'] }, { required: ['file'] }],
    },
  ],
  [
    'an object that allows no other fields (kube-rs #1920)',
    { ...http, additionalProperties: false },
    { type: 'object', properties: { http: { type: 'string' } }, required: ['http'] },
  ],
  [
    'a union without a tag that is flattened into an object, with an empty branch (kube-rs #1942)',
    {
      ...{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      anyOf: [
        { description: 'By HTTP.', ...http },
        { description: 'By file.', ...file },
        { description: 'Neither.', type: 'object' },
      ],
    },
    {
      // The empty branch accepts what the others accept.
      ...{ type: 'object', properties: { name: { type: 'string' }, ...fields }, required: ['name'] },
    },
  ],
  [
    'a list of objects with any fields (grafana-app-sdk #659)',
    { type: 'array', items: { type: 'object', additionalProperties: {} } },
    { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ],
  [
    'an enumeration with a default next to its reference (grafana-app-sdk 0.57)',
    { allOf: [{ $ref: '#/$defs/level' }], default: 'low', $defs: { level: levels } },
    { ...levels, default: 'low' },
  ],
]

describe('what made invalid definitions in other projects', () => {
  it.for(cases)('K1: gives a schema that the API server takes: %s', ([, schema, structural]) => {
    expect(structuralSchema(schema)).toEqual(structural)
  })
})

describe('fields with the names of methods that each object of JavaScript has', () => {
  const text = { type: 'string' }
  const one = { type: 'object', properties: { toString: text, constructor: text } }
  const two = { type: 'object', properties: { a: text } }

  it('K1: are fields like others in an intersection and in a union', () => {
    const properties = { ...one.properties, ...two.properties }
    expect(structuralSchema({ allOf: [one, two] })).toEqual({ type: 'object', properties })
    expect(structuralSchema({ anyOf: [one, two] })).toMatchObject({ type: 'object', properties })
  })

  it('K1: a reference that is not percent-encoded is taken as it is', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/100%' } }, $defs: { '100%': text } }
    expect(structuralSchema(schema)).toEqual({ type: 'object', properties: { a: text } })
    const unknown = { ...schema, $defs: {} }
    expect(() => structuralSchema(unknown)).toThrow('refers to #/$defs/100%, which the schema does not have')
  })
})
