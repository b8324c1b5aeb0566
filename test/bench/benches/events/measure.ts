import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'

/** Begins to follow: calls `event` for each change, `failed` when there can be no more. Gives what ends it. */
export type Follow = (event: () => void, failed: (error: unknown) => void) => Promise<() => unknown> | (() => unknown)

/** This part of the changes comes before the clock is started: whatever a subject did before, its loop is compiled by then. */
const WARM_UP = 0.1

/**
 * Events a second, but for the first tenth of them. Those of a first state are none: the subject leaves them out. Throws when it
 * received more than there were.
 */
export async function measureEvents({ objects }: SubjectContext, follow: Follow): Promise<Metrics> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const warmUp = Math.ceil(objects * WARM_UP)
  let events = 0
  let begin = 0
  let ms = 0
  const stop = await follow(() => {
    events++
    if (events === warmUp) begin = performance.now()
    if (events !== objects) return
    ms = performance.now() - begin
    resolve()
  }, reject)
  await promise
  await stop()
  if (events !== objects) throw new Error(`${events} events, not ${objects}`)
  return { events_per_s: (objects - warmUp) / (ms / 1000) }
}
