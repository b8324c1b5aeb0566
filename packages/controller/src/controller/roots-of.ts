/** What an error goes back to. */
export interface Origin {
  /** The causes of its causes … of what was thrown; several where some were thrown together. */
  readonly roots: unknown[]
  /** What it and its causes say, from the first on; cut where that is long. */
  readonly text: string
}

/** Never throws. Of what would never end it gives the beginning. */
export function originOf(thrown: unknown): Origin {
  const passed = new Set<unknown>()
  const roots: unknown[] = []
  const left = [thrown]
  let text = ''
  while (left.length > 0 && passed.size < mostErrors) {
    const one = left.pop()
    if (passed.has(one)) continue
    passed.add(one)
    // An error is as anybody wrote it.
    try {
      const before = one instanceof Error ? causesOf(one) : []
      if (before.length === 0) roots.push(one)
      for (const cause of before) left.push(cause)
      if (text.length < mostText) text += `${one instanceof Error ? one.message : one}`.slice(0, mostText)
    } catch {
      roots.push(one)
    }
    text += '\n'
  }
  return { roots, text }
}

const mostErrors = 10_000
const mostText = 100_000

function causesOf(error: Error): readonly unknown[] {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  const together = error instanceof AggregateError && Array.isArray(errors) ? errors : []
  return cause === undefined ? together : [...together, cause]
}
