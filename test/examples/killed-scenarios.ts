import { type Client, isAlreadyExists, type View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, namespaces, secrets, serviceAccounts } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@wherry/client/resources/rbac'
import { conditionOf, isConditionTrue } from '@wherry/controller'
import { expect, vi } from 'vitest'
import { platforms } from '../../examples/bundles/platform.ts'
import { platformOperators } from '../../examples/bundles/platform-operator.ts'
import { catalogSources } from '../../examples/catalog/catalog-source.ts'
import { clusterServiceVersions, olmConfigs } from '../../examples/copied-resources/resources.ts'
import { gamesV1, games as upgraded } from '../../examples/crd-upgrade/game.ts'
import { conditionType, definition } from '../../examples/crd-upgrade/migration.ts'
import { authorLabel } from '../../examples/defaulting/author.ts'
import { notices, noticesV1beta1 } from '../../examples/defaulting/notice.ts'
import { quotaName } from '../../examples/defaulting/quota.ts'
import { configs } from '../../examples/policy-sync/config.ts'
import type { ConstraintTemplate } from '../../examples/policy-sync/template.ts'
import { constraintsOf, templates } from '../../examples/policy-sync/template.ts'
import { requiredLabels, uniqueHosts } from '../../examples/policy-sync/testkit/templates.ts'
import { games } from '../../examples/quickstart/game.ts'
import { flowCollectors } from '../../examples/secret-reference/flow-collector.ts'
import type { Scenario } from './killed.ts'

const namespace = 'arcade'

/** Notices at both versions, and one more than the quota. Requests are refused while the program is away, and are tried again. */
export const defaulting: Scenario = {
  name: 'defaulting',
  views: [notices, noticesV1beta1],
  async prepare(client) {
    const metadata = { namespace: 'notice-system', name: quotaName }
    await client.create(configMaps, { metadata, data: { default: '3' } })
  },
  async users(client) {
    const metadata = (name: string) => ({ namespace: 'default', name })
    const text = { body: 'Hello\nall', lines: 1 }
    // Without the label of its author, a notice was stored before anybody was asked.
    const isAsked = async (): Promise<void> => {
      const probe = { metadata: metadata('probe'), spec: { text } }
      const { labels = {} } = (await client.create(notices, probe, { dryRun: true })).metadata
      if (labels[authorLabel] === undefined) throw new Error('nobody is asked for the author')
    }
    const written = (write: () => Promise<object>): Promise<object> =>
      vi.waitFor(async () => {
        await isAsked()
        return write().catch(error => {
          if (isAlreadyExists(error)) return {}
          throw error
        })
      })
    await written(() => client.create(notices, { metadata: metadata('a'), spec: { text } }))
    await written(() => client.create(noticesV1beta1, { metadata: metadata('b'), spec: { message: 'Hello' } }))
    await written(() => client.patch(noticesV1beta1, metadata('a'), { spec: { message: 'Good\nmorning' } }))
    await written(() => client.create(notices, { metadata: metadata('c'), spec: { text } }))
    await vi.waitFor(() => expect(isAsked()).rejects.toThrow('the quota of default is 3 notices'))
  },
  async isDone(client) {
    const { items } = await client.list(notices).catch(() => ({ items: [] }))
    return items.length === 3 && items.every(({ status }) => status?.lines === 1)
  },
}

/** Two games with their licences, and one without. */
export const quickstart: Scenario = {
  name: 'quickstart',
  views: [games, configMaps.within({ namespaces: [namespace] })],
  async users(client) {
    for (const i of [0, 1, 2]) {
      const licenceSecret = `licence-${i}`
      if (i > 0) {
        await client.create(secrets, { metadata: { namespace, name: licenceSecret }, stringData: { key: `${i}` } })
      }
      const spec = { title: `Game ${i}`, licenceSecret }
      await client.create(games, { metadata: { namespace, name: `game-${i}` }, spec })
    }
  },
  async isDone(client) {
    const phases = (await client.list(games)).items.map(({ status }) => status?.phase)
    return phases.length === 3 && phases.every(phase => phase !== undefined)
  },
}

