import type { Messages } from './compile.ts'
import { declare } from './declarations.ts'
import { functions } from './environment.ts'
import { addAll } from './json/add-all.ts'
import type { Json, JsonObject } from './json/json.ts'
import { dyn, openStruct, string, struct, type Type } from './types.ts'
import { List, Mapping, Message, typeName, Uint, type Value } from './values.ts'

const jsonPatch = struct(
  'JSONPatch',
  new Map<string, Type>([
    ...(['op', 'path', 'from'] as const).map((name): [string, Type] => [name, string]),
    ['value', dyn],
  ]),
)

/** The messages that expressions of mutations may make: objects of any fields (`Object.spec{…}`) and operations of a JSON patch. */
export const mutationMessages: Messages = {
  message(name) {
    if (name === 'JSONPatch') return jsonPatch
    return name === 'Object' || name.startsWith('Object.') ? openStruct(name) : undefined
  },
  functions: new Map([
    ...functions,
    ...declare([
      ['jsonpatch.escapeKey(string): string', (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')],
    ]),
  ]),
}

/** Thrown if a value can't be part of an object. */
export class MutationError extends Error {}

/** The result of an expression, as JSON. Throws a `MutationError`. */
export function jsonOf(value: Value): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new MutationError(`the number ${value} can't be part of an object`)
  }
  if (typeof value === 'bigint' || value instanceof Uint) {
    const digits = String(typeof value === 'bigint' ? value : value.value)
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : (JSON as unknown as RawJson).rawJSON(digits)
  }
  if (value instanceof Message) return Object.fromEntries([...value.fields].map(([name, one]) => [name, jsonOf(one)]))
  if (value instanceof List) return Array.from({ length: value.size }, (_, i) => jsonOf(value.at(i)))
  if (value instanceof Mapping) {
    return Object.fromEntries(value.keys().map(key => [textOf(key), jsonOf(value.get(key) as Value)])) as JsonObject
  }
  throw new MutationError(`a value of type ${typeName(value)} can't be part of an object`)
}

interface RawJson {
  rawJSON(text: string): Json
}

function textOf(key: Value): string {
  if (typeof key === 'string') return key
  throw new MutationError(`map key "${String(key)}" is not a string`)
}

/** The problems of messages' type names: each type is named after the fields that lead to it. */
export function nameProblems(value: Value, path: string): string[] {
  const problems: string[] = []
  if (value instanceof Message) {
    if (value.type !== path) {
      const why = `unexpected type name "${value.type}", expected "${path}", which matches field name path from root Object type`
      problems.push(why)
    }
    for (const [name, field] of value.fields) addAll(problems, nameProblems(field, `${path}.${name}`))
  }
  if (value instanceof List) {
    for (let i = 0; i < value.size; i++) addAll(problems, nameProblems(value.at(i), path))
  }
  if (value instanceof Mapping) {
    for (const key of value.keys()) addAll(problems, nameProblems(value.get(key) as Value, path))
  }
  return problems
}

/** The operations of a JSON patch in the result of an expression. Throws a `MutationError`. */
export function operationsOf(value: Value): Json {
  const list = value as List
  return Array.from({ length: list.size }, (_, i) => {
    const message = list.at(i) as Message
    const given = message.fields.get('value')
    if (given instanceof Message) {
      const problems = nameProblems(given, given.type)
      if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`)
    }
    return { op: '', path: '', ...(jsonOf(message) as JsonObject) }
  })
}
