import { benches } from '../../test/bench/benches/index.ts'
import type { Bench } from '../../test/bench/harness/bench.ts'
import { runBench } from '../../test/bench/harness/run-bench.ts'
import { smallest } from '../../test/bench/harness/smallest.ts'
import { inLanes } from '../in-lanes.ts'
import type { Found, Options } from '../test/step.ts'
import { packed } from './packed.ts'

/** A run of everything takes every eighth benchmark, from one on that its seed chooses: all take four minutes. */
const everyOf = 8

/** They take minutes by themselves, whatever their size. The steps `demo` and `install` do the same in each run of everything. */
const elsewhere: ReadonlySet<string> = new Set(['game', 'create'])

/** Only what hangs takes so long, in milliseconds, however busy the machine is. */
const runTimeoutMs = 1_500_000

/**
 * Runs benchmarks once, at their smallest size: a subject that gives no figure is a failure. Says nothing of the figures.
 */
export async function checkBenches({ isNamed, propertySeed }: Options): Promise<Found> {
  await packed()
  const short = benches.filter(({ name }) => !elsewhere.has(name))
  const chosen = isNamed ? benches : short.filter((_, i) => i % everyOf === propertySeed % everyOf)
  // In a run of everything another step runs next to this one.
  const failures = (await inLanes(isNamed ? 2 : 1, chosen, failuresOf)).flat()
  const figures = chosen.reduce((sum, bench) => sum + smallest(bench).bench.subjects.length, 0)
  const notes = isNamed ? [] : [`of ${benches.length} benchmarks: ${chosen.map(({ name }) => name).join(', ')}`]
  return { passed: figures - failures.length, failures, notes }
}

async function failuresOf(one: Bench): Promise<string[]> {
  const { bench, objects } = smallest(one)
  try {
    const outcome = await runBench(bench, { objects, runs: 1, runTimeoutMs, fixedWork: false })
    return outcome.failures.map(({ subject, error }) => `${bench.name}, ${subject}: ${error.message}`)
  } catch (error) {
    return [`${bench.name}: ${error instanceof Error ? error.message : error}`]
  }
}
