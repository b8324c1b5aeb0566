import {
  addAll,
  children,
  flag,
  goPatternProblem,
  goQuote,
  goValue,
  isObject,
  type Json,
  type JsonObject,
  list,
  own,
  readSchema,
  type Schema,
  sameJson,
  schemas,
  stringAt,
  subschemas,
} from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { validateEmbedded } from './embedded.ts'
import { prune } from './prune.ts'
import { checkRules } from './rule-checks.ts'
import { cel } from './rules.ts'
import { validate } from './validate.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

/** The fields that an alternative may not have, with the server's words for the allowed value. */
const onlyStructural: readonly (readonly [key: string, must: string])[] = [
  ['type', 'be empty'],
  ['default', 'be undefined'],
  ['title', 'be empty'],
  ['description', 'be empty'],
  ['nullable', 'be false'],
  ['additionalProperties', 'be undefined'],
  ['x-kubernetes-preserve-unknown-fields', 'be false'],
  ['x-kubernetes-embedded-resource', 'be false'],
  ['x-kubernetes-int-or-string', 'be false'],
  ['x-kubernetes-list-map-keys', 'be empty'],
  ['x-kubernetes-list-type', 'be undefined'],
  ['x-kubernetes-map-type', 'be undefined'],
  ['x-kubernetes-validations', 'be empty'],
]
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']

/**
 * The server's objections to a schema of a CustomResourceDefinition, at `path`: it is not structural, its defaults do not match it, or it uses unsupported
 * features.
 */
export function checkStructural(schema: JsonObject, path: string, status: boolean = false): StatusCause[] {
  const check = new Check()
  if (flag(schema, 'nullable')) check.forbidden(`${path}.nullable`, 'nullable cannot be true at the root')
  if (status && (stringAt(schema, 'type') ?? 'object') !== 'object') {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    check.invalid(`${path}.type`, own(schema, 'type') as Json, why)
  }
  const strange = status ? Object.keys(schema).find(key => !allowedAtRoot.includes(key)) : undefined
  if (strange !== undefined) {
    const allowed = allowedAtRoot.map(internalName).join(' ')
    const why = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`
    check.invalid(path, schema, why)
  }
  const structural = new Check()
  if (isReadable(schema)) {
    invariants(structural, schema, 'root', path)
    combined(structural, schema, schema, path, path)
  }
  structural.causes.sort((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1))
  addAll(check.causes, structural.causes)
  if (structural.causes.length === 0 && isReadable(schema)) defaults(check, schema, path, true, false)
  supported(check, schema, path, 'root')
  if (isReadable(schema)) {
    const read = readSchema(schema)
    addAll(check.causes, checkRules(schema, read, path, check.causes.length === 0))
    if (check.causes.length === 0 && read.hasRules) ruledDefaults(check, schema, read, path)
  }
  return check.causes
}

/** Checks the defaults by the rules of their schemas. */
function ruledDefaults(check: Check, raw: JsonObject, schema: Schema, path: string): void {
  const value = own(raw, 'default') ?? undefined
  if (value !== undefined) {
    addAll(check.causes, cel().ruleProblems(schema, value, undefined, `${path}.default`, schema.embedded))
  }
  const items = own(raw, 'items')
  if (isObject(items) && schema.items?.hasRules === true) ruledDefaults(check, items, schema.items, `${path}.items`)
  for (const [name, child] of children(raw, 'properties')) {
    const property = schema.properties.get(name)
    if (property?.hasRules === true) ruledDefaults(check, child, property, `${path}.properties[${name}]`)
  }
}

/** The fields that the root of a schema may have if the status is a subresource, in the server's order. */
const allowedAtRoot = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]

/** The name of a schema's field in the server's own type, such as XPreserveUnknownFields. */
function internalName(key: string): string {
  return key
    .replace('x-kubernetes', 'x')
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Whether the server can read a schema as a structural schema. */
function isReadable(schema: JsonObject): boolean {
  if (Array.isArray(own(schema, 'items')) || own(schema, 'x-kubernetes-preserve-unknown-fields') === false) return false
  if (unsupported.some(key => (own(schema, key) ?? '') !== '')) return false
  return subschemas(schema).every(([, child]) => isReadable(child))
}

/** Collects causes. */
class Check {
  readonly causes: StatusCause[] = []

  required(field: string, why: string): void {
    this.causes.push({ reason: 'FieldValueRequired', message: `Required value: ${why}`, field })
  }

  forbidden(field: string, why: string): void {
    this.causes.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field })
  }

  invalid(field: string, value: Json, why: string): void {
    this.causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${goValue(value)}: ${why}`, field })
  }

  unsupported(field: string, value: string, values: readonly string[]): void {
    const message = `Unsupported value: ${goQuote(value)}: supported values: ${values.map(goQuote).join(', ')}`
    this.causes.push({ reason: 'FieldValueNotSupported', message, field })
  }

  /** Refuses a wrong `type`. The causes of an absent type and of another type differ. */
  type(field: string, found: string | undefined, why: string): void {
    if (found === undefined || found === '') this.required(field, why)
    else this.invalid(field, found, why)
  }
}

