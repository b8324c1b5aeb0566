import { isObject, type Json, own, sameJson, sortKeys } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { forbidden } from './spec-difference.ts'

/** The causes against an update that changes immutable fields, one for each changed field. `paths` are the fields. */
export function fieldProblems(object: KubeObject, old: KubeObject, paths: readonly string[]): StatusCause[] {
  return paths.flatMap(path => {
    const value = valueAt(object, path)
    const before = valueAt(old, path)
    // The server treats an absent text as an empty text.
    return sameJson(value, before) || (value === '' && before === undefined)
      ? []
      : [invalid(path, printed(value), 'field is immutable')]
  })
}

/** The `problems` of a resource with immutable fields. */
export function immutable(...paths: string[]): (object: KubeObject, old: KubeObject | undefined) => StatusCause[] {
  return (object, old) => (old === undefined ? [] : fieldProblems(object, old, paths))
}

/** As {@link immutable}, for fields that a real server checks by the tags of its types. Such a refusal quotes no value. */
export function immutableByTag(...paths: string[]): (object: KubeObject, old?: KubeObject) => StatusCause[] {
  return (object, old) =>
    old === undefined
      ? []
      : paths.flatMap(path => fieldProblems(object, old, [path]).map(() => invalid(path, null, 'field is immutable')))
}

/** The `problems` of a resource with fields that an update may not change. Each field has its own message. */
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

/** A value as refusals quote it. A reference to a role has the field names of the server's own type. */
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
