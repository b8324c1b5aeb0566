import { performance } from 'node:perf_hooks'

const WARM_UP_MS = 1000
const LONGEST_WARM_UP_MS = 5000
const MEASURE_MS = 2000
/** The compilers take so many calls, whatever time a machine needs for them: after 2,000 they still compile. */
const WARM_UP_CALLS = 5000

/**
 * Makes calls for two seconds, `atOnce` of them in flight, after a warm-up: one second and 5,000 calls, or five seconds if these do not fit in. Gives
 * microseconds of wall time per call.
 */
export async function microsecondsPerCall(call: () => Promise<unknown>, atOnce: number): Promise<number> {
  const usPerCall = await callFor(WARM_UP_MS, call, atOnce)
  const left = (WARM_UP_CALLS * usPerCall) / 1000 - WARM_UP_MS
  if (left > 0) await callFor(Math.min(left, LONGEST_WARM_UP_MS - WARM_UP_MS), call, atOnce)
  return callFor(MEASURE_MS, call, atOnce)
}

async function callFor(ms: number, call: () => Promise<unknown>, atOnce: number): Promise<number> {
  let calls = 0
  const begin = performance.now()
  const end = begin + ms
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return ((performance.now() - begin) / calls) * 1000
}
