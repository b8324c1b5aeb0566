/** How many members the rings of the benchmark `shards` have. */
export const ringSizes = [1, 2, 5] as const
