/** An interval of a Job's indexes. */
type Interval = readonly [first: number, last: number]

/** Reads an interval such as `3` or `5-7`. Returns a text if the interval has a problem. */
function readInterval(text: string, completions: number): Interval | string {
  const parts = text.split('-')
  if (parts.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  const limits: number[] = []
  for (const part of parts) {
    if (!/^\+?\d+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`
    limits.push(Number(part))
  }
  const [first = 0, last = first] = limits
  if (limits.length > 1 && first >= last) return outOfOrder(first, last)
  return [first, last]
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}

/** The problem of a list of intervals of indexes, which must increase; `undefined` if it has none. */
export function indexesProblem(text: string, completions: number): string | undefined {
  let before: number | undefined
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = readInterval(part, completions)
    if (typeof interval === 'string') return interval
    if (before !== undefined && before >= interval[0]) return outOfOrder(before, interval[0])
    before = interval[1]
  }
  return undefined
}

/** The number of indexes in a list without problems. */
export function countIndexes(text: string, completions: number): number {
  const intervals = text === '' ? [] : text.split(',').map(part => readInterval(part, completions) as Interval)
  return intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** The first index that is in both lists, if the lists can be read. */
export function sharedIndex(completed: string, failed: string, completions: number): number | undefined {
  const read = (text: string): Interval[] =>
    text.split(',').flatMap(part => {
      const interval = readInterval(part, completions)
      return typeof interval === 'string' ? [] : [interval]
    })
  const [some, others] = [read(completed), read(failed)]
  for (let i = 0, j = 0; i < some.length && j < others.length; ) {
    const [one, other] = [some[i] as Interval, others[j] as Interval]
    if (one[0] <= other[1] && other[0] <= one[1]) return Math.max(one[0], other[0])
    if (one[0] <= other[0]) i++
    else j++
  }
  return undefined
}
