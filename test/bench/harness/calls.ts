import { performance } from 'node:perf_hooks'

const WARM_UP_MS = 1000
const MEASURE_MS = 2000

/** Makes calls for two seconds, `atOnce` of them in flight, after one of warm-up. Gives microseconds of wall time per call. */
export async function microsecondsPerCall(call: () => Promise<unknown>, atOnce: number): Promise<number> {
  await callFor(WARM_UP_MS, call, atOnce)
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
