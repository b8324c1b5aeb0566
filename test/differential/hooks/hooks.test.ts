import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../../packages/testing/src/real/testkit/available.ts'
import { differences } from '../compare.ts'
import { normalise } from '../normalise.ts'
import type { Said } from '../run-scenario.ts'
import { startServers } from '../servers.ts'
import { admissionScenarios } from './admission.ts'
import { conditionScenarios } from './conditions.ts'
import { conversionScenarios } from './conversion.ts'
import { HookServer } from './hook-server.ts'
import { type HookScenario, Kit } from './kit.ts'
import { mutationScenarios } from './mutations.ts'
import { policyScenarios } from './policies.ts'

const available = await realApiServerAvailable('the comparison of how webhooks are called')
const only = process.env.WHERRY_SCENARIO
const chosen = [
  ...admissionScenarios,
  ...conditionScenarios,
  ...conversionScenarios,
  ...policyScenarios,
  ...mutationScenarios,
].filter(({ name }) => only === undefined || name.includes(only))

describe.runIf(available)('the embedded API server calls webhooks as a real one does', () => {
  const found = new Map<HookScenario, readonly string[] | Error>()

  beforeAll(async () => {
    const servers = await startServers()
    const hooks = await HookServer.start()
    try {
      const queue = [...chosen.entries()]
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [index, scenario] = next
          const run = async (name: 'real' | 'embedded'): Promise<Said[]> => {
            const kit = new Kit(servers[name], hooks, `h${index}`)
            await kit.begin()
            try {
              await scenario.run(kit)
            } finally {
              await kit.end()
            }
            return kit.said
          }
          try {
            const [real, embedded] = await Promise.all([run('real'), run('embedded')])
            const ports = (said: unknown[]): unknown[] => plain(said, hooks.url)
            found.set(scenario, differences(ports(normalise(real)), ports(normalise(embedded)), scenario.except))
          } catch (cause) {
            found.set(scenario, cause as Error)
          }
        }
      }
      await Promise.all(Array.from({ length: 4 }, work))
    } finally {
      await hooks.close()
      await servers.close()
    }
  }, 3_000_000)

  it.for(chosen.map(scenario => ({ scenario, name: scenario.name })))('F4: $name', ({ scenario }) => {
    const result = found.get(scenario)
    if (result instanceof Error) throw result
    expect(result).toEqual([])
  })
})

/** Texts name the path by which a webhook is called, and that is each server's own. */
function plain(said: unknown[], url: string): unknown[] {
  const text = JSON.stringify(said)
    .replaceAll(url, 'https://hooks')
    .replaceAll(/revision=\d+/g, 'revision=<rv>')
    .replaceAll(/https:\/\/hooks\/(real|embedded)/g, 'https://hooks')
  return JSON.parse(text) as unknown[]
}
