/** The minimum and the maximum of a size or a cost. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** The limit of sums and products, beyond the highest cost that a real server counts. */
export const most: number = 2 ** 64

/** An unknown size. */
export const unknown: Range = { min: 0, max: most }

export const fixed = (value: number): Range => ({ min: value, max: value })

export function plus(...ranges: readonly Range[]): Range {
  let min = 0
  let max = 0
  for (const range of ranges) {
    min = capped(min + range.min)
    max = capped(max + range.max)
  }
  return { min, max }
}

export function times(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) }
}

/** The cost of a size with `factor` for each unit, rounded up. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) }
}

/** The range that includes both ranges. */
export function either(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}

export function capped(value: number): number {
  return Math.min(value, most)
}
