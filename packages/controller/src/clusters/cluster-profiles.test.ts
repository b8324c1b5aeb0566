import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ClusterProfileProvider, clusterProfiles } from '@wherry/controller/clusters'
import { startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { finding } from './testkit/finding.ts'
import { inFleet } from './testkit/fleet.ts'

const group = 'multicluster.x-k8s.io'

interface Profile extends KubernetesObject {
  status?: object
}

const profiles = defineResource<Profile>({
  ...{ group, version: 'v1alpha1', kind: 'ClusterProfile', plural: 'clusterprofiles', namespaced: true },
})

async function defineProfiles(home: Client): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } as never }
  await home.create(customResourceDefinitions, {
    metadata: { name: `clusterprofiles.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind: 'ClusterProfile', plural: 'clusterprofiles' } },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    } as never,
  })
}

const provider = (name: string, command = 'cp-creds'): ClusterProfileProvider => ({
  name,
  execConfig: { apiVersion: 'client.authentication.k8s.io/v1', command, provideClusterInfo: true },
})

const profile = (name: string, status: object, namespace = 'default', labels = {}) => ({
  ...{ apiVersion: `${group}/v1alpha1`, kind: 'ClusterProfile' },
  metadata: { name, namespace, labels },
  status,
})

const access = (name: string, server: string, more = {}) => ({ name, cluster: { server, ...more } })

it('M1: finds the clusters of profiles by the first provider that is known, and removes those that go', () =>
  inFleet([], async ({ home, simulation }) => {
    await defineProfiles(home)
    await simulation.advance(2000)
    const eu = { accessProviders: [access('b', 'https://eu-b.example.com'), access('a', 'https://eu-a.example.com')] }
    await home.create(profiles, profile('eu', eu))
    await home.create(profiles, profile('us', { credentialProviders: [access('b', 'https://us.example.com')] }))
    await home.create(profiles, profile('asia', { accessProviders: [access('c', 'https://asia.example.com')] }))
    await home.create(profiles, profile('far', { accessProviders: [access('a', 'https://far')] }, 'kube-system'))
    await home.create(profiles, profile('new', {}))
    const providers = [provider('a'), provider('b')]
    const one = finding(clusterProfiles({ providers, namespace: 'default' }), home)
    const all = finding(clusterProfiles({ providers }), home)
    await simulation.advance(5000)
    const invalid = 'is invalid: clusterprofile default'
    expect(one.events.toSorted()).toEqual([
      `asia ${invalid}/asia: it has no access provider that is known here; it has c`,
      'eu https://eu-a.example.com/',
      `new ${invalid}/new: it has no access provider that is known here; it has none`,
      'us https://us.example.com/',
    ])
    expect(all.events).toContain('kube-system/far https://far/')
    one.events.length = 0
    // An equal cluster is no change.
    await home.patch(profiles, { name: 'eu', namespace: 'default' }, { metadata: { labels: { a: 'b' } } })
    await simulation.advance(2000)
    expect(one.events).toEqual([])
    const moved = { accessProviders: [access('a', 'https://eu2.example.com')] }
    await home.patch(profiles, { name: 'eu', namespace: 'default' }, { status: moved })
    await home.delete(profiles, { name: 'us', namespace: 'default' })
    await simulation.advance(2000)
    expect(one.events).toEqual(['eu https://eu2.example.com/', 'us is removed'])
    await Promise.all([one.stop(), all.stop()])
  }))

it('M1: refuses a profile that would turn verification off, read a file, or has no server', () =>
  inFleet([], async ({ home, simulation }) => {
    await defineProfiles(home)
    await simulation.advance(2000)
    const refused = {
      unverified: { server: 'https://a', 'insecure-skip-tls-verify': true },
      file: { server: 'https://a', 'certificate-authority': '/etc/passwd' },
      none: {},
      odd: { server: 7 },
      plain: { server: 'http://10.0.0.1' },
    }
    for (const [name, cluster] of Object.entries(refused))
      await home.create(profiles, profile(name, { accessProviders: [{ name: 'a', cluster }] }))
    const { events, stop } = finding(clusterProfiles({ providers: [provider('a')], namespace: 'default' }), home)
    await simulation.advance(5000)
    expect(events.map(line => line.replace(/ is invalid: clusterprofile default/, '')).toSorted()).toEqual([
      'file/file: its cluster names a file, certificate-authority',
      expect.stringMatching(/^none\/none: .*URL/),
      'odd/odd: its cluster has a server that is no text',
      'plain/plain: credentials are not sent over plain http to 10.0.0.1',
      'unverified/unverified: its cluster has insecure-skip-tls-verify',
    ])
    await stop()
  }))

it('gives the plugin of the provider the cluster, with what the profile has for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'profiles-'))
  try {
    const plugin = join(folder, 'plugin.cjs')
    const script = `#!${process.execPath}
const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
const token = [spec.cluster.server, spec.cluster.config.clusterName, process.env.REGION, process.argv[2]].join('|')
console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }))`
    await writeFile(plugin, script)
    await chmod(plugin, 0o755)
    await using server = await startApiServer({ sockets: false, clusterObjects: false })
    // A plugin takes real time.
    await using home = new Client({ url: server.url, token: server.token, transport: server.transport() })
    await defineProfiles(home)
    const extensions = [
      { name: 'client.authentication.k8s.io/exec', extension: { clusterName: 'prod-7' } },
      { name: 'clusterprofiles.multicluster.x-k8s.io/exec/additional-args', extension: ['--evil'] },
    ]
    const status = { accessProviders: [access('a', 'https://eu.example.com', { extensions })] }
    await vi.waitFor(() => home.create(profiles, profile('eu', status)))
    const { execConfig } = provider('a', plugin)
    const env = [{ name: 'REGION', value: 'eu' }]
    const providers = [{ name: 'a', execConfig: { ...execConfig, args: ['--plain'], env } }]
    const { accesses, stop } = finding(clusterProfiles({ providers, namespace: 'default' }), home)
    await vi.waitFor(() => expect(accesses.has('eu')).toBe(true))
    expect(await accesses.get('eu')?.credentials.headers()).toEqual({
      authorization: 'Bearer https://eu.example.com|prod-7|eu|--plain',
    })
    await stop()
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('X6: refuses providers that are wrong, and what would let a profile choose how a plugin runs', () => {
  const wrong = (providers: unknown, option: string): void =>
    expect(() => clusterProfiles({ providers } as never)).toThrow(option)
  wrong(undefined, 'clusterProfiles.providers')
  wrong([], 'clusterProfiles.providers')
  wrong([{ name: 'a' }], 'clusterProfiles.providers[0].execConfig')
  const { execConfig } = provider('a')
  const having = (more: object): unknown => [{ name: 'a', execConfig: { ...execConfig, ...more } }]
  wrong(having({ apiVersion: 'v1' }), 'clusterProfiles.providers[0].execConfig.apiVersion')
  wrong(having({ interactiveMode: 'Always' }), 'clusterProfiles.providers[0].execConfig.interactiveMode')
  wrong(having({ env: { A: 'b' } }), 'clusterProfiles.providers[0].execConfig.env')
  wrong([{ ...provider('a'), profileSourcedCLIArgsPolicy: 'Append' }], 'profileSourcedCLIArgsPolicy')
  expect(clusterProfiles({ providers: [provider('a')], namespace: 'fleet' }).rights).toMatchObject([
    { verb: 'list', group, resource: 'clusterprofiles', namespace: 'fleet' },
    { verb: 'watch', group, resource: 'clusterprofiles', namespace: 'fleet' },
  ])
})
