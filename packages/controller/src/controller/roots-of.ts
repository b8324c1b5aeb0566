/** What an error goes back to. */
export interface Origin {
  /** The causes of its causes … of what was thrown; several where some were thrown together. */
  readonly roots: unknown[]
  /** What it and its causes say, from the first on; cut where that is long. */
  readonly text: string
}

/** Never throws. */
export function originOf(thrown: unknown): Origin {
  const passed = new Set<unknown>()
  const roots: unknown[] = []
  const left = [thrown]
  let text = ''
  while (left.length > 0) {
    const one = left.pop()
    if (passed.has(one)) continue
    passed.add(one)
    if (text.length < mostText) text += `${saidBy(one)}\n`
    const before = one instanceof Error ? causesOf(one) : []
    if (before.length === 0) roots.push(one)
    for (const cause of before) left.push(cause)
  }
  return { roots, text }
}

const mostText = 2000

/** An error is as anybody wrote it. */
function causesOf(error: Error): unknown[] {
  try {
    const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
    const together = error instanceof AggregateError && Array.isArray(errors) ? errors : []
    return cause === undefined ? together : [...together, cause]
  } catch {
    return []
  }
}

function saidBy(one: unknown): string {
  try {
    return `${one instanceof Error ? one.message : one}`.slice(0, mostText)
  } catch {
    return ''
  }
}
