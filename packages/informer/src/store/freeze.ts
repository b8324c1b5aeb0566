/**
 * Freezes a value and all that it holds, so that a change of it throws where it is made (rule R37). What can't be frozen,
 * such as bytes, stays as it is.
 */
export function freezeDeep(value: unknown): void {
  freezeAll(value, new Set())
}

function freezeAll(value: unknown, seen: Set<unknown>): void {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  for (const key of Object.keys(value)) freezeAll((value as Record<string, unknown>)[key], seen)
}

/**
 * A copy that shares nothing with the original and may be changed: what to do with an object that was read from a store
 * before altering it.
 */
export function clone<T>(object: T): T {
  return structuredClone(object)
}