const lokiCa = { namespace: 'loki', name: 'loki-gateway-ca' }
const kafkaCa = { namespace: 'kafka', name: 'kafka-cluster-ca-cert' }

/** A FlowCollector before what it refers to. */
export const secretReference: Scenario = {
  name: 'secret-reference',
  views: [flowCollectors, configMaps.within({ namespaces: ['netobserv'] })],
  async prepare(client) {
    await client.create(namespaces, { metadata: { name: 'netobserv' } })
  },
  async users(client) {
    const caCert = { type: 'configmap', certFile: 'service-ca.crt', ...lokiCa } as const
    const kafkaCert = { type: 'secret', certFile: 'ca.crt', ...kafkaCa } as const
    await client.create(flowCollectors, {
      metadata: { name: 'cluster' },
      spec: {
        namespace: 'netobserv',
        loki: { mode: 'Manual', manual: { tls: { enable: true, caCert } } },
        kafka: { address: 'kafka:9093', topic: 'flows', tls: { enable: true, caCert: kafkaCert } },
      },
    })
    for (const name of ['loki', 'kafka']) await client.create(namespaces, { metadata: { name } })
    await client.create(configMaps, { metadata: lokiCa, data: { 'service-ca.crt': 'of loki' } })
    await client.create(secrets, { metadata: kafkaCa, stringData: { 'ca.crt': 'of kafka' } })
  },
  async isDone(client) {
    const { status } = (await client.get(flowCollectors, { name: 'cluster' })) ?? {}
    return conditionOf(status?.conditions, 'CertificatesReady')?.status === 'True'
  },
}

/** Three sources in four namespaces, and one source that goes. */
export const copiedResources: Scenario = {
  name: 'copied-resources',
  views: [clusterServiceVersions, olmConfigs],
  async prepare(client) {
    await client.create(namespaces, { metadata: { name: 'operators' } })
  },
  async users(client) {
    for (const i of [1, 2, 3, 4]) {
      await client.create(namespaces, { metadata: { name: `member-${i}`, labels: { 'operator-group': namespace } } })
      const metadata = { namespace: 'operators', name: `csv-${i}` }
      await client.create(clusterServiceVersions, { metadata, spec: { displayName: `Games ${i}` } })
    }
    await client.delete(clusterServiceVersions, { namespace: 'operators', name: 'csv-1' })
  },
  async isDone(client) {
    const { items } = await client.list(clusterServiceVersions)
    const copies = items.filter(({ status }) => status?.reason === 'Copied')
    return copies.length === 12 && items.length === 15
  },
}

/** Two templates with a constraint each, which users make as soon as their kinds are served. */
export const policySync: Scenario = {
  name: 'policy-sync',
  views: [
    ...[configs, templates, constraintsOf(uniqueHosts), constraintsOf(requiredLabels), customResourceDefinitions],
  ] as View[],
  async users(client) {
    const ingress = { group: 'networking.k8s.io', kind: 'Ingress' }
    await client.create(configs, { metadata: { name: 'config' }, spec: { sync: [ingress] } })
    for (const name of ['a', 'b']) {
      const backend = { service: { name: 'web', port: { number: 80 } } }
      const http = { paths: [{ path: '/', pathType: 'Prefix' as const, backend }] }
      const metadata = { namespace: 'default', name }
      await client.create(ingresses, { metadata, spec: { rules: [{ host: 'one.example.com', http }] } })
    }
    const constrain = async (of: ConstraintTemplate, match: object[], parameters?: object): Promise<void> => {
      await client.create(templates, of)
      const spec = { match, ...(parameters && { parameters }) }
      await vi.waitFor(() => client.create(constraintsOf(of), { metadata: { name: 'all' }, spec } as never))
    }
    await constrain(uniqueHosts, [ingress])
    await constrain(requiredLabels, [{ group: '', kind: 'Namespace' }], { labels: ['owner'] })
  },
  async isDone(client) {
    const found = async (of: ConstraintTemplate): Promise<boolean> => {
      const { status } = (await client.get(constraintsOf(of), { name: 'all' })) ?? {}
      return isConditionTrue(status?.conditions, 'Audited') && (status?.totalViolations ?? 0) > 1
    }
    return (await found(uniqueHosts).catch(() => false)) && found(requiredLabels).catch(() => false)
  },
}

