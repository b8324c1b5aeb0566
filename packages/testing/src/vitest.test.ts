import { rm } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { ask } from './real/ask.ts'
import { setUpApiServer } from './vitest.ts'

const widgets = '/apis/arcade.example.com/v1/widgets'
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.arcade.example.com }
spec:
  group: arcade.example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`

describe('setUpApiServer', () => {
  const cluster = setUpApiServer({ install: definition })
  const seen: string[] = []

  it.for([1, 2])('gives each test a namespace, and deletes it: %i', async () => {
    const { namespace, operator } = cluster
    expect(seen).not.toContain(namespace)
    for (const one of seen) expect((await ask(operator, 'GET', `/api/v1/namespaces/${one}`)).status).toBe(404)
    seen.push(namespace)
    const widget = { apiVersion: 'arcade.example.com/v1', kind: 'Widget', metadata: { name: 'a' } }
    const path = `/apis/arcade.example.com/v1/namespaces/${namespace}/widgets`
    expect((await ask(operator, 'POST', path, widget)).status).toBe(201)
    // What an earlier test made is gone.
    const { items } = JSON.parse((await ask(operator, 'GET', widgets)).text)
    expect(items).toHaveLength(1)
  })

  it('goes on if an object has a finalizer', async () => {
    const { namespace, admin } = cluster
    const configMap = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { name: 'held', finalizers: ['example.com/held'] },
    }
    expect((await ask(admin, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap)).status).toBe(201)
  })
})

describe('setUpApiServer with rights', () => {
  const cluster = setUpApiServer({ rights: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }] })
  afterAll(() => rm('.wherry/rights', { recursive: true }))

  it('gives the operator these rights, and the test all', async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}`
    expect((await ask(cluster.operator, 'GET', `${path}/configmaps`)).status).toBe(200)
    expect((await ask(cluster.operator, 'GET', `${path}/secrets`)).status).toBe(403)
    expect((await ask(cluster.admin, 'GET', `${path}/secrets`)).status).toBe(200)
  })
})

describe.each([
  [undefined, 403],
  [false, 201],
] as const)('setUpApiServer with rights and enforceOwnerRights: %s', (enforceOwnerRights, status) => {
  const rights = [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }]
  const cluster = setUpApiServer({ rights, enforceOwnerRights })
  afterAll(() => rm('.wherry/rights', { recursive: true }))

  it(`answers ${status} to an owner whose finalizers the operator may not update`, async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}/configmaps`
    const head = { apiVersion: 'v1', kind: 'ConfigMap' }
    const owner = await ask(cluster.admin, 'POST', path, { ...head, metadata: { name: 'owner' } })
    const { uid } = JSON.parse(owner.text).metadata
    const ownerReferences = [{ ...head, name: 'owner', uid, blockOwnerDeletion: true }]
    const owned = { ...head, metadata: { name: 'owned', ownerReferences } }
    expect((await ask(cluster.operator, 'POST', path, owned)).status).toBe(status)
  })
})
