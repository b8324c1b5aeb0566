import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import type { AnySchema } from '../schema/from-standard.ts'

/** A schema of `spec`, with values for it. `refusedAt` names the paths of the errors, if a definition can't have it. */
export interface SchemaCase {
  readonly title: string
  readonly schema: AnySchema
  readonly accepted?: readonly unknown[]
  readonly refused?: readonly unknown[]
  readonly refusedAt?: readonly string[]
}

const union = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('http'), port: z.int().min(1) }),
  z.strictObject({ kind: z.literal('file'), file: z.string(), mode: z.enum(['r', 'w']).optional() }),
])
const port = { type: 'integer', minimum: 1, maximum: 65_535 }

/** What a definition can express. */
const ofP = (p: object): object => ({ type: 'object', properties: { p } })
const nothing = { type: 'null' }
const words = ['a', 'bc']

/** A type or null, with limits outside of the union: they leave null alone. */
const nullableSchemas: readonly SchemaCase[] = [
  {
    title: 'a list or null',
    schema: ofP({ anyOf: [{ type: 'array', items: { type: 'integer' } }, nothing], maxItems: 2 }),
    accepted: [{ p: null }, { p: [1, 2] }],
    refused: [{ p: [1, 2, 3] }, { p: ['a'] }],
  },
  {
    title: 'an integer or null',
    schema: ofP({ anyOf: [{ type: 'integer' }, nothing], minimum: 1, format: 'int32' }),
    accepted: [{ p: null }, { p: 1 }],
    refused: [{ p: 0 }, { p: 1.5 }, { p: 3_000_000_000 }],
  },
  {
    title: 'an integer, a text or null',
    schema: ofP({ anyOf: [{ type: 'integer' }, { type: 'string' }, nothing], pattern: '^[a-z]+$', minimum: 1 }),
    accepted: [{ p: null }, { p: 1 }, { p: 'a' }],
    refused: [{ p: 0 }, { p: 'A' }],
  },
  {
    title: 'an object or null',
    schema: ofP({ anyOf: [ofP({ type: 'string' }), nothing], required: ['p'], maxProperties: 1 }),
    accepted: [{ p: null }, { p: { p: 'x' } }],
    refused: [{ p: {} }],
  },
  ...(
    [
      ['in one schema', { type: ['string', 'null'], enum: [...words, null] }],
      ['in a union', { anyOf: [{ type: 'string', enum: words }, nothing] }],
      ['in a list without a type', { enum: [null, ...words] }],
      ['in a union with an enum outside', { anyOf: [{ type: 'string' }, nothing], enum: [...words, null] }],
    ] as const
  ).map(([where, p]) => ({
    title: `listed texts or null, ${where}`,
    schema: ofP(p),
    accepted: [{ p: null }, { p: 'a' }, { p: 'bc' }],
    refused: [{ p: 'b' }, { p: '' }],
  })),
  {
    title: 'listed numbers or null',
    schema: ofP({ type: ['number', 'null'], enum: [1, 2.5, null] }),
    accepted: [{ p: null }, { p: 1 }, { p: 2.5 }],
    refused: [{ p: 2 }],
  },
  {
    title: 'listed integers, texts or null',
    schema: ofP({ type: ['integer', 'string', 'null'], enum: [1, 'a', null] }),
    accepted: [{ p: null }, { p: 1 }, { p: 'a' }],
    refused: [{ p: 2 }, { p: 'b' }],
  },
]

