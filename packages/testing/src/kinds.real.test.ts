import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiServer, ControlledApiServer, EmbeddedApiServer } from '@wherry/apiserver/api-server'
import { bootstrapPolicy } from '@wherry/apiserver/authn/bootstrap-policy'
import type { IsolatedApiServer } from '@wherry/apiserver/isolated/isolated'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import type { RealApiServer } from './real/real-apiserver.ts'
import { realApiServerAvailable } from './real/testkit/available.ts'
import { type Access, ask, eventually } from './real/testkit/client.ts'
import { startApiServer } from './start.ts'

const available = await realApiServerAvailable('the test of an operator that runs against a real API server')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

const configMaps = '/api/v1/namespaces/default/configmaps'
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { plural: 'games', singular: 'game', kind: 'Game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
}
const games = '/apis/arcade.example.com/v1/namespaces/default/games'
const game = { apiVersion: 'arcade.example.com/v1', kind: 'Game', metadata: { name: 'chess' }, spec: {} }

interface RoleObject {
  readonly metadata: {
    readonly namespace?: string
    readonly name: string
    readonly labels?: object
    readonly annotations?: object
  }
  readonly rules?: unknown
  readonly aggregationRule?: object
  readonly roleRef?: object
  readonly subjects?: readonly object[]
}

/** What of a role or binding is the same on all servers. Rules that are aggregated come a moment later. */
function comparable({ metadata, rules, aggregationRule, roleRef, subjects }: RoleObject): object {
  const { namespace, name, labels, annotations } = metadata
  const own = aggregationRule === undefined ? { rules } : { aggregationRule }
  return { namespace, name, labels, annotations, ...own, roleRef, subjects }
}

/** The default policy by resources, each in the order of a server. */
const defaultRoles: Readonly<Record<string, readonly object[]>> = Object.fromEntries(
  ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(kind => {
    const keyOf = ({ metadata: { namespace = '', name } }: RoleObject): string => `${namespace}/${name}`
    const objects = (bootstrapPolicy() as readonly (RoleObject & { kind: string })[]).filter(one => one.kind === kind)
    return [`${kind.toLowerCase()}s`, objects.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(comparable)]
  }),
)

/** An operator as small as can be: each Game gets a ConfigMap that it owns. */
async function reconcile(server: Access): Promise<void> {
  const { items } = (await ask(server, 'GET', games)).body
  for (const { metadata } of items) {
    const owner = { apiVersion: game.apiVersion, kind: 'Game', name: metadata.name, uid: metadata.uid }
    const body = { metadata: { name: metadata.name, ownerReferences: [owner] }, data: { rules: 'fide' } }
    await ask(server, 'POST', configMaps, body)
  }
}

const accessTo = ({ url, ca = '', token }: ApiServer): Access => ({ url, ca, token })

