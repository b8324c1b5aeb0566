import { setTimeout as after } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { differences } from './compare.ts'
import { normalise } from './normalise.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { type Servers, startServers } from './servers.ts'
import type { Target } from './target.ts'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** How many scenarios run at once. */
const atOnce = 8

const available = await realApiServerAvailable('the comparison of the embedded API server with a real one')
const only = process.env.WHERRY_SCENARIO
const chosen = scenarios.filter(({ name }) => only === undefined || name.includes(only))

describe.runIf(available)('the embedded API server answers as a real one does', () => {
  const found = new Map<Scenario, readonly string[] | Error>()

  // The servers are here for the comparison alone: the tests below only report what it found.
  beforeAll(async () => {
    const servers = await startServers()
    try {
      const queue = [...chosen.entries()]
      const together = queue.filter(([, scenario]) => !scenario.alone)
      const work = async (): Promise<void> => {
        for (let next = together.shift(); next !== undefined; next = together.shift()) await compare(servers, next)
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      await sameGroups(servers)
      for (const entry of queue) if (entry[1].alone) await compare(servers, entry)
    } finally {
      await servers.close()
    }
  }, 3_000_000)

  async function compare(servers: Servers, [index, scenario]: [number, Scenario]): Promise<void> {
    const variables = { ns: `s${index}`, g: `s${index}.example.com` }
    try {
      const [real, embedded] = await Promise.all(
        (['real', 'embedded'] as const).map(name =>
          runScenario(scenario, servers[name], servers.controls[name], variables),
        ),
      )
      found.set(scenario, differences(normalise(real ?? []), normalise(embedded ?? []), scenario.except))
    } catch (cause) {
      found.set(scenario, cause as Error)
    }
  }

  it.for(chosen.map(scenario => ({ scenario, name: scenario.name })))('F4: $name', ({ scenario }) => {
    const result = found.get(scenario)
    if (result instanceof Error) throw result
    expect(result).toEqual([])
  })
})

/** Waits until the real server lists the groups of the scenarios' definitions, in both documents: it does so some time after it serves them. */
async function sameGroups({ real, embedded }: Servers): Promise<void> {
  const groupsOf = async (target: Target): Promise<string> => {
    const plain = JSON.parse((await target.ask('GET', '/apis', {})).text) as { groups: readonly { name: string }[] }
    const { text } = await target.ask('GET', '/apis', { accept: aggregated })
    const { items } = JSON.parse(text) as { items: readonly { metadata: { name: string } }[] }
    return JSON.stringify([plain.groups.map(({ name }) => name), items.map(({ metadata }) => metadata.name)])
  }
  const give = performance.now() + 300_000
  // If they still differ then, the scenarios report it.
  while ((await groupsOf(real)) !== (await groupsOf(embedded)) && performance.now() < give) await after(50)
}
