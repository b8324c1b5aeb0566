import { isObject, type Json, type JsonObject, own, setOwn, stringAt } from '../json/json.ts'
import { knownFormats, unservedFormats } from './formats.ts'
import { goPattern, type Pattern } from './pattern.ts'
import { rulesOf, type ValidationRule } from './validation-rule.ts'

/** A node of a structural schema, with the fields that pruning, defaulting and validation need. */
export interface Schema {
  /** The types that a value may have; empty for any type. `x-kubernetes-int-or-string` has two. */
  readonly types: readonly string[]
  readonly nullable: boolean
  /** A format that is checked for this type; `''` if there is none, or if the server ignores it. */
  readonly format: string
  readonly default: Json | undefined
  readonly enum: readonly Json[]
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly multipleOf: number | undefined
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: { readonly source: string; readonly regExp: Pattern } | undefined
  readonly maxItems: number | undefined
  readonly minItems: number | undefined
  readonly maxProperties: number | undefined
  readonly minProperties: number | undefined
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, Schema>
  /** The schema of all other fields; `true` if they may have any value; `false` if there may be none; `undefined` if they are pruned. */
  readonly additional: Schema | boolean | undefined
  readonly items: Schema | undefined
  readonly allOf: readonly Schema[]
  readonly anyOf: readonly Schema[]
  readonly oneOf: readonly Schema[]
  readonly not: Schema | undefined
  /** The flag `x-kubernetes-preserve-unknown-fields`. */
  readonly preserve: boolean
  /** The flag `x-kubernetes-embedded-resource`. */
  readonly embedded: boolean
  /** The value of `x-kubernetes-list-type`. */
  readonly listType: string | undefined
  readonly listKeys: readonly string[]
  /** The value of `x-kubernetes-map-type`. */
  readonly mapType: string | undefined
  /** The rules in `x-kubernetes-validations` of this node. */
  readonly rules: readonly ValidationRule[]
  /** Whether this node or a node below it has rules. */
  readonly hasRules: boolean
}

/** Reads a node and the nodes below it. */
export function readSchema(raw: JsonObject): Schema {
  const type = stringAt(raw, 'type') ?? ''
  const types = flag(raw, 'x-kubernetes-int-or-string') ? ['integer', 'string'] : type === '' ? [] : [type]
  const additional = own(raw, 'additionalProperties')
  const items = own(raw, 'items')
  const not = own(raw, 'not')
  const pattern = stringAt(raw, 'pattern') ?? ''
  const regExp = pattern === '' ? undefined : goPattern(pattern)
  const rules = rulesOf(raw)
  const properties = new Map(children(raw, 'properties').map(([name, child]) => [name, readSchema(child)]))
  const additionalSchema = isObject(additional) ? readSchema(additional) : undefined
  const itemsSchema = isObject(items) ? readSchema(items) : undefined
  const below = [...properties.values(), additionalSchema, itemsSchema]
  return {
    types,
    nullable: flag(raw, 'nullable'),
    format: formatOf(types, stringAt(raw, 'format') ?? ''),
    default: own(raw, 'default') ?? undefined,
    enum: list(raw, 'enum'),
    maximum: number(raw, 'maximum'),
    exclusiveMaximum: flag(raw, 'exclusiveMaximum'),
    minimum: number(raw, 'minimum'),
    exclusiveMinimum: flag(raw, 'exclusiveMinimum'),
    multipleOf: number(raw, 'multipleOf'),
    maxLength: number(raw, 'maxLength'),
    minLength: number(raw, 'minLength'),
    pattern: regExp === undefined ? undefined : { source: pattern, regExp },
    maxItems: number(raw, 'maxItems'),
    minItems: number(raw, 'minItems'),
    maxProperties: number(raw, 'maxProperties'),
    minProperties: number(raw, 'minProperties'),
    required: list(raw, 'required').filter(name => typeof name === 'string'),
    properties,
    additional: typeof additional === 'boolean' ? additional : additionalSchema,
    items: itemsSchema,
    allOf: schemas(raw, 'allOf').map(readSchema),
    anyOf: schemas(raw, 'anyOf').map(readSchema),
    oneOf: schemas(raw, 'oneOf').map(readSchema),
    not: isObject(not) ? readSchema(not) : undefined,
    preserve: flag(raw, 'x-kubernetes-preserve-unknown-fields'),
    embedded: flag(raw, 'x-kubernetes-embedded-resource'),
    listType: stringAt(raw, 'x-kubernetes-list-type'),
    listKeys: list(raw, 'x-kubernetes-list-map-keys').filter(name => typeof name === 'string'),
    mapType: stringAt(raw, 'x-kubernetes-map-type'),
    rules,
    hasRules: rules.length > 0 || below.some(child => child?.hasRules === true),
  }
}

/** A feature of `raw`, or of a schema below it, that is not checked here; `undefined` if there is none. */
export function unservedIn(raw: JsonObject): string | undefined {
  const format = stringAt(raw, 'format') ?? ''
  if (unservedFormats.has(format)) return `the format ${format}`
  for (const [, child] of subschemas(raw)) {
    const below = unservedIn(child)
    if (below !== undefined) return below
  }
  return undefined
}

/** The direct child schemas of a raw schema, each with its path in the server's notation. */
export function subschemas(raw: JsonObject): [path: string, schema: JsonObject][] {
  const below: [string, JsonObject][] = []
  for (const key of ['items', 'additionalProperties', 'not']) {
    const child = own(raw, key)
    if (isObject(child)) below.push([key, child])
  }
  for (const [name, child] of children(raw, 'properties')) below.push([`properties[${name}]`, child])
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    for (const [i, child] of schemas(raw, key).entries()) below.push([`${key}[${i}]`, child])
  }
  return below
}

/** The schemas in the object at `key`, by name. */
export function children(raw: JsonObject, key: string): [string, JsonObject][] {
  const named = own(raw, key)
  if (!isObject(named)) return []
  return Object.keys(named)
    .sort()
    .map((name): [string, JsonObject] => [name, named[name] as JsonObject])
    .filter(([, child]) => isObject(child))
}

/** The schemas in the list at `key`. */
export function schemas(raw: JsonObject, key: string): JsonObject[] {
  return list(raw, key).filter(isObject)
}

/** The list at `key`; empty if there is none. */
export function list(raw: JsonObject, key: string): readonly Json[] {
  const value = own(raw, key)
  return Array.isArray(value) ? (value as Json[]) : []
}

/** Whether the flag at `key` is set. */
export function flag(raw: JsonObject, key: string): boolean {
  return own(raw, key) === true
}

/** A deep copy, because defaults are put into objects that are changed afterwards. */
export function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => copyOf(item as Json))
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, copyOf(value[key] as Json))
  return copy
}

function number(raw: JsonObject, key: string): number | undefined {
  const value = own(raw, key)
  return value === undefined || value === null ? undefined : Number(JSON.stringify(value))
}

function formatOf(types: readonly string[], format: string): string {
  const type = types.length === 1 ? types[0] : ''
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : ''
  if (type === 'number') return format === 'float' || format === 'double' ? format : ''
  if (type !== '' && type !== 'string') return ''
  return knownFormats.has(format.replaceAll('-', '')) ? format : ''
}
