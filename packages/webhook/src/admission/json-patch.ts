import type { JsonPatchOperation } from '@wherry/client'
import { checkJson, fieldsOf, isFields, isSameJson, pointer } from './json.ts'

/**
 * The JSON patch (RFC 6902) that changes `before` to `after`. It has only values that differ. Parts that are the same object are skipped, so the cost
 * of a draft depends on its changes.
 *
 * If items were added to a list or removed from it, equal items at its beginning and end are kept, and the items between are changed one by one.
 *
 * @throws InvalidAnswerError for a value that JSON does not have
 */
export function jsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const patch: JsonPatchOperation[] = []
  compare(before, after, '', patch)
  return patch
}

function compare(before: unknown, after: unknown, path: string, patch: JsonPatchOperation[]): void {
  if (before === after) return
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, patch)
  else if (isFields(before) && isFields(after)) compareFields(before, after, path, patch)
  else {
    checkJson(after, path)
    patch.push({ op: 'replace', path, value: after })
  }
}

function compareFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  path: string,
  patch: JsonPatchOperation[],
): void {
  for (const key of fieldsOf(before))
    if (!Object.hasOwn(after, key) || after[key] === undefined) patch.push({ op: 'remove', path: pointer(path, key) })
  for (const key of fieldsOf(after)) {
    const at = pointer(path, key)
    if (Object.hasOwn(before, key)) compare(before[key], after[key], at, patch)
    else {
      checkJson(after[key], at)
      patch.push({ op: 'add', path: at, value: after[key] })
    }
  }
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  patch: JsonPatchOperation[],
): void {
  let from = 0
  let ends = 0
  const shorter = Math.min(before.length, after.length)
  if (before.length !== after.length) {
    while (from < shorter && isSameJson(before[from], after[from])) from++
    while (ends < shorter - from && isSameJson(before.at(-1 - ends), after.at(-1 - ends))) ends++
  }
  const changed = shorter - ends
  for (let at = from; at < changed; at++) compare(before[at], after[at], pointer(path, at), patch)
  // From the end, because a removal shifts the items after it.
  for (let at = before.length - ends - 1; at >= Math.max(from, changed); at--)
    patch.push({ op: 'remove', path: pointer(path, at) })
  for (let at = Math.max(from, changed); at < after.length - ends; at++) {
    checkJson(after[at], pointer(path, at))
    patch.push({ op: 'add', path: pointer(path, at), value: after[at] })
  }
}
