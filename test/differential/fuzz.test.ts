import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { differences } from './compare.ts'
import { framed, stepsOf } from './fuzz.ts'
import { normalise } from './normalise.ts'
import { runScenario } from './run-scenario.ts'
import type { Step } from './scenario.ts'
import { defined } from './scenarios/shapes.ts'
import { type Servers, startServers } from './servers.ts'

const seeds = Number(process.env.WHERRY_SEEDS ?? 120)
const firstSeed = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const atOnce = 8
/** In which group the games are: one definition serves all sequences. */
const g = 'fuzz.example.com'
/** Watches and lists of one sequence at a time shrink in so many tries. */
const shrinkTries = 60

const available = await realApiServerAvailable('random requests to the embedded and a real API server')

describe.runIf(available)('random requests', () => {
  const found: string[] = []

  // The servers are here for the comparison alone: the test below only reports what it found.
  beforeAll(async () => {
    const servers = await startServers()
    let runs = 0
    const compare = async (steps: readonly Step[]): Promise<string[]> => {
      const variables = { ns: `f${++runs}`, g }
      const [real, embedded] = await Promise.all(
        (['real', 'embedded'] as const).map(one =>
          runScenario({ steps }, servers[one], servers.controls[one], variables),
        ),
      )
      return differences(normalise(real ?? []), normalise(embedded ?? []))
    }
    try {
      await define(servers)
      const queue = Array.from({ length: seeds }, (_, i) => firstSeed + i)
      const work = async (): Promise<void> => {
        for (let seed = queue.shift(); seed !== undefined && found.length === 0; seed = queue.shift()) {
          if ((await compare(stepsOf(seed))).length > 0) found.push(await reportOf(seed, compare))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    } finally {
      await servers.close()
    }
  }, 3_000_000)

  it(`F4: ${seeds} sequences of about 30 requests get the same answers from both servers`, () => {
    expect(found).toEqual([])
  })
})

async function define(servers: Servers): Promise<void> {
  const steps = defined()
  await Promise.all(
    (['real', 'embedded'] as const).map(one =>
      runScenario({ steps }, servers[one], servers.controls[one], { ns: 'fuzz', g }),
    ),
  )
}

/** The difference of a seed with as few of its requests as still show it, and how to see it again. */
async function reportOf(seed: number, compare: (steps: readonly Step[]) => Promise<string[]>): Promise<string> {
  let steps = stepsOf(seed).filter(one => one.do === 'request' && !one.quiet)
  let shown = await compare(framed(steps))
  for (let i = steps.length - 1, tries = 0; i >= 0 && tries < shrinkTries; i--, tries++) {
    const fewer = steps.toSpliced(i, 1)
    const differs = await compare(framed(fewer))
    if (differs.length > 0) [steps, shown] = [fewer, differs]
  }
  const requests = steps.map(one => JSON.stringify(one)).join('\n')
  return `seed ${seed} (again: WHERRY_FIRST_SEED=${seed} WHERRY_SEEDS=1):\n${shown.join('\n')}\nrequests:\n${requests}`
}
