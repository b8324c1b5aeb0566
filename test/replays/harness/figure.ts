/** What a case that breaks watches counts, and the most that it may be. */
export interface Figure {
  /** As `seconds until the client connects again`. */
  readonly what: string
  readonly value: number
  readonly atMost: number
  /** @default 0 */
  readonly atLeast?: number | undefined
}

export const atMost = (what: string, value: number, bound: number): Figure => ({ what, value, atMost: bound })

export const exactly = (what: string, value: number, wanted: number): Figure => ({
  ...{ what, value, atMost: wanted, atLeast: wanted },
})

export const isMet = ({ value, atMost, atLeast = 0 }: Figure): boolean => value >= atLeast && value <= atMost

/** The bar of a figure, as `≤ 8` or `12`. */
export const barOf = ({ atMost, atLeast = 0 }: Figure): string =>
  atLeast === atMost || atMost === 0 ? `${atMost}` : `≤ ${atMost}`

/** What of `expected` is not in the log, and what the log has besides: counts of entries, in whatever order. */
export function lostAndExtra(log: readonly string[], expected: readonly string[]): Figure[] {
  const left = [...log]
  let lost = 0
  for (const entry of expected) {
    const index = left.indexOf(entry)
    if (index < 0) lost++
    else left.splice(index, 1)
  }
  return [exactly('events lost', lost, 0), exactly('events too many', left.length, 0)]
}
