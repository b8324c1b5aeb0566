import { propertyOf, type StructuralSchema, same } from '../schema/json-schema.ts'
import type { Note, SchemaChange } from './change.ts'
import { combinationChanges } from './combinations.ts'
import { allowsAll, itemsOf, keepsUnknown, kindsOf, kindText, schemaOfOthers } from './kinds.ts'
import { limitChanges } from './limits.ts'
import { mergeChanges, ruleChanges } from './rules.ts'

/** The surroundings of a field in the new schema. */
interface Around {
  readonly path: string
  /** Whether the field is required. */
  readonly isRequired: boolean
  /** Whether an added field may break the schema around it, which has a combination, a bound on the number of fields, or unique items. */
  readonly countsFields: boolean
  /** Whether a rule may read the field. */
  readonly hasRules: boolean
}

/**
 * The changes of the schema of an object. If all changes are safe, each object that was valid is still valid and loses no field. A change that can't be
 * decided here, such as that of a pattern, is not safe.
 *
 * Descriptions are not compared. An unchanged rule is assumed to be still fulfilled.
 */
export function schemaChanges(old: StructuralSchema, next: StructuralSchema): readonly SchemaChange[] {
  const changes: SchemaChange[] = []
  const comparison = new Comparison((path, change, verdict, advice = '') =>
    changes.push({ path, change, verdict, advice }),
  )
  comparison.compare(withCommon(old), withCommon(next), {
    path: '',
    isRequired: true,
    countsFields: false,
    hasRules: false,
  })
  return changes
}

/** Adds the fields that every object has, if the schema does not name them. */
function withCommon(schema: StructuralSchema): StructuralSchema {
  const text = { type: 'string' }
  const { metadata } = schema.properties ?? {}
  const named = { ...metadata, type: 'object', properties: { name: text, generateName: text, ...metadata?.properties } }
  return { ...schema, properties: { apiVersion: text, kind: text, ...schema.properties, metadata: named } }
}

class Comparison {
  readonly #note: Note

  constructor(note: Note) {
    this.#note = note
  }

  compare(old: StructuralSchema, next: StructuralSchema, around: Around): void {
    const { path } = around
    const [was, is] = [kindsOf(old), kindsOf(next)]
    if (kindText(old) !== kindText(next)) {
      const isWider = is === undefined || (was !== undefined && [...was].every(kind => is.has(kind)))
      const change = `type is ${kindText(next)}, was ${kindText(old)}`
      this.#note(path, change, isWider ? 'safe' : 'breaks stored objects', isWider ? '' : newField)
      if (!isWider) return
    }
    if (old.nullable === true && next.nullable !== true)
      this.#note(
        path,
        'null is no longer allowed',
        'breaks stored objects',
        'Keep nullable, or change the objects that have null first.',
      )
    else if (old.nullable !== true && next.nullable === true) this.#note(path, 'null is allowed', 'safe')
    this.#defaults(old, next, around)
    limitChanges(old, next, path, kind => was?.has(kind === 'number' ? 'integer' : kind) ?? true, this.#note)
    combinationChanges(old, next, path, this.#note)
    ruleChanges(old, next, path, this.#note)
    mergeChanges(old, next, path, this.#note)
    const isEmbedded = next['x-kubernetes-embedded-resource'] === true
    if ((old['x-kubernetes-embedded-resource'] === true) !== isEmbedded) {
      const change = `x-kubernetes-embedded-resource ${isEmbedded ? 'added' : 'removed'}`
      this.#note(path, change, 'breaks stored objects', newField)
    }
    const below = (name: string, isRequired = false): Around => ({
      path: name.startsWith('[') || name.startsWith('{') || path === '' ? `${path}${name}` : `${path}.${name}`,
      isRequired,
      countsFields: around.countsFields || countsFields(next),
      hasRules: around.hasRules || (next['x-kubernetes-validations'] ?? []).length > 0,
    })
    this.#required(old, next, below)
    this.#fields(old, next, below)
    this.#items(old, next, below)
  }

  #defaults(old: StructuralSchema, next: StructuralSchema, around: Around): void {
    const [was, is] = [old.default, next.default]
    if (same(was, is)) return
    const { path, isRequired, countsFields, hasRules } = around
    if (is === undefined) {
      const advice = 'Keep the default: objects may lack the field, and clients may leave it out.'
      this.#note(path, 'default removed', isRequired ? 'breaks stored objects' : 'breaks clients', advice)
      return
    }
    const change =
      was === undefined
        ? `default ${JSON.stringify(is)} added`
        : `default is ${JSON.stringify(is)}, was ${JSON.stringify(was)}`
    const isSafe =
      !countsFields && !hasRules && (next['x-kubernetes-validations'] ?? []).length === 0 && !spoilsItsDefault(next)
    this.#note(path, change, isSafe ? 'safe' : 'breaks stored objects', isSafe ? '' : unlessDefaultFits)
  }

  #required(old: StructuralSchema, next: StructuralSchema, below: (name: string) => Around): void {
    const was = new Set(old.required)
    const is = new Set(next.required)
    for (const name of is) {
      if (was.has(name) || isNewField(name, old, next)) continue
      // The server fills in the default before it checks required fields.
      const isFilled = propertyOf(next, name)?.default !== undefined
      const advice = isFilled ? '' : filled
      this.#note(below(name).path, 'required', isFilled ? 'safe' : 'breaks stored objects', advice)
    }
    for (const name of was) if (!is.has(name)) this.#note(below(name).path, 'no longer required', 'safe')
  }

  #fields(old: StructuralSchema, next: StructuralSchema, below: (name: string, isRequired?: boolean) => Around): void {
    const [was, is] = [new Map(Object.entries(old.properties ?? {})), new Map(Object.entries(next.properties ?? {}))]
    const [wasOthers, isOthers] = [schemaOfOthers(old), schemaOfOthers(next)]
    const required = new Set(next.required)
    for (const [name, field] of was) {
      const around = below(name, required.has(name))
      const now = is.get(name) ?? isOthers
      if (now === true) this.#note(around.path, 'field is no longer described, and kept', 'safe')
      else if (now !== undefined) this.compare(field, now, around)
      else this.#note(around.path, 'field removed', 'breaks stored objects', pruned)
    }
    for (const [name, field] of is) {
      if (was.has(name)) continue
      const around = below(name, required.has(name))
      if (typeof wasOthers === 'object') this.compare(wasOthers, field, around)
      else if (wasOthers === undefined) this.#added(field, around)
      else if (!allowsAll(field))
        this.#note(around.path, 'field described, in which there could be anything', 'breaks stored objects', anything)
    }
    this.#others(old, wasOthers, isOthers, below)
    if (typeof wasOthers !== 'object' || isOthers !== undefined || keepsUnknown(old)) return
    this.#note(below('{}').path, 'values of the map are no longer described', 'breaks stored objects', pruned)
  }

