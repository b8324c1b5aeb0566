import { abortable } from '../abortable.ts'
import { Backoff } from '../backoff.ts'
import { callback, checkOptions } from '../errors/check.ts'
import { isConflict, isObjectNotFound } from '../errors/guards.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { KubernetesObject, ObjectKey, Scope } from '../views/object.ts'
import type { View } from '../views/resource.ts'
import type { Caller } from './caller.ts'
import { get } from './get.ts'
import { type WriteOptions, writeChecks } from './options.ts'
import { objectTarget } from './target.ts'
import { type JsonPatchOperation, patch } from './write.ts'

/** Changes a copy of an object in place. Its returned value is ignored. */
export type Edit<C> = (draft: C) => unknown

/** The maximum number of times that an object is read and changed. */
const maxAttempts = 10

/**
 * Reads an object, has `edit` change a copy of it, and sends the difference, which holds only for the state that was read. After a conflict it begins
 * again. Resolves with the changed object; `undefined` if it does not exist.
 */
export async function modify<C, S extends Scope>(
  caller: Caller,
  view: View<C, S>,
  key: ObjectKey<S>,
  edit: Edit<C>,
  options: WriteOptions = {},
): Promise<C | undefined> {
  checkOptions('modify', options, writeChecks)
  callback('modify.edit', edit)
  const { kind } = view.projection
  if (kind === 'metadata' || kind === 'named') {
    throw new OptionTypeError('modify.view', 'a view with whole objects', `the projection ${view.projection.name}`)
  }
  const backoff = new Backoff(caller.environment, { initialMs: 10, maxMs: 1000 })
  return caller.whole(options, { method: 'PATCH', ...objectTarget(view, key) }, async (inner, { signal }) => {
    for (let attempt = 1; ; attempt += 1) {
      const found = await get(inner, view, key)
      if (found === undefined) return undefined
      const draft = structuredClone(found)
      await edited(draft, edit, signal)
      const operations = differences(found, draft)
      if (operations.length === 0) return found
      const { resourceVersion } = (found as KubernetesObject).metadata ?? {}
      const held: JsonPatchOperation = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }
      try {
        return (await patch(inner, view, key, [...operations, held], options)) as C
      } catch (error) {
        if (isObjectNotFound(error)) return undefined
        if (!isConflict(error) || attempt === maxAttempts) throw error
      }
      await backoff.wait(signal)
    }
  })
}

/** Calls `edit`. Rejects as soon as the signal is aborted, even if `edit` has not ended. */
function edited<C>(draft: C, edit: Edit<C>, signal: AbortSignal): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    const editing = async (): Promise<void> => void (await edit(draft))
    editing().then(resolve, reject)
    return () => {}
  })
}

/**
 * The JSON patch from `old` to `now`: minimal in the fields of objects, with lists as whole values. An `undefined` field counts as absent. A patch that a
 * kube-apiserver would refuse for its size has whole values of the object's own fields instead, such as `data`.
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export function differences(old: unknown, now: unknown): JsonPatchOperation[] {
  const operations = [...changes(old, now, '', Number.POSITIVE_INFINITY)]
  return operations.length <= maxOperations ? operations : [...changes(old, now, '', 1)]
}

/** The maximum number of operations in a JSON patch, 10,000, without the check of the resourceVersion. */
const maxOperations = 9_999

/** The operations from `old` to `now`. Values at `depth` are compared as a whole. */
function* changes(old: unknown, now: unknown, path: string, depth: number): Generator<JsonPatchOperation> {
  if (depth === 0 || !isMap(old) || !isMap(now)) {
    if (!isSame(old, now)) yield { op: 'replace', path, value: now }
    return
  }
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const [before, after] = [fieldAt(old, name), fieldAt(now, name)]
    if (after === undefined) {
      if (before !== undefined) yield { op: 'remove', path: at }
    } else if (before === undefined) yield { op: 'add', path: at, value: after }
    else yield* changes(before, after, at, depth - 1)
  }
}

type Named = Readonly<Record<string, unknown>>

function isMap(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldAt(map: Named, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  return isMap(a) && isMap(b) && changes(a, b, '', Number.POSITIVE_INFINITY).next().done === true
}
