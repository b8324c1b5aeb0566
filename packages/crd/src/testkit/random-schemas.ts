import { chance, choose, integer, type Random } from '@wherry/testing'
import type { StructuralSchema } from '../schema/json-schema.ts'

const texts = ['', 'a', 'b', 'ab', 'abc', '2026-01-31']
const names = ['a', 'b', 'c', 'd']

/** A schema of small values, which often has limits. */
export function randomSchema(random: Random, depth: number = 3): StructuralSchema {
  const nested = depth > 0 ? (['object', 'object', 'map', 'list', 'loose'] as const) : []
  const kind = choose(random, ['text', 'whole', 'number', 'boolean', 'mixed', ...nested] as const)
  const common: StructuralSchema = chance(random, 0.2) ? { nullable: true } : {}
  if (kind === 'boolean') return { ...common, type: 'boolean' }
  if (kind === 'mixed') return { ...common, 'x-kubernetes-int-or-string': true }
  if (kind === 'text') return { ...common, type: 'string', ...some(random, textLimits) }
  if (kind === 'whole') return { ...common, type: 'integer', ...some(random, numberLimits) }
  if (kind === 'number') return { ...common, type: 'number', ...some(random, numberLimits) }
  if (kind === 'map') return { ...common, type: 'object', additionalProperties: randomSchema(random, depth - 1) }
  if (kind === 'list') return { ...common, ...randomList(random, depth - 1) }
  const loose = kind === 'loose' && { 'x-kubernetes-preserve-unknown-fields': true }
  return { ...common, ...randomObject(random, depth - 1), ...loose }
}

/** An object with some of the fields, and sometimes with limits on which there are. */
function randomObject(random: Random, depth: number): StructuralSchema {
  const own = names.filter(() => chance(random, 0.5))
  const properties = Object.fromEntries(own.map(name => [name, withDefault(random, randomSchema(random, depth))]))
  const required = own.filter(() => chance(random, 0.2))
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...some(random, [
      { maxProperties: integer(random, 1, 4) },
      { minProperties: 1 },
      { not: { required: [choose(random, names)] } },
      { anyOf: [{ required: [choose(random, names)] }, { required: [choose(random, names)] }] },
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    ]),
  }
}

function randomList(random: Random, depth: number): StructuralSchema {
  const limits = some(random, [{ maxItems: integer(random, 1, 3) }, { minItems: 1 }])
  if (!chance(random, 0.3)) return { type: 'array', items: randomSchema(random, depth), ...limits }
  if (chance(random, 0.5))
    return { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', ...limits }
  const items = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: withDefault(random, { type: 'string' }) },
  }
  return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'], ...limits }
}

function withDefault(random: Random, schema: StructuralSchema): StructuralSchema {
  return chance(random, 0.2) ? defaulted(random, schema) : schema
}

function defaulted(random: Random, schema: StructuralSchema): StructuralSchema {
  const value = randomValue(random, schema)
  return value === undefined || value === null ? schema : { ...schema, default: value }
}

const textLimits = [
  ...[{ maxLength: 1 }, { maxLength: 2 }, { minLength: 1 }, { minLength: 2 }, { pattern: '^a' }, { pattern: '^a?b' }],
  ...[{ format: 'date' }, { enum: ['a', 'b'] }, { enum: ['a', 'ab'] }, { not: { enum: ['a'] } }],
]
const numberLimits = [
  ...[{ maximum: 4 }, { maximum: 6 }, { minimum: 1 }, { minimum: 2 }, { multipleOf: 2 }, { multipleOf: 4 }],
  ...[{ maximum: 4, exclusiveMaximum: true }, { minimum: 1, exclusiveMinimum: true }, { enum: [0, 1, 2] }],
]

function some(random: Random, limits: readonly StructuralSchema[]): StructuralSchema {
  return Object.assign({}, ...limits.filter(() => chance(random, 0.15)))
}

/** A schema with one or two differences from this one. */
export function changedSchema(random: Random, schema: StructuralSchema, depth: number = 3): StructuralSchema {
  const inner = Object.entries(schema.properties ?? {})
  if (inner.length > 0 && chance(random, 0.6)) {
    const [name, field] = choose(random, inner)
    return { ...schema, properties: { ...schema.properties, [name]: changedSchema(random, field, depth - 1) } }
  }
  if (typeof schema.additionalProperties === 'object' && chance(random, 0.6))
    return { ...schema, additionalProperties: changedSchema(random, schema.additionalProperties, depth - 1) }
  const { items } = schema
  if (items !== undefined && !Array.isArray(items) && chance(random, 0.6))
    return { ...schema, items: changedSchema(random, items, depth - 1) }
  const droppable = Object.keys(schema).filter(key => !['type', 'items'].includes(key))
  const change = choose(random, ['other', 'drop', 'drop', 'limit', 'limit', 'field', 'default', 'nullable', 'require'])
  if (change === 'drop' && droppable.length > 0) {
    const { [choose(random, droppable) as 'title']: _, ...rest } = schema
    return rest
  }
  if (change === 'nullable') return { ...schema, nullable: true }
  if (change === 'default') return defaulted(random, schema)
  if (schema.properties !== undefined) {
    const name = choose(random, names)
    if (change === 'require') return { ...schema, required: [...new Set([...(schema.required ?? []), name])] }
    const field = randomSchema(random, Math.max(0, depth - 1))
    const added = chance(random, 0.5) ? defaulted(random, field) : field
    return { ...schema, properties: { ...schema.properties, [name]: added } }
  }
  if (change === 'limit' && schema.type === 'string') return { ...schema, ...choose(random, textLimits) }
  if (change === 'limit') return { ...schema, ...choose(random, numberLimits) }
  return randomSchema(random, Math.max(0, depth))
}

/** A value that often fits the schema. Undefined: leave the field out. */
export function randomValue(random: Random, schema: StructuralSchema): unknown {
  if (schema.nullable === true && chance(random, 0.2)) return null
  if (schema['x-kubernetes-int-or-string'] === true)
    return chance(random, 0.5) ? choose(random, texts) : integer(random, 0, 8)
  if (schema.type === 'string') return choose(random, (schema.enum as string[] | undefined) ?? texts)
  if (schema.type === 'boolean') return chance(random, 0.5)
  if (schema.type === 'integer') return integer(random, 0, 8)
  if (schema.type === 'number') return integer(random, 0, 16) / 2
  const { items, additionalProperties, properties = {} } = schema
  if (items !== undefined && !Array.isArray(items))
    return Array.from({ length: integer(random, 0, 3) }, () => randomValue(random, items) ?? null)
  const known = Object.entries(properties).filter(
    ([name]) => schema.required?.includes(name) === true || chance(random, 0.7),
  )
  const unknown = names.filter(name => properties[name] === undefined && chance(random, 0.3))
  const other = (): unknown =>
    typeof additionalProperties === 'object' ? randomValue(random, additionalProperties) : choose(random, texts)
  const isOpen = additionalProperties !== undefined || schema['x-kubernetes-preserve-unknown-fields'] === true
  return Object.fromEntries([
    ...known.map(([name, field]) => [name, randomValue(random, field)]),
    ...(isOpen ? unknown.map(name => [name, other()]) : []),
  ])
}