type Level = 'root' | 'item' | 'field'

/** Checks the rules for every node of a structural schema. */
function invariants(check: Check, schema: JsonObject, level: Level, path: string): void {
  const type = stringAt(schema, 'type') ?? ''
  const items = own(schema, 'items')
  const additional = own(schema, 'additionalProperties')
  const intOrString = flag(schema, 'x-kubernetes-int-or-string')
  const preserve = flag(schema, 'x-kubernetes-preserve-unknown-fields')
  const embedded = flag(schema, 'x-kubernetes-embedded-resource')
  if (type === 'array' && !isObject(items)) check.required(`${path}.items`, 'must be specified')
  if (isObject(items)) invariants(check, items, 'item', `${path}.items`)
  const properties = children(schema, 'properties')
  for (const [name, child] of properties) invariants(check, child, 'field', `${path}.properties[${name}]`)
  if (additional !== undefined && additional !== null) {
    if (level === 'root') check.forbidden(`${path}.additionalProperties`, 'must not be used at the root')
    if (isObject(additional)) invariants(check, additional, 'field', `${path}.additionalProperties`)
  }
  const unless = 'must be false if x-kubernetes-int-or-string is true'
  if (intOrString && preserve) check.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, unless)
  if (intOrString && embedded) check.invalid(`${path}.x-kubernetes-embedded-resource`, true, unless)
  valueRules(check, schema, path, isIntOrString(schema), isIntOrString(schemas(schema, 'allOf')[0] ?? {}))
  if (embedded && type !== 'object') {
    check.type(`${path}.type`, type, 'must be object if x-kubernetes-embedded-resource is true')
  } else if (type === '' && !intOrString && !preserve) {
    const where = { root: 'at the root', item: 'for specified array items', field: 'for specified object fields' }
    check.required(`${path}.type`, `must not be empty ${where[level]}`)
  }
  if (embedded && additional !== undefined) {
    check.forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')
  }
  if (level === 'root' && type !== '' && type !== 'object')
    check.invalid(`${path}.type`, type, 'must be object at the root')
  if (level === 'root' || embedded) metaTypes(check, properties, level, path)
  if (embedded && !preserve && properties.length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    check.required(`${path}.properties`, why)
  }
}

function metaTypes(check: Check, properties: readonly [string, JsonObject][], level: Level, path: string): void {
  for (const [name, child] of properties) {
    if (!metaFields.has(name)) continue
    const expected = name === 'metadata' ? 'object' : 'string'
    const type = stringAt(child, 'type') ?? ''
    const at = `${path}.properties[${name}]`
    if (type !== expected) check.invalid(`${at}.type`, type, `must be ${expected}`)
    if (name !== 'metadata' || level !== 'root') continue
    const named = children(child, 'properties').every(([field]) => field === 'name' || field === 'generateName')
    const more = Object.keys(child).some(key => !['type', 'properties', 'default'].includes(key))
    if (!named || more) {
      const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
      check.forbidden(at, why)
    }
  }
}

/** Whether the alternatives are those of an int-or-string, which are the only alternatives that may have a type. */
function isIntOrString(schema: JsonObject): boolean {
  return sameJson(list(schema, 'anyOf') as Json, [{ type: 'integer' }, { type: 'string' }])
}

function valueRules(check: Check, schema: JsonObject, path: string, skipAnyOf: boolean, skipFirst: boolean): void {
  for (const key of skipAnyOf ? ['allOf', 'oneOf'] : ['anyOf', 'allOf', 'oneOf']) {
    for (const [i, one] of schemas(schema, key).entries()) {
      alternative(check, one, `${path}.${key}[${i}]`, skipFirst && key === 'allOf' && i === 0)
    }
  }
  const not = own(schema, 'not')
  if (isObject(not)) alternative(check, not, `${path}.not`, false)
  const pattern = stringAt(schema, 'pattern') ?? ''
  const problem = goPatternProblem(pattern)
  if (problem !== undefined) {
    check.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)
  }
}

