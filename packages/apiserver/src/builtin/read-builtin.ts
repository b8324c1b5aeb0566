import { isObject, type Json, type JsonObject, setOwn } from '@wherry/cel/internal'
import { type FieldType, fieldOf } from '../fields/field-type.ts'
import { problemOf, problemText, type Reading } from './value-problem.ts'

/** A built-in object, read by its type. */
export interface BuiltinRead {
  /** The object with only the fields of its type. The given object itself, if it has no other fields. */
  readonly object: JsonObject
  /** The paths of the other fields, in their order in the object: `spec.zz`, `spec.list[0].zz`. */
  readonly unknown: readonly string[]
  /** The server's message for values that do not have the types of their fields; `undefined` if all values have them. */
  readonly problem: string | undefined
}

/** Removes fields that a built-in's type does not have, and finds values of other types than their fields. */
export function readBuiltin(object: JsonObject, type: FieldType, reading: Reading): BuiltinRead {
  // Nearly every object is correct and needs neither paths nor copies.
  if (fits(object, type, reading)) return { object, unknown: [], problem: undefined }
  const walk = new Walk(reading)
  const known = walk.read(object, type, '', { struct: '', path: [] }) as JsonObject
  return { object: known, unknown: walk.unknown, problem: walk.problem }
}

/** Whether a value and all values in it have their types. */
function fits(value: Json | undefined, type: FieldType, reading: Reading): boolean {
  if (value === null || value === undefined) return true
  if (problemOf(value, type, reading) !== undefined) return false
  if (Array.isArray(value)) {
    const { items } = type
    if (items === undefined) return true
    for (const item of value) if (!fits(item as Json, items, reading)) return false
    return true
  }
  if (!hasTypedFields(value, type)) return true
  for (const name of Object.keys(value)) {
    const field = fieldOf(type, name)
    if (field === undefined || !fits(value[name], field, reading)) return false
  }
  return true
}

/** The place of a value, as the decoder reports it: the struct that contains it, and the fields that lead to it. */
interface Place {
  readonly struct: string
  readonly path: readonly string[]
}

/** Reads an object with unknown fields or wrong values. */
class Walk {
  readonly unknown: string[] = []
  problem: string | undefined
  readonly #reading: Reading
  /** Whether a value stopped the decoder, which then reports no other value. */
  #stopped = false

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Returns the value without unknown fields. `path` is its path, as unknown fields report it. */
  read(value: Json, type: FieldType, path: string, at: Place): Json {
    if (value === null || this.#note(value, type, at)) return value
    const { items } = type
    if (Array.isArray(value)) {
      return items === undefined ? value : value.map((item, i) => this.read(item as Json, items, `${path}[${i}]`, at))
    }
    return hasTypedFields(value, type) ? this.#fields(value, type, path, at) : value
  }

  #fields(value: JsonObject, type: FieldType, path: string, at: Place): JsonObject {
    const kept: JsonObject = {}
    for (const name of Object.keys(value)) {
      const field = fieldOf(type, name)
      const below = path === '' ? name : `${path}.${name}`
      if (field === undefined) this.unknown.push(below)
      else setOwn(kept, name, this.read(value[name] as Json, field, below, placeIn(type, name, at)))
    }
    return kept
  }

  /** Whether the value has another type than its field. Only the first such value is reported, unless a later one stops the decoder. */
  #note(value: Json, type: FieldType, { struct, path }: Place): boolean {
    const problem = problemOf(value, type, this.#reading)
    if (problem === undefined) return false
    if (this.#stopped || (this.problem !== undefined && !problem.stops)) return true
    this.#stopped = problem.stops
    this.problem = problemText(problem, value, type, `${struct}.${path.join('.')}`, this.#reading)
    return true
  }
}

function placeIn(type: FieldType, name: string, at: Place): Place {
  if (!type.struct) return at
  const embedded = type.embedded.get(name)
  const path = [...at.path, ...(embedded === undefined ? [] : [embedded]), name]
  return { struct: type.name.split('.').at(-1) as string, path }
}

/** Whether `value` is an object with fields that the type knows. A leaf type knows no fields. */
function hasTypedFields(value: Json, type: FieldType): value is JsonObject {
  return (type.struct || type.others !== undefined) && isObject(value)
}
