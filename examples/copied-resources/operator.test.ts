import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { copySetLabel } from '@wherry/copies'
import { startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { declareCopiedCsvs } from './operator.ts'
import { clusterServiceVersions, olmConfigs } from './resources.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const settings = { name: 'cluster' }

/** A cluster with one source and one member, for an operator that is started by `run`. */
async function withCluster(
  body: (cluster: {
    client: Client
    run(): Promise<Operator>
    copies(): Promise<object[]>
    applied(): Promise<number>
  }) => Promise<void>,
): Promise<void> {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  for (const { resource } of [clusterServiceVersions, olmConfigs]) {
    const file = `${import.meta.dirname}/deploy/crd/${resource.plural}.${resource.group}.yaml`
    await client.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
  }
  for (const resource of [clusterServiceVersions, olmConfigs]) {
    // A new resource is not served at once.
    await vi.waitFor(() => client.list(resource as typeof olmConfigs))
  }
  await client.create(namespaces, { metadata: { name: 'operators' } })
  await client.create(namespaces, { metadata: { name: 'chess', labels: { 'operator-group': 'arcade' } } })
  await client.create(clusterServiceVersions, {
    metadata: {
      namespace: 'operators',
      name: 'games.v1',
      labels: { app: 'games' },
      annotations: { note: 'x', [lastApplied]: '{}' },
    },
    spec: { displayName: 'Games' },
  })
  await using operator = new Operator({ name: 'copied-resources', client })
  const run = async (): Promise<Operator> => {
    await declareCopiedCsvs(operator, { sources: 'operators', members: 'operator-group=arcade' })
    void operator.run()
    await operator.settled()
    return operator
  }
  const copies = async () => (await client.list(clusterServiceVersions.within({ labels: copySetLabel }))).items
  const applied = async (): Promise<number> => {
    const { byVerb } = await server.stats()
    return byVerb.patch?.['clusterserviceversions.operators.coreos.com']?.requests ?? 0
  }
  await body({ client, run, copies, applied })
}

it('a copy has the labels, the notes and the spec of its source, and says where it is from', () =>
  withCluster(async ({ run, copies }) => {
    await run()
    expect(await copies()).toMatchObject([
      {
        metadata: { namespace: 'chess', name: 'games.v1', labels: { app: 'games', 'olm.copiedFrom': 'operators' } },
        spec: { displayName: 'Games' },
      },
    ])
    expect(JSON.stringify(await copies())).not.toContain(lastApplied)
  }))

it('the status of a copy has the reason Copied, and the phase of its source', () =>
  withCluster(async ({ client, run, copies }) => {
    const key = { namespace: 'operators', name: 'games.v1' }
    const operator = await run()
    const message = 'The operator is running in operators but is managing this namespace'
    expect(await copies()).toMatchObject([{ status: { reason: 'Copied', message } }])
    const status = { phase: 'Succeeded', reason: 'InstallSucceeded' }
    await client.status.patch(clusterServiceVersions, key, { status })
    await vi.waitFor(async () =>
      expect(await copies()).toMatchObject([{ status: { phase: 'Succeeded', reason: 'Copied', message } }]),
    )
    await operator.settled()
    expect((await client.get(clusterServiceVersions, key))?.status).toEqual(status)
  }))

it('started while it is switched off, it makes no copy; without an OLMConfig it makes them', () =>
  withCluster(async ({ client, run, copies, applied }) => {
    await client.create(olmConfigs, { metadata: settings, spec: { features: { disableCopiedCSVs: true } } })
    const operator = await run()
    // Not even for a moment.
    expect(await applied()).toBe(0)
    await client.delete(olmConfigs, settings)
    await operator.settled()
    expect(await copies()).toHaveLength(1)
  }))
