/** Freezes a value and all that it holds, so that a change of it throws (rule R37). What can't be frozen, such as bytes, stays as it is. */
export function freezeDeep(value: unknown): void {
  const seen = new Set<unknown>()
  // No recursion: however deep it is nested, the stack holds it.
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next === null || typeof next !== 'object' || ArrayBuffer.isView(next) || seen.has(next)) continue
    seen.add(next)
    Object.freeze(next)
    for (const key of Object.keys(next)) left.push((next as Record<string, unknown>)[key])
  }
}