describe.for(kinds)("an author's test of an operator, with kind '%s'", kind => {
  const tokens = { ann: { name: 'ann', groups: [] } }
  // Most of the time of these tests is the start of a server: those with RBAC share one, those without another.
  let server: ApiServer
  let open: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind, authorization: 'RBAC', recordRights: true })
    open = await startApiServer({ kind, tokens, recordRights: false, clusterObjects: false })
  })
  afterAll(() => Promise.all([server.close(), open.close()]))

  // The roles are compared before others make their own.
  it('F1: has the default roles and bindings of a real server, by name', async () => {
    const access = accessTo(server)
    for (const [resource, wanted] of Object.entries(defaultRoles)) {
      const { body } = await eventually(
        () => ask(access, 'GET', `/apis/rbac.authorization.k8s.io/v1/${resource}`),
        ({ body }) => (body.items as unknown[]).length >= wanted.length,
      )
      expect((body.items as RoleObject[]).map(comparable)).toEqual(wanted)
    }
  })

  it('F1: has the PriorityClasses and the Service that every cluster has', async () => {
    const access = accessTo(server)
    const found = async (path: string): Promise<object> => {
      const { body } = await eventually(
        () => ask(access, 'GET', path),
        ({ status }) => status === 200,
      )
      return body
    }
    const priority = '/apis/scheduling.k8s.io/v1/priorityclasses/system-'
    const start = 'Used for system critical pods that must'
    expect(await found(`${priority}cluster-critical`)).toMatchObject({
      value: 2_000_000_000,
      description: `${start} run in the cluster, but can be moved to another node if necessary.`,
      preemptionPolicy: 'PreemptLowerPriority',
    })
    expect(await found(`${priority}node-critical`)).toMatchObject({
      value: 2_000_001_000,
      description: `${start} not be moved from their current node.`,
      preemptionPolicy: 'PreemptLowerPriority',
    })
    const port = Number(new URL(server.url).port)
    expect(await found('/api/v1/namespaces/default/services/kubernetes')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
    })
    await found('/api/v1/namespaces/default/serviceaccounts/default')
    await found('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')
  })

  it('F1: needs one word to run against another server', async () => {
    // It is restarted, and what a test starts ends with it.
    await using server = await startApiServer({ kind, tokens, authorization: 'RBAC' })
    const access = accessTo(server)
    expect((await ask({ ...access, token: 'ann' }, 'GET', configMaps)).status).toBe(403)
    await ask(access, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    await eventually(
      () => ask(access, 'GET', games),
      ({ status }) => status === 200,
    )
    expect((await ask(access, 'POST', games, game)).status).toBe(201)
    await reconcile(access)
    expect((await ask(access, 'GET', `${configMaps}/chess`)).body.data).toEqual({ rules: 'fide' })
    const before = await server.revision()
    expect(await server.compact()).toBeGreaterThanOrEqual(before)
    await server.restart()
    await ask(access, 'DELETE', `${games}/chess`)
    await eventually(
      () => ask(access, 'GET', `${configMaps}/chess`),
      ({ status }) => status === 404,
    )
  })

  it('F1: gives an account exactly the rights that it was granted, and reports which of them it used', async () => {
    const everywhere = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }
    const here = { verbs: ['create', 'patch'], apiGroups: ['apps'], resources: ['deployments'] }
    const role = { kind: 'Role' as const, metadata: { name: 'writer', namespace: 'shop' }, rules: [here] }
    const { token, user, kubeconfig } = await server.account([everywhere, role], { namespace: 'shop' })
    expect(kubeconfig.users[0]?.user.token).toBe(token)
    const access = { ...accessTo(server), token }
    expect((await ask(access, 'GET', configMaps)).status).toBe(200)
    expect((await ask(access, 'GET', `${configMaps}/none`)).status).toBe(404)
    expect((await ask(access, 'POST', configMaps, { metadata: { name: 'a' } })).status).toBe(403)
    expect((await ask(access, 'GET', '/apis/apps/v1/namespaces/shop/deployments')).status).toBe(403)
    const deployments = '/apis/apps/v1/namespaces/shop/deployments'
    expect((await ask(access, 'POST', deployments, { metadata: { name: 'a/b' } })).status).toBe(422)
    const { [user]: used = [] } = await server.rights()
    expect(used.map(one => [one.kind, one.metadata.namespace, one.rules])).toEqual([
      ['Role', 'default', [everywhere]],
      ['Role', 'shop', [{ ...here, verbs: ['create'] }]],
    ])
    // The rights that the first account used are enough for a second account.
    const again = await server.account(used, { name: 'again' })
    expect((await ask({ ...access, token: again.token }, 'GET', configMaps)).status).toBe(200)
    expect((await ask({ ...access, token: again.token }, 'GET', '/api/v1/configmaps')).status).toBe(403)
    await expect(server.account([], { name: 'again' })).resolves.toMatchObject({
      user: 'system:serviceaccount:default:again',
    })
    await expect(server.account(used, { name: 'again' })).rejects.toThrow('already exists')
  })

  it('F1: leaves namespaces empty with `clusterObjects: false`, and still removes those that are deleted', async () => {
    const access = accessTo(open)
    await ask(access, 'POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
    await ask(access, 'DELETE', '/api/v1/namespaces/shop')
    await eventually(
      () => ask(access, 'GET', '/api/v1/namespaces/shop'),
      ({ status }) => status === 404,
    )
    for (const plural of ['serviceaccounts', 'configmaps']) {
      expect((await ask(access, 'GET', `/api/v1/namespaces/default/${plural}`)).body.items).toEqual([])
    }
  })

  it("F1: lets everybody do everything unless 'RBAC' is asked for, and then has no accounts", async () => {
    expect((await ask({ ...accessTo(open), token: 'ann' }, 'GET', configMaps)).status).toBe(200)
    await expect(open.account([])).rejects.toMatchObject({ code: 'ERR_WHERRY_ACCOUNT' })
    await expect(open.rights()).rejects.toMatchObject({ code: 'ERR_WHERRY_RIGHTS' })
  })
})

