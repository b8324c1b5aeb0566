import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'

/** Begins to follow: calls `event` for each change, `failed` when there can be no more. Gives what ends it. */
export type Follow = (event: () => void, failed: (error: unknown) => void) => Promise<() => unknown> | (() => unknown)

/** Events a second, from the first one to the last. Those of a first state are none: the subject leaves them out. */
export async function measureEvents({ objects }: SubjectContext, follow: Follow): Promise<Metrics> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let events = 0
  let begin = 0
  let ms = 0
  const stop = await follow(() => {
    events++
    if (events === 1) begin = performance.now()
    if (events < objects) return
    if (events > objects) reject(new Error('too many events'))
    ms = performance.now() - begin
    resolve()
  }, reject)
  await promise
  await stop()
  return { events_per_s: (events - 1) / (ms / 1000) }
}