/** Checks a schema inside anyOf, allOf, oneOf or not: it may only restrict values. */
function alternative(check: Check, schema: JsonObject, path: string, skipAnyOf: boolean): void {
  valueRules(check, schema, path, skipAnyOf, false)
  const items = own(schema, 'items')
  if (isObject(items)) alternative(check, items, `${path}.items`, false)
  const properties = children(schema, 'properties')
  for (const [name, child] of properties) alternative(check, child, `${path}.properties[${name}]`, false)
  for (const [key, must] of onlyStructural) {
    const value = own(schema, key)
    const empty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
    // `additionalProperties: false` is accepted here.
    if (!empty && value !== false) check.forbidden(`${path}.${key}`, `must ${must} to be structural`)
  }
  if (properties.some(([name]) => name === 'metadata')) {
    check.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')
  }
}

/** Checks that all fields of the alternatives are in the structural part, too. `at` is the path in the structural part, `from` the path in the alternatives. */
function combined(check: Check, schema: JsonObject, structural: JsonObject, at: string, from: string): void {
  const each: [string, JsonObject][] = []
  const not = own(schema, 'not')
  if (isObject(not)) each.push(['not', not])
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    for (const [i, one] of schemas(schema, key).entries()) each.push([`${key}[${i}]`, one])
  }
  for (const [key, one] of each) complete(check, one, structural, at, `${from}.${key}`)
}

function complete(check: Check, schema: JsonObject, structural: JsonObject, at: string, from: string): void {
  combined(check, schema, structural, at, from)
  const items = own(schema, 'items')
  if (isObject(items)) {
    const there = own(structural, 'items')
    if (isObject(there)) complete(check, items, there, `${at}.items`, `${from}.items`)
    else check.required(`${at}.items`, `because it is defined in ${from}.items`)
  }
  const known = new Map(children(structural, 'properties'))
  for (const [name, child] of children(schema, 'properties')) {
    const there = known.get(name)
    const key = `properties[${name}]`
    if (there !== undefined) complete(check, child, there, `${at}.${key}`, `${from}.${key}`)
    else check.required(`${at}.${key}`, `because it is defined in ${from}.${key}`)
  }
}

/** Checks that defaults match their schemas, and contain no unknown fields. */
function defaults(check: Check, schema: JsonObject, path: string, root: boolean, insideMeta: boolean): void {
  const value = own(schema, 'default') ?? undefined
  if (value !== undefined && !insideMeta) {
    const read = readSchema(asForDefaults(schema) as JsonObject)
    const at = `${path}.default`
    if (isObject(value) && prune(read, value).unknown.length > 0) {
      check.invalid(at, value, 'must not have unknown fields')
    }
    const embedded = validateEmbedded(read, value, at)
    addAll(check.causes, embedded.length > 0 ? embedded : validate(read, value, undefined, at))
  }
  const items = own(schema, 'items')
  if (isObject(items)) defaults(check, items, `${path}.items`, false, insideMeta)
  const resource = root || flag(schema, 'x-kubernetes-embedded-resource')
  for (const [name, child] of children(schema, 'properties')) {
    defaults(check, child, `${path}.properties[${name}]`, false, insideMeta || (resource && metaFields.has(name)))
  }
}

/** A schema as a real server checks defaults with it: an int-or-string accepts any value, unless alternatives name the types. */
function asForDefaults(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(item => asForDefaults(item as Json))
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([name, value]) => name !== 'x-kubernetes-int-or-string' || value !== true)
  return Object.fromEntries(kept.map(([name, value]) => [name, value === undefined ? null : asForDefaults(value)]))
}

