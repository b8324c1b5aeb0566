import { type KubernetesObject, type ObjectKey, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { type Check, texts } from '@wherry/client/internal'
import { readByName } from '../objects/read-by-name.ts'
import type { AppliedObject } from './applied-object.ts'
import type { ApplyFor } from './apply.ts'
import { below, type FieldsV1, without } from './fields-v1.ts'
import { objectId } from './own-events.ts'

/** Checks the option `once`: paths of fields, such as `data` or `spec.clusterIP`. */
export const onceCheck: Check = (option, value) => {
  texts(option, value)
  for (const [at, path] of (value as readonly string[]).entries()) {
    if (/^(apiVersion|kind|metadata|status)(\.|$)/.test(path) || path.split('.').includes('')) {
      throw new OptionRangeError(
        `${option}[${at}]`,
        'the path of a field, such as data or spec.clusterIP',
        JSON.stringify(path),
      )
    }
  }
}

type Json = Readonly<Record<string, unknown>>

/** An object without some fields, and without the fields around them that have none left. */
export function withoutFields<T extends object>(object: T, paths: readonly string[]): T {
  return paths.reduce((left, path) => without(left, path.split('.')), object)
}

/** Whether the manager of an applied object still owns one of the fields. */
export function ownsAny({ owned }: AppliedObject, paths: readonly string[]): boolean {
  const fields = JSON.parse(owned?.fields || '{}') as FieldsV1
  return paths.some(
    path =>
      below(
        fields,
        path.split('.').map(name => `f:${name}`),
      ) !== undefined,
  )
}

/**
 * Has a manager of their own keep the fields of an object as they are, so that the controller's manager can leave them out without taking them away. Idempotent:
 * a process may end at any point of it.
 */
export async function keepFields(
  about: ApplyFor,
  view: View<KubernetesObject>,
  key: ObjectKey & { readonly text: string },
  paths: readonly string[],
  manager: string,
): Promise<void> {
  const { client, signal, shared } = about
  const live = await readByName(client, view, key, { signal })
  if (live === undefined) return
  const kept = paths.reduce<Json>((all, path) => put(all, path.split('.'), live as Json), {})
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

/** `all`, and what `from` has at a path. */
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
