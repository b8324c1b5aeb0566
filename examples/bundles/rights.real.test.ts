import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { describe, expect, it, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { declarePlatformOperators } from './operator.ts'
import { platformOperators } from './platform-operator.ts'
import { bundleOf } from './testkit/bundles.ts'
import { TestSource } from './testkit/source.ts'

const available = await realApiServerAvailable('rights of bundles on a real API server')
const file = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const user = {
  name: 'system:serviceaccount:bundles:bundles',
  groups: ['system:serviceaccounts', 'system:authenticated'],
}

/** Rules that only a server with RBAC holds. */
describe.runIf(available)('the rights of the manifest, on a real API server', () => {
  it('a right that a bundle needs and the operator lacks is named, until it is given', async () => {
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
    try {
      const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }]
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'starter' },
        rules,
      }
      source.release('starter', await bundleOf({ name: 'starter', others: [role] }))
      await client.create(platformOperators, {
        metadata: { name: 'starter' },
        spec: { package: 'starter', namespace: 'starter-home' },
      })
      const status = async () => (await client.get(platformOperators, { name: 'starter' }))?.status
      await vi.waitFor(async () => expect((await status())?.problems).toHaveLength(1))
      expect((await status())?.problems).toMatchObject([
        {
          object: 'ClusterRole starter',
          message:
            'it grants create of jobs.batch, which the service account bundles/bundles lacks: add that to a role of the account',
        },
      ])
      const metadata = { name: 'jobs' }
      await client.create(clusterRoles, { metadata, rules })
      await client.create(clusterRoleBindings, {
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'jobs' },
        subjects: [{ kind: 'ServiceAccount', name: 'bundles', namespace: 'bundles' }],
      })
      const installed = async () => (await status())?.conditions?.find(({ type }) => type === 'Installed')?.reason
      await vi.waitFor(async () => expect(await installed()).toBe('Installed'))
    } finally {
      await operator.close()
      await ran
      await own.close()
    }
  })
})