describe('startApiServer by kind', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-kinds-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is embedded unless something else is asked for', async () => {
    await using unasked = await startApiServer({ sockets: false })
    await using asked = await startApiServer({ kind: 'embedded', sockets: false })
    expect([unasked.kind, asked.kind]).toEqual(['embedded', 'embedded'])
  })

  it("'auto' is embedded where no real server is found, and says so", async () => {
    await using server = await startApiServer({ kind: 'auto', env: { XDG_CACHE_HOME: folder } })
    expect(server.kind).toBe('embedded')
  })

  it("'auto' does not hide a setting that leads nowhere", async () => {
    const env = { XDG_CACHE_HOME: folder, WHERRY_APISERVER: join(folder, 'nowhere') }
    await expect(startApiServer({ kind: 'auto', env })).rejects.toMatchObject({ code: 'API_SERVER_MISSING' })
  })

  it("'real' says how to get one where there is none", async () => {
    const env = { XDG_CACHE_HOME: folder }
    await expect(startApiServer({ kind: 'real', env })).rejects.toMatchObject({ code: 'API_SERVER_MISSING' })
  })

  it.runIf(available)(
    "'auto' is real where a server is found; all kinds take users by token and let everybody in with 'allow'",
    async () => {
      const tokens = { ann: { name: 'ann', groups: [] } }
      for (const kind of ['embedded', 'auto'] as const) {
        await using open = await startApiServer({ kind, tokens, authorization: 'allow' })
        expect(open.kind).toBe(kind === 'auto' ? 'real' : 'embedded')
        expect((await ask({ ...accessTo(open), token: 'ann' }, 'GET', configMaps)).status).toBe(200)
      }
    },
  )

  it.for([
    [{ kind: 'fake' }, 'kind'],
    [{ kind: 'real', isolate: true }, 'isolate'],
    [{ kind: 'real', build: 'yes' }, 'build'],
    [{ kind: 'real', featureGates: { Shards: 'on' } }, 'featureGates'],
    [{ kind: 'real', flags: { v: 4 } }, 'flags'],
    [{ kind: 'real', readyTimeoutMs: -1 }, 'readyTimeoutMs'],
    [{ kind: 'real', tokens: { a: {} } }, 'tokens'],
    [{ kind: 'real', authorization: () => true }, 'authorization'],
    [{ kind: 'real', version: 1.36 }, 'version'],
    [{ kind: 'auto', tls: false }, 'tls'],
    [{ kind: 'auto', version: '1.36' }, 'version'],
    [{ kind: 'auto', controllers: 1 }, 'controllers'],
    [{ kind: 'embedded', version: '1.37' }, 'version'],
  ] as const)('X6: refuses what that kind does not take: %o', async ([options, option]) => {
    const refused = startApiServer(options as object)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_WHERRY_OPTION', option })
  })

  it('types what it gives by kind', () => {
    const start = startApiServer
    expectTypeOf(() => start()).returns.resolves.toEqualTypeOf<EmbeddedApiServer>()
    expectTypeOf(() => start({ kind: 'embedded' })).returns.resolves.toEqualTypeOf<EmbeddedApiServer>()
    expectTypeOf(() => start({ isolate: true })).returns.resolves.toEqualTypeOf<IsolatedApiServer>()
    expectTypeOf(() => start({ kind: 'real', version: '1.36' })).returns.resolves.toEqualTypeOf<RealApiServer>()
    expectTypeOf(() => start({ kind: 'auto' })).returns.resolves.toEqualTypeOf<EmbeddedApiServer | RealApiServer>()
    const kind = 'real' as 'embedded' | 'real'
    expectTypeOf(() => start({ kind })).returns.resolves.toEqualTypeOf<EmbeddedApiServer | RealApiServer>()
    expectTypeOf(() => start({ isolate: kind === 'real' })).returns.resolves.toEqualTypeOf<ControlledApiServer>()
    // @ts-expect-error -- an option of an embedded server alone
    expectTypeOf(() => start({ kind: 'real', tls: false })).toBeFunction()
    // @ts-expect-error -- an option of a real server alone
    expectTypeOf(() => start({ kind: 'auto', version: '1.36' })).toBeFunction()
  })
})
