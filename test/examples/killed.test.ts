import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleOf } from '../../examples/bundles/testkit/bundles.ts'
import { StandInCatalog } from '../../examples/bundles/testkit/stand-in-catalog.ts'
import { indexType } from '../../examples/catalog/catalog.ts'
import { push } from '../../examples/catalog/testkit/registry.ts'
import { indexOf } from '../../examples/catalog/testkit/releases.ts'
import { StandInRegistry } from '../../examples/catalog/testkit/stand-in-registry.ts'
import { runScenario, type Scenario } from './killed.ts'
import * as scenarios from './killed-scenarios.ts'

/**
 * Three examples that the seed of the run draws are killed at one of their writes, which it draws too: each costs three starts of a program.
 * `WHERRY_KILLS=1000 npx vitest run test/examples/killed.test.ts` kills all of them, at all their writes: three quarters of an hour on a busy machine
 * of two cores. crd-upgrade takes 35 minutes of that.
 */
const { WHERRY_KILLS: kills, WHERRY_PROPERTY_SEED: seed = '1' } = process.env
const drawn = 3

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

/** The writes at which a program is killed that makes so many: not at the last, after which all is done. */
function points(writes: number): number[] {
  const last = Math.max(1, writes - 1)
  const count = Math.min(last, Number(kills ?? 1))
  const first = Math.abs(Number(seed)) % last
  return Array.from({ length: count }, (_, i) => 1 + ((first + Math.floor((i * last) / count)) % last))
}

const all: readonly (readonly [string, () => Scenario])[] = [
  ['quickstart', () => scenarios.quickstart],
  ['secret-reference', () => scenarios.secretReference],
  ['copied-resources', () => scenarios.copiedResources],
  ['crd-upgrade', () => scenarios.crdUpgrade],
  ['defaulting', () => scenarios.defaulting],
  ['policy-sync', () => scenarios.policySync],
  ['catalog', () => scenarios.catalog(`${registry.host}/catalogs/community:latest`, registry.ca)],
  ['bundles', () => scenarios.bundles(bundles.url)],
]

/** Neighbours in the list, from one that the seed says. */
const chosen =
  kills === undefined
    ? Array.from({ length: drawn }, (_, i) => all[(Math.abs(Number(seed)) + i) % all.length] ?? [])
    : all

it.each(chosen as typeof all)(
  'X10: %s comes to the same end, whichever of its writes it is killed at',
  async (_, of) => {
    const scenario = of()
    let expected: unknown
    const { writes, watched } = await runScenario(scenario, undefined, state => {
      expected = state
    })
    for (const write of points(writes)) {
      const { isKilled } = await runScenario(scenario, { write, watched }, state =>
        expect(state, `killed at write ${write} of ${writes}`).toEqual(expected),
      )
      // A run may take a write less than the one before: two states of a status become one.
      expect(isKilled || write >= writes - 1).toBe(true)
    }
  },
  // Of one example up to 120 runs. If one hangs, it says so itself, after minutes.
  kills === undefined ? undefined : 3_600_000,
)
