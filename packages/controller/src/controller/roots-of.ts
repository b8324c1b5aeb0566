/** What an error goes back to: the causes of its causes … of what was thrown, of which there are several where some were thrown together. */
export function rootsOf(thrown: unknown): unknown[] {
  const passed = new Set<unknown>()
  const roots: unknown[] = []
  const left = [thrown]
  while (left.length > 0) {
    const one = left.pop()
    if (passed.has(one)) continue
    passed.add(one)
    const before = one instanceof Error ? causesOf(one) : []
    if (before.length === 0) roots.push(one)
    else left.push(...before)
  }
  return roots
}

function causesOf(error: Error): unknown[] {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  const together = error instanceof AggregateError && Array.isArray(errors) ? errors : []
  return cause === undefined ? together : [...together, cause]
}
