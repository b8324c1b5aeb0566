import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleOf } from '../../examples/bundles/testkit/bundles.ts'
import { StandInCatalog } from '../../examples/bundles/testkit/stand-in-catalog.ts'
import { indexType } from '../../examples/catalog/catalog.ts'
import { push } from '../../examples/catalog/testkit/registry.ts'
import { indexOf } from '../../examples/catalog/testkit/releases.ts'
import { StandInRegistry } from '../../examples/catalog/testkit/stand-in-registry.ts'
import { runScenario, type Scenario } from './killed.ts'
import * as scenarios from './killed-scenarios.ts'

/** A program that writes no more than this is killed at each of its writes, others at some that are spread over their run. */
const fewWrites = 5
const kills = 3

let registry: StandInRegistry
let bundles: StandInCatalog

beforeAll(async () => {
  registry = await StandInRegistry.start('none')
  const digest = `sha256:${'0'.repeat(64)}`
  const metadata = { metadata: { name: 'etcd.v1.0.0' }, spec: { version: '1.0.0' } }
  const index = indexOf([{ channel: { package: 'etcd', name: 'stable' }, metadata, digest }])
  await push(registry, 'catalogs/community', { content: index.toBytes(), mediaType: indexType, tag: 'latest' })
  bundles = await StandInCatalog.start()
  for (const [name, defines] of [
    ['chess', 'Board'],
    ['go', 'Stone'],
  ] as const) {
    bundles.release(name, await bundleOf({ name, defines }))
  }
})

afterAll(async () => {
  await registry?.close()
  await bundles?.close()
})

/** The writes after which it is killed: the first, and others up to the last but one. */
function points(writes: number): number[] {
  const last = Math.max(1, writes - 1)
  const count = writes <= fewWrites ? last : kills
  const all = Array.from({ length: count }, (_, i) => 1 + Math.round((i * (last - 1)) / Math.max(1, count - 1)))
  return [...new Set(all)]
}

it.each<[string, () => Scenario]>([
  ['quickstart', () => scenarios.quickstart],
  ['secret-reference', () => scenarios.secretReference],
  ['copied-resources', () => scenarios.copiedResources],
  ['crd-upgrade', () => scenarios.crdUpgrade],
  ['policy-sync', () => scenarios.policySync],
  ['catalog', () => scenarios.catalog(`${registry.host}/catalogs/community:latest`, registry.ca)],
  ['bundles', () => scenarios.bundles(bundles.url)],
])('X10: %s comes to the same end, whichever of its writes it is killed at', async (_, of) => {
  const scenario = of()
  let expected: unknown
  const { writes, watched } = await runScenario(scenario, undefined, state => {
    expected = state
  })
  const killed: boolean[] = []
  for (const write of points(writes)) {
    const { isKilled } = await runScenario(scenario, { write, watched }, state => expect(state).toEqual(expected))
    killed.push(isKilled)
  }
  // A run may take a write less than the one before: two states of a status become one.
  expect(killed.slice(0, 1)).toEqual([true])
  expect(killed.filter(one => one).length).toBeGreaterThanOrEqual(killed.length - 1)
})
