import type { JsonSchema } from '../schema/json-schema.ts'

const text = { type: 'string' }
const pair = { type: 'object', properties: { a: { type: 'integer', minimum: 1 }, b: text }, required: ['a'] }

/** Fields with a default that the API server refuses, and the problem with it. */
export const misfits: readonly (readonly [field: JsonSchema, problem: string])[] = [
  [{ type: 'string', enum: ['Allow', 'Forbid'], default: "'Allow'" }, 'is none of "Allow", "Forbid"'],
  [{ type: 'integer', default: '3' }, 'is no integer'],
  [{ type: 'integer', default: 1.5 }, 'is no integer'],
  [{ type: 'boolean', default: 'false' }, 'is no boolean'],
  [{ type: 'integer', minimum: 2, default: 1 }, 'is below 2'],
  [{ type: 'integer', maximum: 2, default: 3 }, 'is above 2'],
  [{ type: 'integer', multipleOf: 3, default: 4 }, 'is no multiple of 3'],
  [{ type: 'string', minLength: 2, default: 'a' }, 'is shorter than 2'],
  [{ type: 'string', maxLength: 2, default: 'abc' }, 'is longer than 2'],
  [{ type: 'string', pattern: '^a+$', default: 'b' }, 'does not match ^a+$'],
  // JavaScript's own expressions have no such class, and would not end for the other.
  [{ type: 'string', pattern: '^[[:alpha:]]+$', default: '1' }, 'does not match ^[[:alpha:]]+$'],
  [{ type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(5000)}!` }, 'does not match ^(a+)+$'],
  [{ type: 'array', items: text, minItems: 1, default: [] }, 'has less than 1 items'],
  [{ type: 'array', items: text, maxItems: 1, default: ['a', 'b'] }, 'has more than 1 items'],
  [{ type: 'array', items: text, default: ['a', 1] }, 'at [1] is no string'],
  [{ ...pair, default: { b: 'x' } }, 'lacks the field a'],
  [{ ...pair, default: { a: 0 } }, 'at .a is below 1'],
  [{ type: 'object', additionalProperties: text, minProperties: 1, default: {} }, 'has less than 1 fields'],
  [
    { type: 'object', additionalProperties: text, maxProperties: 1, default: { a: 'a', b: 'b' } },
    'has more than 1 fields',
  ],
  [{ type: 'object', additionalProperties: text, default: { a: 1 } }, 'at .a is no string'],
]

/** The server takes this default, and then no object that leaves the field out. */
export const trap: readonly [field: JsonSchema, problem: string] = [
  { 'x-kubernetes-int-or-string': true, default: true },
  'is neither an integer nor a string',
]

/** Fields with a default that the API server takes. */
export const fitting: readonly JsonSchema[] = [
  { type: 'string', enum: ['Allow', 'Forbid'], default: 'Allow' },
  { type: 'string', nullable: true, default: 'x' },
  { type: 'number', default: 3 },
  { type: 'number', multipleOf: 0.1, default: 0.3 },
  { type: 'integer', minimum: 1, maximum: 3, multipleOf: 3, default: 3 },
  { 'x-kubernetes-int-or-string': true, default: '50%' },
  { type: 'string', minLength: 1, maxLength: 1, pattern: '^.$', default: '\u{1F600}' },
  { type: 'array', items: pair, minItems: 1, maxItems: 1, default: [{ a: 1 }] },
  { type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 1, default: { a: 'a' } },
  { ...pair, default: { a: 1, b: 'x' } },
]