/** A CatalogSource of an index that the registry has. */
export function catalog(image: string, ca: string): Scenario {
  const key = { namespace: 'catalogs', name: 'community' }
  return {
    name: 'catalog',
    views: [catalogSources],
    async users(client) {
      const caBundle = Buffer.from(ca).toString('base64')
      await client.create(catalogSources, { metadata: key, spec: { image, poll: { intervalMs: 1000 }, caBundle } })
    },
    async isDone(client) {
      return isConditionTrue((await client.get(catalogSources, key))?.status?.conditions, 'UpToDate')
    },
  }
}

/** Two packages are installed, and one of them goes when it is there. */
export function bundles(catalogUrl: string): Scenario {
  const isInstalled = async (client: Client, name: string): Promise<boolean> => {
    const { conditions } = (await client.get(platformOperators, { name }))?.status ?? {}
    return isConditionTrue(conditions, 'Installed') && isConditionTrue(conditions, 'UpToDate')
  }
  return {
    name: 'bundles',
    args: ['--catalog', catalogUrl, '--poll-ms', '300'],
    views: [
      ...[platformOperators, platforms, customResourceDefinitions, deployments, serviceAccounts, namespaces],
      ...[roles, roleBindings, clusterRoles, clusterRoleBindings],
    ] as View[],
    async users(client) {
      for (const name of ['chess', 'go']) {
        const spec = { package: name, namespace: `${name}-home` }
        await client.create(platformOperators, { metadata: { name }, spec })
      }
      await vi.waitFor(async () => {
        if (!(await isInstalled(client, 'go'))) throw new Error('go is not installed')
      })
      await client.delete(platformOperators, { name: 'go' })
    },
    async isDone(client) {
      const isGone = (await client.get(platformOperators, { name: 'go' })) === undefined
      const { total } = (await client.get(platforms, { name: 'cluster' }))?.status ?? {}
      const home = await client.get(namespaces, { name: 'go-home' })
      return isGone && total === 1 && home === undefined && (await isInstalled(client, 'chess'))
    },
  }
}

/** Sixty games that are stored at the version before. */
export const crdUpgrade: Scenario = {
  name: 'crd-upgrade',
  views: [upgraded, customResourceDefinitions] as View[],
  async prepare(client) {
    const name = { name: definition }
    const storeAt = async (stored: string): Promise<void> => {
      const { spec } = (await client.get(customResourceDefinitions, name)) ?? {}
      const versions = spec?.versions.map(version => ({ ...version, storage: version.name === stored }))
      await client.patch(customResourceDefinitions, name, { spec: { versions } })
    }
    await storeAt('v1')
    for (let i = 0; i < 60; i++) {
      const metadata = { namespace, name: `game-${i}` }
      await vi.waitFor(() => client.create(gamesV1, { metadata, spec: { title: `Game ${i}` } }))
    }
    await storeAt('v2')
  },
  async isDone(client) {
    const { status, spec } = (await client.get(customResourceDefinitions, { name: definition })) ?? {}
    const isMigrated = isConditionTrue(status?.conditions ?? [], conditionType) && spec?.versions.length === 1
    return isMigrated && (await client.list(upgraded)).items.every(game => game.status?.phase === 'Ready')
  },
}
