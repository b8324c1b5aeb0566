/** What one round of a random suite came to. */
export interface Round {
  readonly failed: boolean
  readonly output: string
}

export interface SoakOptions {
  readonly firstSeed: number
  readonly minutes: number
  /** Runs `seeds` seeds from `firstSeed`, within `limitMs`. */
  readonly run: (firstSeed: number, seeds: number, limitMs: number) => Promise<Round>
  readonly say: (line: string) => void
  readonly monotonic?: (() => number) | undefined
}

export interface SoakResult {
  readonly seeds: number
  readonly failure: string | undefined
}

/** How long a round should take: long enough that starting it costs little, short enough to stop in time. */
const roundMs = 30_000

/**
 * Runs round after round over seeds that were not run yet, as many a round as fit, until the time is up or a seed
 * fails.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { firstSeed, minutes, run, say, monotonic = () => performance.now() } = options
  const end = monotonic() + minutes * 60_000
  let next = firstSeed
  let batch = 10
  while (monotonic() < end || next === firstSeed) {
    const start = monotonic()
    const { failed, output } = await run(next, batch, Math.max(end - start, 0) + 2 * roundMs)
    if (failed) return { seeds: next - firstSeed, failure: `in seeds ${next} to ${next + batch - 1}:\n${output}` }
    next += batch
    const took = Math.max(monotonic() - start, 1)
    say(`${next - firstSeed} seeds from ${firstSeed}, none failed`)
    const fitting = Math.min(roundMs, Math.max(end - monotonic(), 0)) / (took / batch)
    batch = Math.max(1, Math.min(batch * 4, Math.floor(fitting)))
  }
  return { seeds: next - firstSeed, failure: undefined }
}
