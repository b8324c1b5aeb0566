import { Client } from '@wherry/client'
import { namespaces, persistentVolumeClaims, pods, resourceQuotas } from '@wherry/client/resources/core'
import { roleBindings } from '@wherry/client/resources/rbac'
import { Operator } from '@wherry/controller'
import { type EmbeddedApiServer, install, startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { tenants, workspaces } from './kinds.ts'
import { declareTenants, declareWorkspaces } from './operator.ts'

const key = { namespace: 'default', name: 'desk' }
const spec = { image: 'desk:1', storage: '1Gi' }

interface Scene {
  readonly server: EmbeddedApiServer
  readonly client: Client
  readonly operator: Operator
  readonly errors: string[]
  phase(): Promise<string | undefined>
  /** How many writes the server has counted. */
  writes(): Promise<number>
}

async function withOperator(body: (scene: Scene) => Promise<void>): Promise<void> {
  await using server = await startApiServer()
  await install(server, `${import.meta.dirname}/deploy/crd`)
  const errors: string[] = []
  const environment = { onError: (error: Error) => void errors.push(error.message) }
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
  await using operator = new Operator({ name: 'tenants', client })
  declareTenants(operator)
  declareWorkspaces(operator)
  void operator.run({ signals: false })
  await body({
    ...{ server, client, operator, errors },
    phase: async () => (await client.get(workspaces, key))?.status?.phase,
    writes: async () => {
      const { byVerb } = await server.stats()
      const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection']
      const counts = verbs.flatMap(verb => Object.entries(byVerb[verb] ?? {}))
      return counts.reduce(
        (sum, [resource, { requests }]) => sum + (/^(events|leases)\b/.test(resource) ? 0 : requests),
        0,
      )
    },
  })
}

it('a tenant has a namespace with its quota, where its group may edit; all of it goes with the tenant', () =>
  withOperator(async ({ client, operator }) => {
    const quota = { pods: '5' }
    await client.create(tenants, { metadata: { name: 'blue' }, spec: { group: 'team-blue', quota } })
    await operator.settled()
    const made = { namespace: 'tenant-blue', name: 'tenant' }
    expect((await client.get(resourceQuotas, made))?.spec).toEqual({ hard: quota })
    expect(await client.get(roleBindings, made)).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'edit' },
      subjects: [{ kind: 'Group', name: 'team-blue' }],
    })
    expect((await client.get(tenants, { name: 'blue' }))?.status).toMatchObject({
      phase: 'Ready',
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
    })
    await client.delete(tenants, { name: 'blue' })
    await vi.waitFor(async () => expect(await client.get(namespaces, { name: 'tenant-blue' })).toBeUndefined())
  }))

it('a namespace of somebody else is left alone, and blocks the tenant', () =>
  withOperator(async ({ client, operator, errors }) => {
    const { metadata } = await client.create(namespaces, { metadata: { name: 'tenant-red' } })
    await client.create(tenants, { metadata: { name: 'red' }, spec: { group: 'team-red', quota: {} } })
    await vi.waitFor(async () =>
      expect((await client.get(tenants, { name: 'red' }))?.status).toMatchObject({ phase: 'Blocked' }),
    )
    expect(errors[0]).toContain('tenant-red')
    expect((await client.get(namespaces, { name: 'tenant-red' }))?.metadata.labels).toEqual(metadata.labels)
    await client.delete(tenants, { name: 'red' })
    await operator.settled()
    expect((await client.get(namespaces, { name: 'tenant-red' }))?.metadata.uid).toBe(metadata.uid)
  }))

it('a workspace has a claim and a Pod, and the phase of its Pod; stopped, it keeps the claim', () =>
  withOperator(async ({ client, operator, phase }) => {
    await client.create(workspaces, { metadata: key, spec })
    await operator.settled()
    expect(await phase()).toBe('Pending')
    const { metadata } = (await client.get(persistentVolumeClaims, key)) ?? {}
    await client.status.patch(pods, key, { status: { phase: 'Running' } })
    await operator.settled()
    expect((await client.get(workspaces, key))?.status).toMatchObject({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', reason: 'Running' }],
    })
    await client.patch(workspaces, key, { spec: { stopped: true } })
    await operator.settled()
    expect(await phase()).toBe('Stopped')
    expect(await client.get(pods, key)).toBeUndefined()
    expect((await client.get(persistentVolumeClaims, key))?.metadata.uid).toBe(metadata?.uid)
    await client.delete(workspaces, key)
    await vi.waitFor(async () => expect(await client.get(persistentVolumeClaims, key)).toBeUndefined())
  }))

it('a claim of somebody else is never written nor deleted', () =>
  withOperator(async ({ client, phase }) => {
    const theirs = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const { metadata } = await client.create(persistentVolumeClaims, { metadata: key, spec: theirs })
    await client.create(workspaces, { metadata: key, spec })
    await vi.waitFor(async () => expect(await phase()).toBe('Blocked'))
    expect(await client.get(pods, key)).toBeUndefined()
    await client.delete(workspaces, key)
    await vi.waitFor(async () => expect(await client.get(workspaces, key)).toBeUndefined())
    const now = (await client.get(persistentVolumeClaims, key))?.metadata
    expect([now?.uid, now?.resourceVersion]).toEqual([metadata.uid, metadata.resourceVersion])
  }))

it('a run that finds all as it should be writes nothing, so that no condition gets another time', () =>
  withOperator(async ({ client, operator, writes }) => {
    await client.create(workspaces, { metadata: key, spec })
    await operator.settled()
    const status = (await client.get(workspaces, key))?.status
    const before = await writes()
    const label = (value: string) => client.patch(workspaces, key, { metadata: { labels: { value } } })
    for (const value of ['a', 'b', 'c']) {
      await label(value)
      await operator.settled()
    }
    expect((await writes()) - before).toBe(3)
    expect((await client.get(workspaces, key))?.status).toEqual(status)
  }))
