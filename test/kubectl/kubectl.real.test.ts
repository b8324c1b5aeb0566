import { choose, seededRandom } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { buildGoClients } from '../clients/build.ts'
import { exceptions } from './exceptions.ts'
import type { Flow } from './flow.ts'
import { flows } from './flows/index.ts'
import { normalise } from './normalise.ts'
import type { Said } from './run-flow.ts'
import { startSides } from './sides.ts'

/** How many flows run at once. */
const atOnce = 3
const { WHERRY_FLOWS: only, WHERRY_PROPERTY_SEED: seed = '1', WHERRY_SOAK: soak } = process.env

/**
 * The flows of this run: those that the seed draws, since all of them take a minute of two processors. `npm run soak -- kubectl` runs
 * all, and `WHERRY_FLOWS=apply npx vitest run test/kubectl` those with that in their names.
 */
const named = flows.filter(({ name }) => only !== undefined && name.includes(only))
const chosen = soak !== undefined ? flows : only === undefined ? drawn() : named
const available = await realApiServerAvailable('the comparison of what kubectl says at both servers')
const excepted = new Set(exceptions.flatMap(({ commands }) => commands))

describe.runIf(available)('kubectl sees no difference between the embedded API server and a real one', () => {
  const found = new Map<Flow, readonly string[] | Error>()
  const same: string[] = []

  // The servers are here for the comparison alone: the tests below only report what it found.
  beforeAll(async () => {
    const sides = await startSides(await buildGoClients())
    const compare = async (flow: Flow): Promise<void> => {
      try {
        const { real, embedded } = await sides.run(flow)
        found.set(flow, differences(flow, real, embedded))
      } catch (cause) {
        found.set(flow, cause as Error)
      }
    }
    try {
      const queue = chosen.filter(({ alone }) => !alone)
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) await compare(next)
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      for (const flow of chosen) if (flow.alone) await compare(flow)
    } finally {
      await sides.close()
    }
  }, 3_000_000)

  function differences({ name }: Flow, real: readonly Said[], embedded: readonly Said[]): string[] {
    return real.flatMap((one, i) => {
      const title = `${name}: ${one.command}`
      const [left, right] = [shown(one), shown(embedded[i] as Said)]
      if (left === right) same.push(title)
      return left === right || excepted.has(title) ? [] : [`${title}\n--- real\n${left}\n--- embedded\n${right}`]
    })
  }

  it.for(chosen.map(flow => ({ flow, name: flow.name })))('F4: $name', ({ flow }) => {
    const result = found.get(flow)
    if (result instanceof Error) throw result
    expect(result).toEqual([])
  })

  it('excepts no command that both servers answer alike', () => {
    expect(same.filter(title => excepted.has(title))).toEqual([])
  })
})

function shown({ stdout, stderr, code }: Said): string {
  return normalise(`${stdout}--- stderr\n${stderr}--- exit code ${code ?? 'none: interrupted'}`)
}

/** A third of the flows. */
function drawn(): Flow[] {
  const random = seededRandom(Number(seed))
  const left = [...flows]
  return Array.from({ length: Math.ceil(flows.length / 3) }, () => {
    const flow = choose(random, left)
    left.splice(left.indexOf(flow), 1)
    return flow
  })
}

it('excepts only commands that there are', () => {
  const all = flows.flatMap(({ name, commands }) =>
    commands.map(command => `${name}: ${typeof command === 'string' ? command : command.args}`),
  )
  expect([...excepted].filter(title => !all.includes(title))).toEqual([])
})
