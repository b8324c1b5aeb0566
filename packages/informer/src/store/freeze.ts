/** Freezes a value and its contents, so that a change throws (rule R37). Values that can't be frozen, such as bytes, are left out. */
export function freezeDeep(value: unknown): void {
  const seen = new Set<unknown>()
  // Without recursion, because a value may be nested deeper than the stack.
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next === null || typeof next !== 'object' || ArrayBuffer.isView(next) || seen.has(next)) continue
    seen.add(next)
    Object.freeze(next)
    for (const key of Object.keys(next)) left.push((next as Record<string, unknown>)[key])
  }
}
