import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CSV_PROFILES, clusterServiceVersions } from './cluster-service-versions.ts'
import { games, gamesCrd } from './games.ts'
import type { LargeCrd } from './large-crd.ts'
import { LARGE_CRD_PROFILES, largeCrd } from './large-crd.ts'
import { loadData } from './load.ts'
import { jsonBytes } from './object.ts'
import { pods } from './pods.ts'
import type { Shape } from './shape.ts'
import { shapeOf } from './shape.ts'

const within = (value: number, wanted: number, part = 0.05): void => {
  expect(value, `${value} for ${wanted}`).toBeGreaterThanOrEqual(wanted * (1 - part))
  expect(value, `${value} for ${wanted}`).toBeLessThanOrEqual(wanted * (1 + part))
}

it.each(Object.keys(LARGE_CRD_PROFILES) as LargeCrd[])(
  'the stand-in for %s has the shape of the real definition',
  like => {
    const profile = LARGE_CRD_PROFILES[like]
    const shape = shapeOf(largeCrd(like))
    within(shape.bytes, profile.bytes, 0.01)
    within(shape.keys, profile.keys)
    within(shape.distinctKeys, profile.distinctKeys)
    expect(shape).toMatchObject<Partial<Shape>>({
      depth: profile.depth,
      mostKeys: profile.mostKeys,
      longestString: profile.longestDescription,
    })
    expect(largeCrd(like)).toEqual(largeCrd(like))
    expect(largeCrd(like, 2)).not.toEqual(largeCrd(like))
  },
)

it('stand-ins for ClusterServiceVersions have the shapes of the real ones', () => {
  for (const [at, csv] of [...clusterServiceVersions({ count: 10, managedFields: false })].entries()) {
    const profile = CSV_PROFILES[at]
    const shape = shapeOf(csv)
    within(shape.bytes, profile?.bytes ?? 0)
    within(shape.keys, profile?.keys ?? 0)
    within(shape.longestString, profile?.longest ?? 0)
    expect(shape.depth).toBe(15)
    expect(shape.managedFieldsShare).toBe(0)
  }
  for (const csv of clusterServiceVersions({ count: 4 })) {
    const share = shapeOf(csv).managedFieldsShare
    expect(share).toBeGreaterThan(0.01)
    expect(share).toBeLessThan(0.07)
  }
  expect([...clusterServiceVersions({ count: 3, seed: 5 })]).toEqual([...clusterServiceVersions({ count: 3, seed: 5 })])
})

it('pods keep to their mean size within 5 %, and one seed gives one sequence', () => {
  for (const bytes of [3500, 6000]) {
    const all = [...pods({ count: 1000, bytes })]
    within(all.reduce((sum, pod) => sum + jsonBytes(pod), 0) / all.length, bytes)
    expect(new Set(all.map(pod => pod.metadata.name)).size).toBe(1000)
  }
  expect([...pods({ count: 5, seed: 2 })]).toEqual([...pods({ count: 9, seed: 2 })].slice(0, 5))
})

it('games have three served versions, one of them stored', () => {
  const versions = gamesCrd().spec as {
    readonly versions: readonly { name: string; served: boolean; storage: boolean }[]
  }
  expect(versions.versions.map(each => [each.name, each.served, each.storage])).toEqual([
    ['v1alpha1', true, false],
    ['v1beta1', true, false],
    ['v1', true, true],
  ])
  expect([...games({ count: 2 })].map(game => game.apiVersion)).toEqual([
    'arcade.example.com/v1',
    'arcade.example.com/v1',
  ])
})

it('loads stand-ins where there are no manifests, and says which it used', () => {
  const data = loadData()
  expect(data.crds.map(crd => crd.metadata.name)).toEqual([
    'clusterserviceversions.operators.coreos.com',
    'flowcollectors.flows.netobserv.io',
  ])
  expect(data.clusterServiceVersions).toHaveLength(10)
  expect(['WHERRY_DATA', 'stand-ins']).toContain(data.source)
  expect(data.note).toContain(data.source)
})

it('does not fall back to stand-ins without a word when WHERRY_DATA points nowhere', () => {
  const empty = mkdtempSync(join(tmpdir(), 'wherry-data-'))
  onTestFinished(() => rmSync(empty, { recursive: true }))
  expect(() => loadData({ WHERRY_DATA: empty })).toThrow(/olm\/csv/)
})