/** Checks for unsupported parts of OpenAPI, and for the descriptions of lists and maps. */
function supported(check: Check, schema: JsonObject, path: string, where: 'root' | 'root metadata' | 'below'): void {
  const type = stringAt(schema, 'type') ?? ''
  if (type !== '' && !types.includes(type)) check.unsupported(`${path}.type`, type, types)
  if (where === 'root metadata' && own(schema, 'default') !== undefined) {
    const name = /\[(\w+)\]$/.exec(path)?.[1] ?? 'metadata'
    check.forbidden(`${path}.default`, `must not be set in top-level ${name}`)
  }
  for (const key of unsupported) {
    const value = own(schema, key)
    if (value !== undefined && value !== null && value !== '')
      check.forbidden(`${path}.${key}`, `${key} is not supported`)
  }
  if (type === 'null') check.forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative')
  if (Array.isArray(own(schema, 'items'))) {
    check.forbidden(`${path}.items`, 'items must be a schema object and not an array')
  }
  if (flag(schema, 'uniqueItems')) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    check.forbidden(`${path}.uniqueItems`, why)
  }
  const additional = own(schema, 'additionalProperties')
  if (additional !== undefined && additional !== true && children(schema, 'properties').length > 0) {
    check.forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')
  }
  for (const [key, child] of subschemas(schema)) {
    const meta = where === 'root' && /^properties\[(apiVersion|kind|metadata)\]$/.test(key)
    supported(check, child, `${path}.${key}`, meta ? 'root metadata' : 'below')
  }
  if (own(schema, 'x-kubernetes-preserve-unknown-fields') === false) {
    check.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')
  }
  listsAndMaps(check, schema, type, path)
}

function listsAndMaps(check: Check, schema: JsonObject, type: string, path: string): void {
  const mapType = stringAt(schema, 'x-kubernetes-map-type')
  const listType = stringAt(schema, 'x-kubernetes-list-type')
  const keys = list(schema, 'x-kubernetes-list-map-keys')
  const raw = own(schema, 'items')
  const items = isObject(raw) ? raw : undefined
  const itemType = items === undefined ? undefined : (stringAt(items, 'type') ?? '')
  if (mapType !== undefined && type !== 'object') {
    check.type(`${path}.type`, type, 'must be object if x-kubernetes-map-type is specified')
  }
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    check.unsupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])
  }
  if (listType !== undefined && type !== 'array') {
    check.type(`${path}.type`, type, 'must be array if x-kubernetes-list-type is specified')
  } else if (listType === 'set' && items !== undefined) {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    const itemList = stringAt(items, 'x-kubernetes-list-type')
    if (itemType === 'array' && itemList !== undefined && itemList !== 'atomic') {
      check.invalid(`${path}.items.x-kubernetes-list-type`, itemList, why)
    }
    if (itemType === 'object' && stringAt(items, 'x-kubernetes-map-type') !== 'atomic') {
      check.invalid(`${path}.items.x-kubernetes-map-type`, itemList ?? null, why)
    }
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    check.unsupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map'])
  }
  if (keys.length > 0 && listType !== 'map') {
    check.type(`${path}.x-kubernetes-list-type`, listType, 'must be map if x-kubernetes-list-map-keys is non-empty')
  }
  if ((listType === 'map' || listType === 'set') && items !== undefined && flag(items, 'nullable')) {
    check.forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)
  }
  if (listType === 'map') mapList(check, items, itemType, keys, path)
}

function mapList(
  check: Check,
  items: JsonObject | undefined,
  itemType: string | undefined,
  keys: readonly Json[],
  path: string,
): void {
  const at = `${path}.x-kubernetes-list-map-keys`
  if (keys.length === 0) check.required(at, 'must not be empty if x-kubernetes-list-type is map')
  if (items === undefined) return check.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')
  if (itemType !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    return check.invalid(`${path}.items.type`, itemType ?? '', why)
  }
  const properties = new Map(children(items, 'properties'))
  const required = list(items, 'required')
  const seen = new Set<Json>()
  for (const key of keys) {
    const property = properties.get(String(key))
    const type = property === undefined ? undefined : stringAt(property, 'type')
    if (property === undefined) check.invalid(at, [...keys], 'entries must all be names of item properties')
    else if (type === 'array' || type === 'object') {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      check.invalid(`${path}.items.properties[${String(key)}].type`, itemType, why)
    }
    if (seen.has(key)) check.invalid(at, [...keys], `must not contain duplicate entries`)
    seen.add(key)
    if (property === undefined) continue
    const so = 'this property is in x-kubernetes-list-map-keys, so it'
    const field = `${path}.items.properties[${String(key)}]`
    if (!required.includes(key) && own(property, 'default') === undefined) {
      check.required(`${field}.default`, `${so} must have a default or be a required property`)
    }
    if (flag(property, 'nullable')) check.forbidden(`${field}.nullable`, `${so} cannot be nullable`)
  }
}
