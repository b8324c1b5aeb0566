import { summarise } from '../../harness/statistics.ts'
import { pieceOfWork } from '../../harness/work.ts'
import { randomRun } from './in-memory.ts'

/** Pairs of a simulated run and a piece of fixed work: the first are for the compiler. */
const WARM_UP = 80
const PAIRS = 60

/** Milliseconds of processor time that `work` takes: while others have the processor, no time passes. */
async function cost(work: (seed: number) => unknown, seed: number): Promise<number> {
  const before = process.cpuUsage()
  await work(seed)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

// By turns, each a few milliseconds: what else the machine does falls on a few of both, which a median leaves out.
const fixed: number[] = []
const runs: number[] = []
for (let pair = 0; pair < WARM_UP + PAIRS; pair++) {
  fixed.push(await cost(pieceOfWork, pair))
  runs.push(await cost(randomRun, pair))
}
const median = (of: readonly number[]): number => summarise(of.slice(WARM_UP)).median
console.log(JSON.stringify({ ratio: median(runs) / median(fixed), run_ms: median(runs) }))
