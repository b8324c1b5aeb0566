import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import type { MemoryTransport } from '@wherry/apiserver/front/memory'
import { ask } from '@wherry/apiserver/install/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  const file = relative(process.cwd(), import.meta.filename)
  const earlier = { renamed: file, 'has not run yet': file, 'of another file': 'another.test.ts' }
  beforeAll(async () => {
    await mkdir('.wherry/rights', { recursive: true })
    for (const [name, from] of Object.entries(earlier)) {
      const test = `setUpApiServer with rights > ${name}`
      await writeFile(`.wherry/rights/${name}.json`, JSON.stringify({ test, file: from, rights: [] }))
    }
  })
  afterAll(() => rm('.wherry/rights', { recursive: true }))

  it('gives the operator these rights, and the test all', async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}`
    expect((await ask(cluster.operator, 'GET', `${path}/configmaps`)).status).toBe(200)
    expect((await ask(cluster.operator, 'GET', `${path}/secrets`)).status).toBe(403)
    expect((await ask(cluster.admin, 'GET', `${path}/secrets`)).status).toBe(200)
  })

  const left = async (): Promise<string[]> => {
    const files = await readdir('.wherry/rights')
    return Object.keys(earlier).filter(name => files.includes(`${name}.json`))
  }

  it('K4: deletes what tests recorded that the file no longer has, and leaves those that a filter may leave out', async () =>
    expect(await left()).toEqual(['has not run yet', 'of another file']))

  it('has not run yet', async () => expect(await left()).toContain('has not run yet'))
})

describe.each([
  [undefined, 403],
  [false, 201],
] as const)('setUpApiServer with rights and enforceOwnerRights: %s', (enforceOwnerRights, status) => {
  const rights = [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }]
  const cluster = setUpApiServer({ rights, enforceOwnerRights })
  afterAll(() => rm('.wherry/rights', { recursive: true }))

  it(`answers ${status} to an owner if the operator may not update its finalizers`, async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}/configmaps`
    const head = { apiVersion: 'v1', kind: 'ConfigMap' }
    const owner = await ask(cluster.admin, 'POST', path, { ...head, metadata: { name: 'owner' } })
    const { uid } = JSON.parse(owner.text).metadata
    const ownerReferences = [{ ...head, name: 'owner', uid, blockOwnerDeletion: true }]
    const owned = { ...head, metadata: { name: 'owned', ownerReferences } }
    expect((await ask(cluster.operator, 'POST', path, owned)).status).toBe(status)
  })
})

describe('setUpApiServer and objects without a namespace', () => {
  const held = `
apiVersion: v1
kind: Namespace
metadata: { name: installed }
`
  const cluster = setUpApiServer({ install: [definition, held] })
  const names: string[] = []

  it.for([1, 2])('removes those that a test made, and keeps what was installed: %i', async time => {
    const { admin } = cluster
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
    expect((await ask(admin, 'GET', `${roles}/mine`)).status).toBe(404)
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'mine' },
      rules: [],
    }
    expect((await ask(admin, 'POST', roles, role)).status).toBe(201)
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const gadgets = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.arcade.example.com' },
      spec: {
        ...{ group: 'arcade.example.com', scope: 'Cluster', names: { plural: 'gadgets', kind: 'Gadget' } },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }
    expect((await ask(admin, 'POST', crds, gadgets)).status).toBe(201)
    expect((await ask(admin, 'GET', `${crds}/widgets.arcade.example.com`)).status).toBe(200)
    expect((await ask(admin, 'GET', '/api/v1/namespaces/installed')).status).toBe(200)
    names.push(`${time} ${cluster.namespace}`)
    expect(names).toHaveLength(time)
  })
})

describe('setUpApiServer in simulated time', () => {
  const rights = [{ verbs: ['list', 'create'], apiGroups: [''], resources: ['configmaps'] }]
  const cluster = setUpApiServer({ time: 'simulated', rights, install: definition })
  afterAll(() => rm('.wherry/rights', { recursive: true }))
  const began: number[] = []

  it.for([1, 2])('has a server in memory, rights, and a clock that the test controls: %i', () => {
    const { simulation } = cluster
    return simulation.run(async () => {
      const { transport, url, token, environment } = cluster.operator
      expect(environment.clock).toBe(simulation.clock)
      const connection = await (transport as MemoryTransport).connect(new URL(url), new AbortController().signal)
      const statusOf = (path: string) =>
        new Promise<number>((resolve, reject) => {
          const headers = { authorization: `Bearer ${token}` }
          connection.request({ method: 'GET', path, headers }, { head: resolve, data() {}, end() {}, error: reject })
        })
      const namespace = `/api/v1/namespaces/${cluster.namespace}`
      expect([await statusOf(`${namespace}/configmaps`), await statusOf(`${namespace}/secrets`)]).toEqual([200, 403])
      const from = simulation.clock.now()
      if (began.length > 0) expect(from).toBeGreaterThan(began[0] ?? 0)
      began.push(from)
      await simulation.advance(48 * 3_600_000)
      expect(simulation.clock.now() - from).toBeGreaterThanOrEqual(48 * 3_600_000)
    })
  })

  it('fails a test as in real time', () => {
    cluster.expectError('too big')
    cluster.admin.environment.onError(new Error('chess is too big'), { phase: 'reconcile' })
  })
})

describe('setUpApiServer in real time', () => {
  const cluster = setUpApiServer()

  it('has no simulation', () => {
    expect(() => cluster.simulation).toThrow("only with time: 'simulated'")
  })
})

describe('setUpApiServer with play', () => {
  const cluster = setUpApiServer({ play: { pods: true, jobs: true } })
  const job = (name: string, more: object = {}) => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: {
      ...{ template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'main:1' }] } } },
      ...more,
    },
  })
  const create = async (body: object): Promise<void> => {
    const path = `/apis/batch/v1/namespaces/${cluster.namespace}/jobs`
    expect((await ask(cluster.admin, 'POST', path, body)).status).toBe(201)
    await cluster.player.settled()
  }

  it.for([1, 2])('plays the named kinds, in the namespace of each test: %i', async () => {
    await create(job('once'))
    const path = `/apis/batch/v1/namespaces/${cluster.namespace}/jobs/once`
    expect(JSON.parse((await ask(cluster.admin, 'GET', path)).text).status).toMatchObject({ succeeded: 1 })
  })

  it('a test may expect what can not be played', async () => {
    cluster.expectError('spec.successPolicy is not played')
    const rules = [{ succeededIndexes: '0' }]
    await create(job('odd', { completionMode: 'Indexed', completions: 2, successPolicy: { rules } }))
  })
})

describe('setUpApiServer without play', () => {
  const cluster = setUpApiServer()

  it('has no player, and refuses an unknown part when it is declared', () => {
    expect(() => cluster.player).toThrow('setUpApiServer: only with the option play is there a player')
    const play = { podz: true } as object
    expect(() => setUpApiServer({ play })).toThrow('play: podz is not known')
  })
})
