import { type ApiServer, startApiServer } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { clusterScenarios, onlyReal } from './cluster-objects.ts'
import { differences } from './compare.ts'
import { normalise } from './normalise.ts'
import { type Controls, runScenario, type Said } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import { Target } from './target.ts'

/** The fields that the test reads of a discovery document, and of a list. */
interface Answer {
  readonly items: readonly {
    readonly metadata: { readonly name?: string; readonly namespace?: string }
    readonly versions: readonly {
      readonly version: string
      readonly resources: readonly { readonly resource: string; readonly verbs: readonly string[] }[]
    }[]
  }[]
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const available = await realApiServerAvailable('the comparison of what each server has from its start')

describe.runIf(available)('the embedded API server has from its start what a real one has', () => {
  const found = new Map<Scenario, readonly string[] | Error>()
  const lists: (readonly string[])[] = []

  // The servers are here for the comparison alone: the tests below only report what it found.
  beforeAll(async () => {
    const options = { authorization: 'RBAC' } as const
    await using real = await startApiServer({ kind: 'real', ...options, build: process.env.CI === 'true' })
    await using embedded = await startApiServer({ kind: 'embedded', ...options })
    const sides = [real, embedded] as const
    for (const [index, scenario] of clusterScenarios.entries()) {
      try {
        const [left = [], right = []] = await Promise.all(
          sides.map(server => answersOf(server, scenario, `c${index}`).then(normalise)),
        )
        found.set(scenario, differences(left, right, scenario.except))
      } catch (cause) {
        found.set(scenario, cause as Error)
      }
    }
    lists.push(...(await Promise.all(sides.map(namesOfAll))))
  }, 3_000_000)

  it.for(clusterScenarios.map(scenario => ({ scenario, name: scenario.name })))('F4: $name', ({ scenario }) => {
    const result = found.get(scenario)
    if (result instanceof Error) throw result
    expect(result).toEqual([])
  })

  it('F4: there is nothing else but what configures a real server', () => {
    const [real = [], embedded = []] = lists
    expect(real).toContain('/api/v1/namespaces default')
    expect(embedded).toEqual(real)
  })
})

/** The names of the scenarios' namespaces, and the keys of what is in them. */
const ofScenarios = /^c\d+(-|\/|$)/

/** The objects of all resources that both servers may have from their start. */
async function namesOfAll(server: ApiServer): Promise<string[]> {
  const target = new Target(server.kind, server)
  const ask = async (path: string, accept = 'application/json'): Promise<Answer> =>
    JSON.parse((await target.ask('GET', path, { accept })).text)
  try {
    const names: string[] = []
    for (const root of ['/api', '/apis']) {
      for (const { metadata, versions } of (await ask(root, aggregated)).items) {
        const [{ version = '', resources = [] } = {}] = versions
        for (const { resource, verbs } of resources) {
          const path = [root, metadata.name ?? [], version, resource].flat().join('/')
          if (!verbs.includes('list') || onlyReal.includes(path)) continue
          for (const { metadata } of (await ask(path)).items) {
            const key = [metadata.namespace ?? [], metadata.name].flat().join('/')
            if (!ofScenarios.test(key)) names.push(`${path} ${key}`)
          }
        }
      }
    }
    return names.sort()
  } finally {
    target.close()
  }
}

async function answersOf(server: ApiServer & Controls, scenario: Scenario, ns: string): Promise<Said[]> {
  const target = new Target(server.kind, server)
  try {
    return named(server, await runScenario(scenario, target, server, { ns }))
  } finally {
    target.close()
  }
}

/** The answers of a server with names for its own CA and port, so that those of another server differ, and for the day. */
function named({ ca = '', url }: ApiServer, said: readonly Said[]): Said[] {
  const port = new URL(url).port
  return JSON.parse(JSON.stringify(said), (key, value: unknown) => {
    if (key === 'targetPort' && String(value) === port) return '<port of the server>'
    if (key === 'since' && /^\d{4}-\d\d-\d\d$/.test(String(value))) return '<day>'
    return value === ca ? '<CA of the server>' : value
  }) as Said[]
}
