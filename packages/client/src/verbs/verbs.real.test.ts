import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import {
  isAlreadyExists,
  isApplyConflict,
  isBadRequest,
  isConflict,
  isInvalid,
  isResourceNotFound,
  isTooLarge,
} from '../errors/guards.ts'
import { deployments } from '../resources/apps.ts'
import { configMaps, pods, secrets, serviceAccounts } from '../resources/core.ts'
import { roles } from '../resources/rbac.ts'
import { defineResource } from '../views/resource.ts'
import { anySubresource } from './testkit/any-subresource.ts'

const available = await realApiServerAvailable('the verbs of the client')

describe.runIf(available)('verbs, on a real API server', () => {
  let server: RealApiServer
  let client: Client
  const warnings: string[] = []

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  beforeEach(() => {
    const environment = { onWarning: (message: string) => void warnings.push(message) }
    client = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
  })

  afterEach(() => client.close())

  const at = (name: string) => ({ name, namespace: 'default' })

  describe('any subresource, and any path', () => anySubresource(() => client))

  it('objects come as their view has them', async () => {
    const created = await client.create(configMaps, { metadata: at('views'), data: { a: '1' } })
    expect(created.metadata).not.toHaveProperty('managedFields')
    expect(await client.get(configMaps, at('views'))).toEqual(created)
    const { apiVersion, kind, metadata } = created
    expect(await client.get(configMaps.metadata(), at('views'))).toEqual({ apiVersion, kind, metadata })
    const full = await client.get(configMaps.full(), at('views'))
    expect(full?.metadata?.managedFields?.[0]?.manager).toBe('wherry')
    const { items } = await client.list(configMaps.metadata().within({ fields: 'metadata.name=views' }))
    expect(items).toEqual([{ apiVersion, kind, metadata }])
    expect(await client.get(configMaps, at('none'))).toBeUndefined()
    await expect(client.create(configMaps, { metadata: at('views') })).rejects.toSatisfy(isAlreadyExists)
    await expect(client.create(configMaps, { metadata: at('B_') })).rejects.toSatisfy(isInvalid)
  })

  it('apply takes fields over only by force, and gives up those that it does not name', async () => {
    await client.create(configMaps, { metadata: at('apply'), data: { a: '1' } })
    const applied = await client.apply(
      configMaps,
      { metadata: at('apply'), data: { b: '2' } },
      { fieldManager: 'other' },
    )
    expect(applied.data).toEqual({ a: '1', b: '2' })
    const mine = { metadata: at('apply'), data: { a: '3' } }
    const conflict = await client.apply(configMaps, mine, { fieldManager: 'other' }).catch((error: unknown) => error)
    expect(isApplyConflict(conflict) && conflict.causes[0]?.field).toBe('.data.a')
    const forced = await client.apply(configMaps, mine, { fieldManager: 'other', force: true })
    expect(forced.data).toEqual({ a: '3' })
  })

  it('patches of all kinds, the status and the scale', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template }
    await client.create(deployments, { metadata: at('d'), spec })
    const added = { spec: { template: { spec: { containers: [{ name: 'd', image: 'i' }] } } } }
    const merged = await client.patch(deployments, at('d'), added, { type: 'strategic' })
    expect(merged.spec?.template?.spec?.containers.map(({ name }) => name)).toEqual(['d', 'c'])
    const test = [{ op: 'test', path: '/metadata/name', value: 'x' }] as const
    await expect(client.patch(deployments, at('d'), test)).rejects.toSatisfy(isInvalid)
    const updated = await client.status.update(deployments, { metadata: at('d'), status: { replicas: 2 } })
    expect(updated).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 2 } })
    const applied = await client.status.apply(
      deployments,
      { metadata: at('d'), status: { replicas: 3 } },
      { force: true },
    )
    expect(applied.status?.replicas).toBe(3)
    expect((await client.status.patch(deployments, at('d'), { status: { replicas: 4 } })).status?.replicas).toBe(4)
    expect(await client.scale.get(deployments, at('d'))).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 4 },
    })
    expect((await client.scale.update(deployments, at('d'), { spec: { replicas: 5 } })).spec).toEqual({ replicas: 5 })
    expect((await client.scale.patch(deployments, at('d'), { spec: { replicas: 6 } })).spec).toEqual({ replicas: 6 })
    const waiting = await client.delete(deployments, at('d'), { propagationPolicy: 'Foreground' })
    expect(waiting?.object?.metadata?.finalizers).toEqual(['foregroundDeletion'])
  })

  it('X12: warnings are delivered, each once, and strict validation is an error', async () => {
    const unknown = { metadata: at('warned'), bogus: 1 } as object
    for (let i = 0; i < 2; i++) await client.create(configMaps, unknown, { dryRun: true })
    expect(warnings).toEqual(['unknown field "bogus"'])
    await expect(client.create(configMaps, unknown, { fieldValidation: 'Strict' })).rejects.toSatisfy(isBadRequest)
    expect(await client.get(configMaps, at('warned'))).toBeUndefined()
  })

  it('deletes with preconditions, and evicts', async () => {
    const { metadata } = await client.create(secrets, { metadata: at('gone'), stringData: { a: 'b' } })
    await expect(client.delete(secrets, at('gone'), { preconditions: { uid: 'x' } })).rejects.toSatisfy(isConflict)
    const uid = metadata?.uid as string
    expect(await client.delete(secrets, at('gone'), { preconditions: { uid } })).toEqual({ uid, object: undefined })
    expect(await client.delete(secrets, at('gone'))).toBeUndefined()
    await client.create(serviceAccounts, { metadata: at('default') })
    await client.create(pods, { metadata: at('p'), spec: { containers: [{ name: 'c', image: 'i' }] } })
    const pending = pods.within({ fields: { 'status.phase': 'Pending' } })
    expect(await client.get(pending, at('p'))).toMatchObject({ apiVersion: 'v1', kind: 'Pod' })
    await client.evict(pods, at('p'), { gracePeriodSeconds: 0, dryRun: true })
    expect(await client.get(pods, at('p'))).toBeDefined()
    await client.evict(pods, at('p'), { gracePeriodSeconds: 0 })
    expect(await client.get(pods, at('p'))).toBeUndefined()
  })

  it('X1: names are those of path segments, not of DNS', async () => {
    for (const name of ['system:a', 'with space', 'a#b', 'ü']) {
      await client.create(roles, { metadata: at(name) })
      expect((await client.get(roles, at(name)))?.metadata?.name).toBe(name)
      expect((await client.delete(roles, at(name)))?.uid).toBeTypeOf('string')
    }
  })

  it('lists in every mode, watches from the first event on, and knows a resourceVersion that is ahead', async () => {
    const view = configMaps.within({ namespaces: ['default'], labels: { list: 'yes' } })
    for (const name of ['l1', 'l2', 'l3']) {
      await client.create(configMaps, { metadata: { ...at(name), labels: { list: 'yes' } } })
    }
    const whole = await client.list(view)
    expect(whole.items.map(({ kind, metadata }) => [kind, metadata?.name])).toEqual(
      ['l1', 'l2', 'l3'].map(n => ['ConfigMap', n]),
    )
    expect((await client.list(view, { resourceVersion: whole.resourceVersion, exactly: true })).items).toHaveLength(3)
    const pages: number[] = []
    for await (const page of client.pages(view, { limit: 2 })) pages.push(page.items.length)
    expect(pages).toEqual([2, 1])
    await expect(client.list(view, { resourceVersion: '99999999' })).rejects.toSatisfy(isTooLarge)

    const seen: string[] = []
    for await (const event of client.watch(view.metadata())) {
      if (event.type === 'BOOKMARK') await client.deleteCollection(view)
      else seen.push(`${event.type} ${event.object.kind} ${event.object.metadata.name}`)
      if (seen.length === 6) break
    }
    expect(seen).toEqual([
      ...['l1', 'l2', 'l3'].map(name => `ADDED ConfigMap ${name}`),
      ...['l1', 'l2', 'l3'].map(name => `DELETED ConfigMap ${name}`),
    ])
  })

  it('X11: notices a new definition, and keeps its integers digit for digit', async () => {
    interface Big {
      metadata?: { name?: string; namespace?: string }
      spec?: { big?: number }
    }
    const query = { group: 'x.io', version: 'v1', kind: 'Big' }
    const bigs = defineResource<Big>({ ...query, plural: 'bigs', namespaced: true })
    await expect(client.list(bigs)).rejects.toSatisfy(isResourceNotFound)
    expect(await client.discover(query)).toBeUndefined()
    const spec = { type: 'object', properties: { big: { type: 'integer', format: 'int64' } } }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
    const definition = {
      metadata: { name: 'bigs.x.io' },
      spec: {
        group: 'x.io',
        scope: 'Namespaced',
        names: { kind: 'Big', listKind: 'BigList', plural: 'bigs', singular: 'big' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    }
    const names = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
    const definitions = defineResource<object>({ ...names, kind: 'CustomResourceDefinition', namespaced: false })
    await client.create(definitions, definition)
    await expect.poll(() => client.discover(query)).toMatchObject({ plural: 'bigs', namespaced: true })

    await client.create(bigs.exact(), { metadata: at('big'), spec: { big: 9007199254740993n } })
    const exact = await client.get(bigs.exact(), at('big'))
    expect(exact?.spec?.big).toBe(9007199254740993n)
    const rounded = (await client.get(bigs, at('big'))) as Big
    await expect(client.update(bigs, rounded)).rejects.toMatchObject({ code: 'INEXACT_NUMBER', path: 'spec.big' })
    if (exact !== undefined) await client.update(bigs.exact(), exact)
    expect((await client.list(bigs.exact())).items[0]?.spec?.big).toBe(9007199254740993n)
  })
})