export const expressible: readonly SchemaCase[] = [
  {
    title: 'an integer',
    schema: z.object({ n: z.int() }),
    accepted: [{ n: 3 }],
    refused: [{ n: 'x' }, { n: 1.5 }, {}],
  },
  {
    title: 'an integer within limits',
    schema: z.object({ n: z.int().positive().max(9) }),
    accepted: [{ n: 1 }],
    refused: [{ n: 0 }, { n: 10 }],
  },
  { title: 'an int32', schema: z.object({ n: z.int32() }), accepted: [{ n: -1 }], refused: [{ n: 2 ** 31 }] },
  {
    title: 'a number',
    schema: z.object({ n: z.number().multipleOf(0.5).lt(2) }),
    accepted: [{ n: 1.5 }],
    refused: [{ n: 2 }, { n: 0.3 }],
  },
  {
    title: 'a text',
    schema: z.object({
      s: z
        .string()
        .min(2)
        .max(3)
        .regex(/^[a-z]+$/),
    }),
    accepted: [{ s: 'abc' }],
    refused: [{ s: 'a' }, { s: 'AB' }],
  },
  {
    title: 'a nullable text',
    schema: z.object({ s: z.string().nullable() }),
    accepted: [{ s: null }, { s: 'a' }],
    refused: [{ s: 1 }],
  },
  {
    title: 'an enumeration',
    schema: z.object({ e: z.enum(['a', 'b']) }),
    accepted: [{ e: 'a' }],
    refused: [{ e: 'c' }],
  },
  {
    title: 'literals',
    schema: z.object({ e: z.union([z.literal('a'), z.literal('b')]), n: z.literal(1) }),
    accepted: [{ e: 'b', n: 1 }],
    refused: [
      { e: 'c', n: 1 },
      { e: 'a', n: 2 },
    ],
  },
  {
    title: 'an integer or a string',
    schema: z.object({ p: z.union([z.string(), z.int()]) }),
    accepted: [{ p: 1 }, { p: '1%' }],
    refused: [{ p: true }],
  },
  {
    title: 'an integer or one word',
    schema: z.object({ p: z.union([z.literal('auto'), z.int().min(1)]) }),
    accepted: [{ p: 1 }, { p: 'auto' }],
    refused: [{ p: 0 }, { p: 'other' }],
  },
  {
    title: 'a discriminated union',
    schema: z.object({ u: union }),
    accepted: [{ u: { kind: 'http', port: 1 } }, { u: { kind: 'file', file: 'f', mode: 'r' } }],
    refused: [{ u: { kind: 'http', file: 'f' } }, { u: { kind: 'file', file: 'f', port: 1 } }, { u: { kind: 'ftp' } }],
  },
  { title: 'a union at the root', schema: union, accepted: [{ kind: 'http', port: 1 }], refused: [{ kind: 'file' }] },
  {
    title: 'a union in a union',
    schema: z.object({
      u: z.discriminatedUnion('t', [z.object({ t: z.literal('a'), u: union }), z.object({ t: z.literal('b') })]),
    }),
    accepted: [{ u: { t: 'b' } }, { u: { t: 'a', u: { kind: 'http', port: 1 } } }],
    refused: [{ u: { t: 'a' } }, { u: { t: 'a', u: { kind: 'http' } } }],
  },
  {
    title: 'branches that limit a field differently',
    schema: z.object({
      u: z.union([
        z.object({ t: z.literal('a'), n: z.int().max(1) }),
        z.object({ t: z.literal('b'), n: z.int().max(5) }),
      ]),
    }),
    accepted: [{ u: { t: 'b', n: 5 } }],
    refused: [{ u: { t: 'a', n: 5 } }, { u: { t: 'b', n: 6 } }],
  },
  { title: 'a strict object', schema: z.strictObject({ a: z.string() }), accepted: [{ a: 'x' }], refused: [{}] },
  {
    title: 'a loose object',
    schema: z.looseObject({ a: z.string() }),
    accepted: [{ a: 'x', more: [1] }],
    refused: [{ a: 1 }],
  },
  { title: 'unknown values', schema: z.object({ a: z.unknown(), b: z.any() }), accepted: [{ a: 1, b: { c: 'x' } }] },
  {
    title: 'a map',
    schema: z.object({ m: z.record(z.string(), z.int()) }),
    accepted: [{ m: { a: 1 } }],
    refused: [{ m: { a: 'x' } }],
  },
  {
    title: 'a map of few keys',
    schema: z.object({ m: z.record(z.enum(['a', 'b']), z.int()) }),
    accepted: [{ m: { a: 1, b: 2 } }],
    refused: [{ m: { a: 1 } }],
  },
  {
    title: 'lists',
    schema: z.object({ l: z.array(z.array(z.string())).min(1).max(2) }),
    accepted: [{ l: [['a']] }],
    refused: [{ l: [] }, { l: [[1]] }],
  },
  {
    title: 'a tuple of one type',
    schema: z.object({ t: z.tuple([z.string(), z.string()]) }),
    accepted: [{ t: ['a', 'b'] }],
    refused: [{ t: ['a'] }, { t: ['a', 'b', 'c'] }],
  },
  {
    title: 'a default',
    schema: z.object({ a: z.string().default('x'), n: z.object({ b: z.int().default(3) }).prefault({}) }),
    accepted: [{}, { n: {} }, { n: { b: 1 } }],
    refused: [{ n: { b: 'x' } }],
  },
  {
    title: 'a time',
    schema: z.object({ t: z.iso.datetime() }),
    accepted: [{ t: '2026-01-02T03:04:05Z' }],
    refused: [{ t: 'noon' }],
  },
  {
    title: 'formats',
    schema: z.object({ d: z.iso.date(), i: z.ipv4(), m: z.email(), u: z.uuid() }),
    accepted: [{ d: '2026-01-02', i: '10.0.0.1', m: 'a@example.com', u: '123e4567-e89b-42d3-a456-426614174000' }],
    refused: [{ d: 'x', i: '10.0.0.1', m: 'a@example.com', u: '123e4567-e89b-42d3-a456-426614174000' }],
  },
  {
    title: 'a refinement with a rule',
    schema: z.object({
      a: z
        .int()
        .max(9)
        .refine(n => n % 2 === 0)
        .meta({ 'x-kubernetes-validations': [{ rule: 'self % 2 == 0', message: 'must be even' }] }),
    }),
    accepted: [{ a: 2 }],
    refused: [{ a: 3 }],
  },
  {
    title: 'a list with keys',
    schema: z.object({
      l: z
        .array(z.object({ name: z.string(), n: z.int().optional() }))
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    }),
    accepted: [{ l: [{ name: 'a' }, { name: 'b' }] }],
    refused: [{ l: [{ name: 'a' }, { name: 'a' }] }],
  },
  {
    title: 'an intersection',
    schema: z.object({ i: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })) }),
    accepted: [{ i: { a: 'x', b: 1 } }],
    refused: [{ i: { a: 'x' } }],
  },
  {
    title: 'a schema that is used twice',
    schema: z.object((one => ({ a: one, b: one.optional() }))(z.object({ x: z.string() }).meta({ id: 'One' }))),
    accepted: [{ a: { x: 'a' } }],
    refused: [{ a: {} }],
  },
  {
    title: 'a transformation',
    schema: z.object({ t: z.string().transform(Number) }),
    accepted: [{ t: '1' }],
    refused: [{ t: 1 }],
  },
  {
    title: "valibot's variant",
    schema: toStandardJsonSchema(
      v.object({
        a: v.optional(v.string(), 'x'),
        k: v.variant('t', [
          v.object({ t: v.literal('a'), n: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
          v.strictObject({ t: v.literal('b'), m: v.string() }),
        ]),
      }),
    ),
    accepted: [{ k: { t: 'a', n: 1 } }],
    refused: [{ k: { t: 'a', n: 0 } }, { k: { t: 'b', m: 'x', n: 1 } }],
  },
  {
    title: "valibot's nullable picklist",
    schema: toStandardJsonSchema(v.object({ p: v.nullable(v.picklist(['a', 'b'])) })),
    accepted: [{ p: 'a' }, { p: null }],
    refused: [{ p: 'c' }],
  },
  ...nullableSchemas,
  {
    title: "arktype's types",
    schema: type({
      name: 'string>0',
      'n?': '1<=number.integer<=5',
      k: "'a'|'b'",
      u: 'string|number.integer',
      'd?': 'string[]',
      e: 'number.integer = 2',
    }),
    accepted: [{ name: 'x', k: 'a', u: 1 }],
    refused: [
      { name: '', k: 'a', u: 1 },
      { name: 'x', k: 'c', u: 1 },
      { name: 'x', k: 'a', u: 1, n: 6 },
    ],
  },
  {
    title: "arktype's union of objects",
    schema: type({ u: [{ a: 'string' }, '|', { b: 'number.integer' }] }),
    accepted: [{ u: { a: 'x' } }, { u: { b: 1 } }],
    refused: [{ u: {} }],
  },
  {
    title: "typebox's union of objects",
    schema: Type.Object({ u: Type.Union([Type.Object({ x: Type.String() }), Type.Object({ y: Type.Integer() })]) }),
    accepted: [{ u: { x: 'a' } }, { u: { y: 1 } }],
    refused: [{ u: {} }],
  },
  {
    title: "typebox's unique items",
    schema: Type.Object({ l: Type.Array(Type.String(), { uniqueItems: true }) }),
    accepted: [{ l: ['a', 'b'] }],
    refused: [{ l: ['a', 'a'] }],
  },
  {
    title: "typebox's composite",
    schema: Type.Intersect([
      Type.Object({ a: Type.Integer({ default: 1 }) }),
      Type.Object({ b: Type.Optional(Type.Boolean()) }),
    ]),
    accepted: [{}, { b: true }],
    refused: [{ a: 'x' }],
  },
  {
    title: 'JSON Schema with definitions',
    schema: { type: 'object', properties: { p: { $ref: '#/$defs/port', description: 'Where.' } }, $defs: { port } },
    accepted: [{ p: 80 }],
    refused: [{ p: 0 }],
  },
  {
    title: 'several types in one schema',
    schema: { type: 'object', properties: { p: { type: ['integer', 'string', 'null'], minimum: 1 } } },
    accepted: [{ p: 1 }, { p: 'x' }, { p: null }],
    refused: [{ p: 0 }],
  },
  {
    title: 'fields with one required',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: port },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    accepted: [{ a: 'x' }, { b: 1 }],
    refused: [{}, { a: 'x', b: 1 }],
  },
  {
    title: 'a forbidden value',
    schema: { type: 'object', properties: { a: { type: 'string', not: { enum: ['root'] } } } },
    accepted: [{ a: 'x' }],
    refused: [{ a: 'root' }],
  },
]

