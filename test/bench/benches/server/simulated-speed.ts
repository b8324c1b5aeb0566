import { createHash } from 'node:crypto'
import { summarise } from '../../harness/statistics.ts'
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

/** Always the same work, of the kind that a server does: JSON, maps, strings, a hash. */
function fixedWork(seed: number): number {
  const known = new Map<string, string>()
  for (let step = 0; step < 400; step++) {
    const name = `c${(seed * 31 + step * 17) % 40}`
    const labels = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`label-${i}`, `${step}-${i}`]))
    const text = JSON.stringify({ kind: 'ConfigMap', metadata: { name, labels }, data: { value: `${seed}.${step}` } })
    const object = JSON.parse(text) as { metadata: { labels: Record<string, string> } }
    const sorted = Object.keys(object.metadata.labels).sort().join()
    known.set(
      name,
      createHash('sha256')
        .update(`${known.get(name) ?? ''}${text}${sorted}`)
        .digest('base64url'),
    )
  }
  return known.size
}

// By turns, each a few milliseconds: what else the machine does falls on a few of both, which a median leaves out.
const fixed: number[] = []
const runs: number[] = []
for (let pair = 0; pair < WARM_UP + PAIRS; pair++) {
  fixed.push(await cost(fixedWork, pair))
  runs.push(await cost(randomRun, pair))
}
const median = (of: readonly number[]): number => summarise(of.slice(WARM_UP)).median
console.log(JSON.stringify({ ratio: median(runs) / median(fixed), run_ms: median(runs) }))
