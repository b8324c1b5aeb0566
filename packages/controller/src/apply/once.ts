import { type KubernetesObject, type ObjectKey, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { type Check, text } from '@wherry/client/internal'
import { readByName } from '../objects/read-by-name.ts'
import type { AppliedObject } from './applied-object.ts'
import type { ApplyFor } from './apply.ts'
import { below, type FieldsV1, without } from './fields-v1.ts'
import { objectId } from './own-events.ts'

/** Where a field is in an object: names with dots between them (`spec.clusterIP`), or a list of names if one has a dot itself (`['data', 'tls.key']`). */
export type FieldPath = string | readonly string[]

/** Checks the option `once`: paths of fields, such as `data`, `spec.clusterIP` or `['data', 'tls.key']`. */
export const onceCheck: Check = (option, value) => {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of paths', typeof value)
  for (const [at, path] of (value as readonly unknown[]).entries()) {
    const isList = Array.isArray(path)
    const names = isList ? path : [path]
    for (const [index, name] of names.entries()) text(isList ? `${option}[${at}][${index}]` : `${option}[${at}]`, name)
    const [first, ...rest] = namesOf(path as FieldPath)
    if (first === undefined || neverOnce.has(first) || [first, ...rest].includes('')) {
      throw new OptionRangeError(
        `${option}[${at}]`,
        "the path of a field, such as data, spec.clusterIP or ['data', 'tls.key']",
        JSON.stringify(path),
      )
    }
  }
}

const neverOnce: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

function namesOf(path: FieldPath): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path
}

type Json = Readonly<Record<string, unknown>>
type Names = readonly string[]

/**
 * The fields that `once` names, as the server has them: those of a Secret's `stringData` are in its `data`.
 * @param desired as the caller gave it
 * @throws OptionRangeError for a path that is not in the desired object: it would protect nothing
 */
export function onceFields(
  view: Pick<View, 'resource'>,
  desired: object,
  once: readonly FieldPath[],
): readonly Names[] {
  const { data, stringData } = desired as { readonly data?: object; readonly stringData?: object }
  const whole = isSecret(view) && stringData !== undefined ? { ...desired, data: { ...data, ...stringData } } : desired
  return once.flatMap((path, at) => {
    const names = namesOf(path)
    let value: unknown = whole
    for (const [depth, name] of names.entries()) {
      if (isObject(value) && Object.hasOwn(value, name) && value[name] !== undefined) {
        value = value[name]
        continue
      }
      const where = depth === 0 ? 'the object' : names.slice(0, depth).join('.')
      const there = isObject(value) ? `has ${Object.keys(value).join(', ') || 'no field'}` : 'has no fields of its own'
      const takes = `the path of a field of the desired object: ${where} ${there}, and a name with a dot is given in a list`
      throw new OptionRangeError(`apply.once[${at}]`, takes, JSON.stringify(path))
    }
    if (names[0] !== 'stringData' || !isSecret(view)) return [names]
    return names.length > 1 ? [['data', ...names.slice(1)]] : Object.keys(value as object).map(name => ['data', name])
  })
}

/** Whether `stringData` of a resource is sent as `data`. */
export function isSecret({ resource: { group, kind } }: Pick<View, 'resource'>): boolean {
  return kind === 'Secret' && group === ''
}

/** An object without some fields, and without the objects around them that are empty then. */
export function withoutFields<T extends object>(object: T, fields: readonly Names[]): T {
  return fields.reduce((left, names) => without(left, names), object)
}

/** Whether the manager of an applied object still owns one of the fields. */
export function ownsAny({ owned }: AppliedObject, paths: readonly Names[]): boolean {
  const fields = JSON.parse(owned?.fields || '{}') as FieldsV1
  return paths.some(
    names =>
      below(
        fields,
        names.map(name => `f:${name}`),
      ) !== undefined,
  )
}

/**
 * Applies the present values of some fields as a separate manager. The controller's manager can then leave the fields out, and the object keeps them.
 * Idempotent, because a process may end between the requests.
 */
export async function keepFields(
  about: ApplyFor,
  view: View<KubernetesObject>,
  key: ObjectKey & { readonly text: string },
  fields: readonly Names[],
  manager: string,
): Promise<void> {
  const { client, signal, shared } = about
  const live = await readByName(client, view, key, { signal })
  if (live === undefined) return
  const kept = fields.reduce<Json>((all, names) => put(all, names, live as Json), {})
  if (Object.keys(kept).length === 0) return
  const { name, namespace, uid } = live.metadata ?? {}
  const body = { ...kept, metadata: { name, namespace, uid } }
  const over = shared.ownEvents.begin(objectId(view, key.text), about.key)
  let version: string | undefined
  try {
    const options = { fieldManager: `${manager}/once`, force: true, signal }
    const answer = (await client.apply(view as View<object, never>, body as never, options)) as KubernetesObject
    version = answer.metadata?.resourceVersion
  } finally {
    over(version)
  }
}

/** Returns `all` with the value that `from` has at a path. */
function put(all: Json, [first = '', ...rest]: readonly string[], from: Json): Json {
  const value = from[first]
  if (value === undefined) return all
  if (rest.length === 0) return { ...all, [first]: value }
  return isObject(value) ? { ...all, [first]: put((all[first] ?? {}) as Json, rest, value) } : all
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws OptionTypeError */
export function notBoth(only: unknown, once: unknown): void {
  if (only !== undefined && once !== undefined) throw new OptionTypeError('apply.once', 'nothing beside only', 'both')
}