  #added(field: StructuralSchema, { path, isRequired, countsFields }: Around): void {
    if (field.default === undefined) {
      const advice = isRequired ? filled : ''
      this.#note(
        path,
        isRequired ? 'required field added' : 'field added',
        isRequired ? 'breaks stored objects' : 'safe',
        advice,
      )
    } else {
      // An unchanged rule can't read a field that did not exist before.
      const isSafe = !countsFields && !spoilsItsDefault(field)
      const verdict = isSafe ? 'safe' : 'breaks stored objects'
      this.#note(path, 'field with a default added', verdict, isSafe ? '' : unlessDefaultFits)
    }
  }

  /** Records the changes for fields that neither schema names. */
  #others(
    old: StructuralSchema,
    was: StructuralSchema | true | undefined,
    is: StructuralSchema | true | undefined,
    below: (name: string) => Around,
  ): void {
    const around = below('{}')
    if (was !== undefined && typeof was === 'object' && typeof is === 'object') this.compare(was, is, around)
    else if (was === true && is === undefined)
      this.#note(around.path, 'unknown fields are no longer kept', 'breaks stored objects', pruned)
    else if (was === true && typeof is === 'object' && !allowsAll(is))
      this.#note(around.path, 'unknown fields have a schema', 'breaks stored objects', anything)
    else if (typeof was === 'object' && is === undefined && keepsUnknown(old))
      this.#note(around.path, 'unknown fields are no longer kept', 'breaks stored objects', pruned)
    else if (was === undefined && is !== undefined) this.#note(around.path, 'any other field is allowed', 'safe')
  }

  #items(old: StructuralSchema, next: StructuralSchema, below: (name: string) => Around): void {
    const around = below('[]')
    const [was, is] = [itemsOf(old), itemsOf(next)]
    if (was !== undefined && is !== undefined) this.compare(was, is, around)
    else if (was !== undefined && !keepsUnknown(next))
      this.#note(around.path, 'items are no longer described', 'breaks stored objects', pruned)
    else if (is !== undefined && kindsOf(old)?.has('array') !== false && !allowsAll(is))
      this.#note(around.path, 'items are described, which could be anything', 'breaks stored objects', anything)
  }
}

/** Whether a field that the server fills in may make a value invalid, or equal to another that must differ. */
function countsFields(schema: StructuralSchema): boolean {
  const { allOf, anyOf, oneOf, not, maxProperties, 'x-kubernetes-list-type': list } = schema
  const parts = [allOf, anyOf, oneOf, not, maxProperties, schema.enum]
  // The server does not check that defaults in the values of a map fit their schemas.
  if (typeof schema.additionalProperties === 'object') return true
  return parts.some(part => part !== undefined) || list === 'set' || list === 'map'
}

/** Whether the server may fill further defaults into the default of a schema so that it no longer fits. The server accepts such a definition. */
function spoilsItsDefault(schema: StructuralSchema): boolean {
  const all = [...partsOf(schema)]
  const isLimited = all.some(one => countsFields(one) || (one['x-kubernetes-validations'] ?? []).length > 0)
  return isLimited && all.slice(1).some(one => one.default !== undefined)
}

/** A schema and all schemas in it. */
function* partsOf(schema: StructuralSchema): Generator<StructuralSchema> {
  yield schema
  const others = schemaOfOthers(schema)
  const below = [...Object.values(schema.properties ?? {}), itemsOf(schema), others === true ? undefined : others]
  for (const one of below) if (one !== undefined) yield* partsOf(one)
}

/** Whether no object can have the field yet. */
function isNewField(name: string, old: StructuralSchema, next: StructuralSchema): boolean {
  return (
    propertyOf(old, name) === undefined && schemaOfOthers(old) === undefined && propertyOf(next, name) !== undefined
  )
}

const filled = 'Give it a default, or make it optional.'
const newField = 'Add a field with another name instead, and copy the value.'
const pruned = 'The server drops it from objects: keep it, or copy the values to another field first.'
const anything = 'Check that all objects fit first.'
const unlessDefaultFits = 'Check that objects with the default fit the limits and rules around it.'
