/** What an error goes back to: the causes of its causes … of what was thrown, of which there are several where some were thrown together. */
export function rootsOf(thrown: unknown, passed: Set<unknown> = new Set()): unknown[] {
  if (passed.has(thrown)) return []
  passed.add(thrown)
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    return thrown.errors.flatMap(one => rootsOf(one, passed))
  }
  return thrown instanceof Error && thrown.cause !== undefined ? rootsOf(thrown.cause, passed) : [thrown]
}
