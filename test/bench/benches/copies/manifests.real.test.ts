import { Client, defineResource, isInvalid, isResourceNotFound, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { Copies, type CopiesReport } from '@wherry/copies'
import { loadData } from '@wherry/data'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { describe, expect, it, vi } from 'vitest'

interface Csv extends KubernetesObject {
  spec?: object | undefined
  status?: object | undefined
}

const csvs = defineResource<Csv>({
  group: 'operators.coreos.com',
  version: 'v1alpha1',
  kind: 'ClusterServiceVersion',
  plural: 'clusterserviceversions',
  namespaced: true,
})
const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 20 })

/** Namespaces that get copies: each source has as many. */
const targets = 3

const available = await realApiServerAvailable('copies of ClusterServiceVersions')

describe.each([
  ['embedded', true, () => startApiServer({ isolate: true })],
  ['real', available, sharedRealServer],
] as const)('copies of ClusterServiceVersions, %s server', (_, runs, start) => {
  it.runIf(runs)('H4, H6: are kept with what the server makes of them, and are at rest without a write', async () => {
    await using server: ApiServer = await start()
    const { url, ca, token } = server
    const client = new Client({ url, ca, token })
    try {
      const sources = await fill(client)
      const first = await kept(client, { resync: true })
      expect(first.failing).toEqual(new Map())
      expect(first.writes).toEqual({ create: sources * targets, update: 0, delete: 0 })
      const second = await kept(client, { resync: false })
      expect(second.writes).toEqual({ create: 0, update: 0, delete: 0 })
      expect(second.learned).toBeLessThanOrEqual(sources)
    } finally {
      await client.close()
    }
  })
})

/** Runs an operator that keeps copies until they have settled, and again after a resync. Returns its report. */
async function kept(client: Client, { resync }: { readonly resync: boolean }): Promise<CopiesReport> {
  const copies = new Copies<Csv, Csv>({
    name: 'olm',
    source: csvs.within({ namespaces: ['operators'] }),
    copies: csvs,
    targets: 'copied',
    build: ({ metadata, spec }) => ({ metadata, spec }) as Csv,
  })
  const operator = new Operator({ name: 'olm', client })
  operator.add(copies.controller)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  try {
    await operator.settled({ timeoutMs: 120_000 })
    if (resync) {
      copies.resync()
      await operator.settled({ timeoutMs: 120_000 })
    }
    return copies.report()
  } finally {
    stop.abort(new Error('the test ends'))
    await running
  }
}

/** The definition, the namespaces and the sources; those that the server refuses are reported and left out. */
async function fill(client: Client): Promise<number> {
  const { crds, clusterServiceVersions, source } = loadData()
  const crd = crds.find(({ metadata }) => metadata.name === 'clusterserviceversions.operators.coreos.com')
  await client.create(customResourceDefinitions, crd as never)
  await client.create(namespaces, { metadata: { name: 'operators' } })
  for (let i = 0; i < targets; i++) {
    await client.create(namespaces, { metadata: { name: `copied-${i}`, labels: { copied: 'x' } } })
  }
  let made = 0
  for (const csv of clusterServiceVersions) {
    if (made === 10) break
    const { name, labels, annotations } = csv.metadata
    const { spec } = csv as Csv
    const object: Csv = {
      metadata: { name, namespace: 'operators', labels, annotations } as KubernetesObject['metadata'],
      spec,
    }
    const refusal: unknown = await until(() =>
      client.create(csvs, object).then(
        () => undefined,
        (error: unknown) => {
          // a new definition takes its time to be served
          if (isResourceNotFound(error)) throw error
          return error
        },
      ),
    )
    if (refusal === undefined) made += 1
    else if (isInvalid(refusal)) console.log(`${source}: ${name} is refused by its definition, and skipped`)
    else throw refusal
  }
  expect(made).toBeGreaterThan(0)
  return made
}
