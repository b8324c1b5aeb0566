import { isObject, type Json, type JsonObject, own, sameJson } from '@wherry/cel/internal'
import { childrenOf, type FieldSet, member, node } from './field-set.ts'
import { atomic, type FieldType, fieldOf, isGranularList } from './field-type.ts'
import { itemsByElement } from './items.ts'
import { fieldElement } from './path-element.ts'
import { isPrintedZero, printedNulls } from './zero-fields.ts'

/** The differences between two states: the fields that the second state set or changed, and the fields that it removed. */
export interface Changes {
  readonly set: FieldSet | undefined
  readonly removed: FieldSet | undefined
}

const same: Changes = { set: undefined, removed: undefined }
const changed: Changes = { set: member, removed: undefined }

/**
 * The fields in which `now` differs from `before`. `undefined` stands for an absent value, unlike null. Both values are compared as the server encodes them,
 * without empty values. With `applied`, `now` is the result of an apply.
 */
export function compare(
  before: Json | undefined,
  now: Json | undefined,
  type: FieldType,
  applied: boolean = false,
): Changes {
  if (before === now) return same
  if (before === undefined) return { set: addedSet(now as Json, type, applied), removed: undefined }
  if (typeof before === 'string' && typeof now === 'string') return changed
  const was = formOf(before, type)
  const is = formOf(now, type)
  if (was !== 'parts' && is !== 'parts') return leaf(before, now)
  const change = new Change(before === undefined, now === undefined, applied)
  // A scalar in place of a map or a list is changed as a whole; the map or the list is changed field by field.
  if (was === 'leaf' || is === 'leaf') change.whole()
  if (isList(was, before) || isList(is, now)) {
    compareLists(isList(was, before) ? before : [], isList(is, now) ? now : [], type, change)
  } else
    compareMaps(was === 'parts' ? (before as JsonObject) : {}, is === 'parts' ? (now as JsonObject) : {}, type, change)
  return change.result()
}

/** The fields of a value that was absent before. */
function addedSet(now: Json, type: FieldType, applied: boolean): FieldSet | undefined {
  if (formOf(now, type) !== 'parts') return member
  if (!isObject(now)) {
    const change = new Change(true, false, applied)
    compareLists([], now as readonly Json[], type, change)
    return change.result().set
  }
  const children: Record<string, FieldSet> = childrenOf(true)
  for (const name of Object.keys(now)) {
    const given = now[name]
    if (given === undefined || isPrintedZero(type.name, name, given)) continue
    const of = fieldOf(type, name) ?? atomic
    const value = type.struct && !applied ? asEncoded(given, of, isAlways(type, name)) : given
    if (value === undefined) continue
    const set = addedSet(value, of, applied)
    if (set !== undefined) children[fieldElement(name)] = set
  }
  return node(children, true)
}

/** How a value is compared: by its parts, as a whole, or as absent or empty. */
function formOf(value: Json | undefined, type: FieldType): 'parts' | 'leaf' | 'none' {
  if (value === undefined || value === null) return 'none'
  if (type.atomic) return 'leaf'
  if (isObject(value)) {
    for (const _ in value) return 'parts'
    return 'none'
  }
  if (!Array.isArray(value) || !isGranularList(type)) return 'leaf'
  return value.length === 0 ? 'none' : 'parts'
}

function isList(form: string, value: Json | undefined): value is readonly Json[] {
  return form === 'parts' && Array.isArray(value)
}

function leaf(before: Json | undefined, now: Json | undefined): Changes {
  if (now === undefined) return { set: undefined, removed: member }
  if (before === undefined || !sameJson(before, now)) return { set: member, removed: undefined }
  return same
}

function compareMaps(before: JsonObject, now: JsonObject, type: FieldType, change: Change): void {
  for (const name of Object.keys(now)) {
    const value = now[name]
    const old = own(before, name)
    if (value === old || value === undefined) continue
    compareField(name, old, value, type, change)
  }
  for (const name of Object.keys(before)) {
    const value = before[name]
    if (value !== undefined && own(now, name) === undefined) compareField(name, value, undefined, type, change)
  }
}

function compareField(
  name: string,
  old: Json | undefined,
  value: Json | undefined,
  type: FieldType,
  change: Change,
): void {
  if (old === undefined && isPrintedZero(type.name, name, value)) return
  const of = fieldOf(type, name) ?? atomic
  const always = isAlways(type, name)
  const was = type.struct ? asEncoded(old, of, always && !change.added) : old
  const is =
    type.struct && !(change.applied && value !== undefined) ? asEncoded(value, of, always && !change.gone) : value
  if (was !== is) change.below(fieldElement(name), compare(was, is, of, change.applied))
}

function isAlways(type: FieldType, name: string): boolean {
  return type.always.has(name) || printedNulls.has(`${type.name}.${name}`)
}

/** The value of a built-in's field as the server encodes it. Empty values are left out, except in fields that every object has. */
function asEncoded(value: Json | undefined, of: FieldType, always: boolean): Json | undefined {
  if (always) return value ?? (of.kind === 'map' ? {} : null)
  return isLeftOut(value, of) ? undefined : value
}

/** Whether the server's encoding leaves a built-in's field out: if it is null (except times), or an empty list or map that is no struct. */
function isLeftOut(value: Json | undefined, of: FieldType): boolean {
  if (value === undefined || value === null) return value === undefined || of.kind !== 'scalar'
  if (Array.isArray(value)) return value.length === 0
  return of.others !== undefined && isObject(value) && Object.keys(value).length === 0
}

function compareLists(before: readonly Json[], now: readonly Json[], type: FieldType, change: Change): void {
  const items = type.items ?? atomic
  const old = itemsByElement(type, before)
  const next = itemsByElement(type, now)
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const had = old.get(element) ?? []
    const has = next.get(element) ?? []
    if (had.length <= 1 && has.length <= 1) change.below(element, compare(had[0], has[0], items, change.applied))
    else if (had.length > 1 && has.length > 1) {
      // Items that occur more than once are owned together.
      if (!sameJson(had, has)) change.below(element, { set: member, removed: undefined })
    } else if (had.length > 1) {
      if (has.length > 0) change.below(element, compare(undefined, has[0], items, change.applied))
      change.below(element, { set: undefined, removed: member })
    } else {
      if (had.length > 0) change.below(element, compare(had[0], undefined, items, change.applied))
      change.below(element, { set: member, removed: undefined })
    }
  }
}

/** Collects the changes of one value. */
class Change {
  #set: Record<string, FieldSet> | undefined
  #removed: Record<string, FieldSet> | undefined
  /** Whether the value was absent before. */
  readonly added: boolean
  /** Whether the value is absent now. */
  readonly gone: boolean
  #whole = false
  readonly applied: boolean

  constructor(added: boolean, gone: boolean, applied: boolean) {
    this.applied = applied
    this.added = added
    this.gone = gone
  }

  whole(): void {
    this.#whole = true
  }

  below(element: string, { set, removed }: Changes): void {
    if (set !== undefined) {
      this.#set ??= childrenOf(this.added || this.#whole)
      this.#set[element] = set
    }
    if (removed !== undefined) {
      this.#removed ??= childrenOf(this.gone)
      this.#removed[element] = removed
    }
  }

  result(): Changes {
    return {
      set: resultOf(this.#set, this.added || this.#whole),
      removed: resultOf(this.#removed, this.gone),
    }
  }
}

function resultOf(children: Record<string, FieldSet> | undefined, itself: boolean): FieldSet | undefined {
  if (children === undefined) return itself ? member : undefined
  return node(children, itself)
}
