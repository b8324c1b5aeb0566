import { isObject, type Json, own, sameJson, sortKeys } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { forbidden } from './spec-difference.ts'

/** What can't be changed once it is set. A cause for each of the fields, named by their paths, that an update changes. */
export function fieldProblems(object: KubeObject, old: KubeObject, paths: readonly string[]): StatusCause[] {
  return paths.flatMap(path => {
    const value = valueAt(object, path)
    const before = valueAt(old, path)
    // To the server a text that is not there is an empty one.
    return sameJson(value, before) || (value === '' && before === undefined)
      ? []
      : [invalid(path, printed(value), 'field is immutable')]
  })
}

/** The `problems` of a resource with such fields. */
export function immutable(...paths: string[]): (object: KubeObject, old: KubeObject | undefined) => StatusCause[] {
  return (object, old) => (old === undefined ? [] : fieldProblems(object, old, paths))
}

/** The same of fields that a real server checks by the tags of its types: then it quotes no value. */
export function immutableByTag(...paths: string[]): (object: KubeObject, old?: KubeObject) => StatusCause[] {
  return (object, old) =>
    old === undefined
      ? []
      : paths.flatMap(path => fieldProblems(object, old, [path]).map(() => invalid(path, null, 'field is immutable')))
}

/** The `problems` of a resource with fields that an update may not name otherwise, each with the words of its refusal. */
export function fixed(
  fields: Readonly<Record<string, string>>,
): (object: KubeObject, old?: KubeObject) => StatusCause[] {
  return (object, old) =>
    old === undefined
      ? []
      : Object.entries(fields).flatMap(([path, why]) =>
          sameJson(valueAt(object, path), valueAt(old, path)) ? [] : [forbidden(path, why)],
        )
}

/** A value as refusals quote it: a role by the names of the server's own type. */
function printed(value: Json | undefined): Json {
  if (!isObject(value) || own(value, 'apiGroup') === undefined) return sortKeys(value ?? null)
  const { apiGroup, kind, name } = value
  return { APIGroup: apiGroup, Kind: kind, Name: name }
}

function valueAt(object: KubeObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, key) => (isObject(value) ? own(value, key) : undefined), object)
}
