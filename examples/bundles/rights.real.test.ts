import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { type ClusterRole, clusterRoleBindings, clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { describe, expect, it, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { declarePlatformOperators } from './operator.ts'
import { type PlatformOperator, platformOperators } from './platform-operator.ts'
import { bundleOf, definitionOf, group } from './testkit/bundles.ts'
import { TestSource } from './testkit/source.ts'

const available = await realApiServerAvailable('rights of bundles on a real API server')
const file = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const user = {
  name: 'system:serviceaccount:bundles:bundles',
  groups: ['system:serviceaccounts', 'system:authenticated'],
}

type Status = PlatformOperator['status']

/** Rules that only a server with RBAC holds. */
describe.runIf(available)('the rights of the manifest, on a real API server', () => {
  /** Runs the operator with them, next to an administrator. */
  async function running(
    body: (parts: { client: Client; source: TestSource; status: (name: string) => Promise<Status> }) => Promise<void>,
  ): Promise<void> {
    await using server = await startApiServer({
      ...{ kind: 'real', controllers: false, authorization: 'RBAC', tokens: { operator: user } },
    })
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await client.create(customResourceDefinitions, parse(file('deploy/crd/platformoperators.bundles.example.com.yaml')))
    await vi.waitFor(() => client.list(platformOperators))
    await client.create(namespaces, { metadata: { name: 'bundles' } })
    const rbac = new Map([clusterRoles, clusterRoleBindings, roles, roleBindings].map(one => [one.resource.kind, one]))
    const manifests = ['deploy/bundles.yaml', 'deploy/roles-by-hand.yaml'].map(file)
    for (const document of manifests.flatMap(text => parseAllDocuments(text))) {
      const object = document.toJS()
      const resource = rbac.get(object.kind)
      if (resource !== undefined) await client.create(resource as typeof clusterRoles, object)
    }
    const own = new Client({ url: server.url, ca: server.ca, token: 'operator' })
    const operator = new Operator({ name: 'bundles', client: own, narrow: { idleMs: 100 } })
    const source = new TestSource()
    declarePlatformOperators(operator, { source, pollMs: 100 })
    const ran = operator.run({ signals: false })
    const status = async (name: string): Promise<Status> => (await client.get(platformOperators, { name }))?.status
    try {
      await body({ client, source, status })
    } finally {
      await operator.close()
      await ran
      await own.close()
    }
  }

  const install = (client: Client, name: string): Promise<unknown> =>
    client.create(platformOperators, { metadata: { name }, spec: { package: name, namespace: `${name}-home` } })
  const installed = (status: Status): string | undefined =>
    status?.conditions?.find(({ type }) => type === 'Installed')?.reason

  /** Gives the operator a right. */
  async function grant(client: Client, name: string, rules: ClusterRole['rules']): Promise<void> {
    const metadata = { name }
    await client.create(clusterRoles, { metadata, rules })
    await client.create(clusterRoleBindings, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'bundles', namespace: 'bundles' }],
    })
  }

  it('a right that a bundle needs and the operator lacks is named, until it is given', () =>
    running(async ({ client, source, status }) => {
      const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }]
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'starter' },
        rules,
      }
      source.release('starter', await bundleOf({ name: 'starter', others: [role] }))
      await install(client, 'starter')
      await vi.waitFor(async () => expect((await status('starter'))?.problems).toHaveLength(1))
      expect((await status('starter'))?.problems).toMatchObject([
        {
          object: 'ClusterRole starter',
          message:
            'it grants create of jobs.batch, which the service account bundles/bundles lacks: add that to a role of the account',
        },
      ])
      await grant(client, 'jobs', rules)
      await vi.waitFor(async () => expect(installed(await status('starter'))).toBe('Installed'))
    }))

  it('an object of a kind that is served and that the operator may not watch is named with the right, and holds up no other', () =>
    running(async ({ client, source, status }) => {
      await client.create(customResourceDefinitions, definitionOf('ServiceMonitor') as never)
      const monitors = defineResource<KubernetesObject>({
        ...{ group, version: 'v1', kind: 'ServiceMonitor', plural: 'servicemonitors', namespaced: true },
      })
      await vi.waitFor(() => client.list(monitors))
      const monitor = { apiVersion: `${group}/v1`, kind: 'ServiceMonitor', metadata: { name: 'chess' } }
      const hours = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }
      source.release('chess', await bundleOf({ name: 'chess', others: [monitor, hours] }))
      await install(client, 'chess')
      await vi.waitFor(async () => expect(installed(await status('chess'))).toBe('Refused'))
      const { problems = [] } = (await status('chess')) ?? {}
      expect(problems).toMatchObject([
        {
          object: 'ServiceMonitor chess',
          message: expect.stringMatching(
            /^the service account bundles\/bundles lacks \w+ of servicemonitors\.widgets\.example\.com/,
          ),
        },
      ])
      expect(await client.get(configMaps, { name: 'hours', namespace: 'chess-home' })).toBeDefined()
      const all = ['get', 'list', 'watch', 'create', 'patch', 'delete']
      await grant(client, 'monitors', [{ apiGroups: [group], resources: ['servicemonitors'], verbs: all }])
      await vi.waitFor(async () => expect(installed(await status('chess'))).toBe('Installed'))
    }))
})