const node: AnySchema = z.object({
  name: z.string(),
  get children(): z.ZodArray<z.ZodType> {
    return z.array(node as z.ZodType)
  },
})

/** What a definition can't express. */
export const inexpressible: readonly SchemaCase[] = [
  {
    title: 'a refinement',
    schema: z.object({ a: z.array(z.object({ b: z.string().refine(text => text !== '') })) }),
    refusedAt: ['spec.a[].b'],
  },
  { title: 'a refinement of the whole', schema: z.object({}).refine(() => true), refusedAt: ['spec'] },
  {
    title: 'types that are not of JSON',
    schema: z.object({
      d: z.date(),
      b: z.bigint().optional(),
      s: z.set(z.string()),
      m: z.array(z.map(z.string(), z.string())),
    }),
    refusedAt: ['spec.d', 'spec.b', 'spec.s', 'spec.m[]'],
  },
  { title: 'a recursion', schema: z.object({ n: node }), refusedAt: ['spec.n.children[]'] },
  { title: 'a tuple of several types', schema: z.object({ t: z.tuple([z.string(), z.int()]) }), refusedAt: ['spec.t'] },
  {
    title: 'a union of several types',
    schema: z.object({ u: z.union([z.string(), z.boolean()]) }),
    refusedAt: ['spec.u'],
  },
  {
    title: 'a union of a list and an item',
    schema: z.object({ u: z.union([z.string(), z.array(z.string())]) }),
    refusedAt: ['spec.u'],
  },
  {
    title: 'a field of another type in each branch',
    schema: z.object({
      u: z.union([z.object({ t: z.literal('a'), v: z.string() }), z.object({ t: z.literal('b'), v: z.int() })]),
    }),
    refusedAt: ['spec.u.v'],
  },
  {
    title: 'a default in one branch',
    schema: z.object({
      u: z.union([z.object({ t: z.literal('a'), v: z.string().default('x') }), z.object({ t: z.literal('b') })]),
    }),
    refusedAt: ['spec.u.v'],
  },
  {
    title: 'a lookaround',
    schema: z.object({ p: z.string().regex(/^(?!x)/), q: z.array(z.string().regex(/a(?<=b)/)) }),
    refusedAt: ['spec.p', 'spec.q[]'],
  },
  { title: 'a back reference', schema: z.object({ p: z.string().regex(/^(a)\1$/) }), refusedAt: ['spec.p'] },
  {
    title: 'fields and a type for all others',
    schema: z.object({ a: z.string() }).catchall(z.string()),
    refusedAt: ['spec'],
  },
  {
    title: 'keys that match a pattern',
    schema: z.object({ m: z.record(z.string().regex(/^a/), z.string()) }),
    refusedAt: ['spec.m'],
  },
  {
    title: 'a list with an optional key',
    schema: z.object({
      l: z
        .array(z.object({ name: z.string().optional() }))
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    }),
    refusedAt: ['spec.l[].name'],
  },
  {
    title: 'unique objects',
    schema: { type: 'object', properties: { l: { type: 'array', uniqueItems: true, items: { type: 'object' } } } },
    refusedAt: ['spec.l'],
  },
  {
    title: 'a condition',
    schema: { type: 'object', properties: { a: { type: 'object', if: { required: ['x'] } } } },
    refusedAt: ['spec.a'],
  },
  {
    title: 'a reference to elsewhere',
    schema: { type: 'object', properties: { a: { $ref: 'https://example.com/schema' } } },
    refusedAt: ['spec.a'],
  },
  {
    title: 'a reference to nothing',
    schema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
    refusedAt: ['spec.a'],
  },
  {
    title: "valibot's check",
    schema: toStandardJsonSchema(
      v.object({
        a: v.pipe(
          v.string(),
          v.check(text => text !== ''),
        ),
        d: v.date(),
      }),
    ),
    refusedAt: ['spec.a', 'spec.d'],
  },
  {
    title: "arktype's narrow",
    schema: type({ a: type.string.narrow(text => text !== ''), d: 'Date', b: 'bigint' }),
    refusedAt: ['spec.a', 'spec.b', 'spec.d'],
  },
]
