/** What several runs of one measurement come to. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  /** How many runs. */
  readonly runs: number
}

/** Median (of an even number: the mean of the middle two), least and greatest. Throws for no values, or one that is no number. */
export function summarise(values: readonly number[]): Summary {
  if (values.length === 0) throw new RangeError('nothing to summarise')
  if (!values.every(Number.isFinite)) throw new RangeError(`not all are numbers: ${values.join(', ')}`)
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[index] as number
  const middle = sorted.length >> 1
  return {
    median: sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2,
    min: at(0),
    max: at(sorted.length - 1),
    runs: sorted.length,
  }
}

/** The value that `part` (0 to 1) of all are at most; the nearest one below where it falls between two. Throws for no values. */
export function percentile(values: Iterable<number>, part: number): number {
  const sorted = Float64Array.from(values).sort()
  const found = sorted[Math.floor(part * (sorted.length - 1))]
  if (found === undefined) throw new RangeError('nothing to summarise')
  return found
}
