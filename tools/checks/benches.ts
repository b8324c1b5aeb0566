import { benches } from '../../test/bench/benches/index.ts'
import type { Bench } from '../../test/bench/harness/bench.ts'
import { runBench } from '../../test/bench/harness/run-bench.ts'
import { smallest } from '../../test/bench/harness/smallest.ts'
import type { Found, Options } from '../test/step.ts'
import { twoAtATime } from '../two-at-a-time.ts'
import { packed } from './packed.ts'

/** A run of everything takes every eighth benchmark, from one on that its seed chooses: all take four minutes. */
const everyOf = 8

/** Takes minutes by itself, whatever its size. The step `demo` plays it in each run of everything. */
const played = 'game'

/**
 * Runs benchmarks once, at their smallest size, beside each other: a subject that gives no figure is a failure. Of what is measured
 * nothing is said.
 */
export async function checkBenches({ isNamed, propertySeed }: Options): Promise<Found> {
  await packed()
  const short = benches.filter(({ name }) => name !== played)
  const chosen = isNamed ? benches : short.filter((_, i) => i % everyOf === propertySeed % everyOf)
  const failures = (await twoAtATime(chosen, failuresOf)).flat()
  const figures = chosen.reduce((sum, bench) => sum + smallest(bench).bench.subjects.length, 0)
  const notes = isNamed ? [] : [`of ${benches.length} benchmarks: ${chosen.map(({ name }) => name).join(', ')}`]
  return { passed: figures - failures.length, failures, notes }
}

async function failuresOf(one: Bench): Promise<string[]> {
  const { bench, objects } = smallest(one)
  try {
    const outcome = await runBench(bench, { objects, runs: 1 })
    return outcome.failures.map(({ subject, error }) => `${bench.name}, ${subject}: ${error.message}`)
  } catch (error) {
    return [`${bench.name}: ${error instanceof Error ? error.message : error}`]
  }
}
