import { createHash } from 'node:crypto'
import { summarise } from '../../harness/statistics.ts'
import { randomRun } from './in-memory.ts'

/** How many simulated runs, and pieces of fixed work, are measured in a row. */
const AT_ONCE = 25
const WARM_UP = 4
const ROUNDS = 7

/** Milliseconds of processor time that `work` takes, in the mean of {@link AT_ONCE}. */
async function cost(work: (seed: number) => unknown, round: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < AT_ONCE; time++) await work(round * AT_ONCE + time)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / AT_ONCE
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

// By turns, so that what else the machine does falls on both alike; the first rounds are for the compiler.
const ratios: number[] = []
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const fixed = await cost(fixedWork, round)
  const ratio = (await cost(randomRun, round)) / fixed
  if (round >= WARM_UP) ratios.push(ratio)
}
console.log(JSON.stringify({ ratio: summarise(ratios).median }))
