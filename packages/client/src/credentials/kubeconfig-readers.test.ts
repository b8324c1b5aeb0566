import { normalize } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../clock.ts'
import { accessOf, commandFrom, fileFrom, type KubeConfigLike } from './kubeconfig.ts'
import { Kubeconfig } from './kubeconfig-document.ts'
import { byLibrary } from './kubeconfig-library.ts'
import { moreOf } from './kubeconfig-users.ts'

const directory = '/home/jane/.kube'
const ca = Buffer.from('-----BEGIN CERTIFICATE-----\nCA\n').toString('base64')

/** The forms in which tools and providers write a kubeconfig. */
const files: Readonly<Record<string, readonly string[]>> = {
  'kind, with certificates as data': [
    `apiVersion: v1
kind: Config
preferences: {}
current-context: kind-dev
clusters:
- cluster:
    certificate-authority-data: ${ca}
    server: https://127.0.0.1:41234
  name: kind-dev
contexts:
- context:
    cluster: kind-dev
    user: kind-dev
  name: kind-dev
users:
- name: kind-dev
  user:
    client-certificate-data: ${ca}
    client-key-data: ${ca}
`,
  ],
  'minikube, with files, an extension and a namespace': [
    `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /home/jane/.minikube/ca.crt
    extensions:
    - extension:
        last-update: Mon, 30 Nov 2026 10:00:00 UTC
        provider: minikube.sigs.k8s.io
      name: cluster_info
    server: https://192.168.49.2:8443/
  name: minikube
contexts:
- context:
    cluster: minikube
    extensions: []
    namespace: default
    user: minikube
  name: minikube
current-context: minikube
kind: Config
users:
- name: minikube
  user:
    client-certificate: ../.minikube/client.crt
    client-key: ../.minikube/client.key
`,
  ],
  'EKS, with a plugin without environment': [
    `apiVersion: v1
clusters:
- cluster: {certificate-authority-data: ${ca}, server: "https://ABC.gr7.eu-west-1.eks.amazonaws.com"}
  name: arn:aws:eks:eu-west-1:123456789012:cluster/prod
contexts:
- context: {cluster: "arn:aws:eks:eu-west-1:123456789012:cluster/prod", user: "arn:aws:eks:eu-west-1:123456789012:cluster/prod"}
  name: prod
current-context: prod
kind: Config
users:
- name: arn:aws:eks:eu-west-1:123456789012:cluster/prod
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args: [--region, eu-west-1, eks, get-token, --cluster-name, prod, --output, json]
      command: aws
      env: null
      interactiveMode: IfAvailable
      provideClusterInfo: false
`,
  ],
  'GKE, with a plugin, its hint and the cluster': [
    `apiVersion: v1
kind: Config
clusters: [{name: gke, cluster: {server: https://34.1.2.3, certificate-authority-data: ${ca}}}]
contexts: [{name: gke, context: {cluster: gke, user: gke}}]
current-context: gke
users:
- name: gke
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      installHint: Install gke-gcloud-auth-plugin
      provideClusterInfo: true
`,
  ],
  'AKS, with a plugin in a folder next to the file': [
    `apiVersion: v1
kind: Config
clusters: [{name: aks, cluster: {server: https://aks.hcp.westeurope.azmk8s.io:443, certificate-authority-data: ${ca}}}]
contexts: [{name: aks, context: {cluster: aks, user: clusterUser_rg_aks}}]
current-context: aks
users:
- name: clusterUser_rg_aks
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/kubelogin
      args: [get-token, --login, devicecode]
      env: [{name: AAD, value: "1"}]
`,
  ],
  'OpenShift, with tokens and names that contain a slash': [
    `apiVersion: v1
clusters:
- {name: "api-crc-testing:6443", cluster: {insecure-skip-tls-verify: true, server: "https://api.crc.testing:6443"}}
contexts:
- name: default/api-crc-testing:6443/kubeadmin
  context: {cluster: "api-crc-testing:6443", namespace: default, user: "kubeadmin/api-crc-testing:6443"}
- name: /api-crc-testing:6443/developer
  context: {cluster: "api-crc-testing:6443", user: "developer/api-crc-testing:6443"}
current-context: default/api-crc-testing:6443/kubeadmin
kind: Config
users:
- {name: "kubeadmin/api-crc-testing:6443", user: {token: sha256~abc}}
- {name: "developer/api-crc-testing:6443", user: {token: sha256~def}}
`,
  ],
  'a login, a proxy and a server name': [
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: https://10.0.0.1:6443, tls-server-name: kubernetes, proxy-url: "http://proxy:3128"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
users: [{name: u, user: {username: admin, password: secret}}]
`,
  ],
  'a token in a file, and a user that acts as another': [
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: https://host}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
users: [{name: u, user: {tokenFile: token, as: jane, as-groups: [devs], as-uid: "7", as-user-extra: {scopes: [x]}}}]
`,
  ],
  'an anchor, a user without credentials and a context without a user': [
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: &c {server: https://host}}, {name: d, cluster: *c}]
contexts: [{name: c, context: {cluster: c, user: u}}, {name: d, context: {cluster: d}}, {name: e, context: {cluster: d, user: v}}]
current-context: c
users: [{name: u, user: {}}, {name: v, user: null}]
`,
  ],
  JSON: [
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'c', cluster: { server: 'https://host', 'certificate-authority': 'ca.crt' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'arcade' } }],
      users: [{ name: 'u', user: { token: 'abc' } }],
    }),
  ],
  'two files with names in common': [
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: https://first}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: first}}]
`,
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: https://second}}, {name: d, cluster: {server: https://other}}]
contexts: [{name: c, context: {cluster: d, user: u}}, {name: d, context: {cluster: d, user: v}}]
current-context: d
users: [{name: u, user: {token: second}}, {name: v, user: {token: other}}]
`,
  ],
}

function byOurs(texts: readonly string[]): Kubeconfig {
  const [first, ...others] = texts.map(text => Kubeconfig.from(parse(text, { merge: true }), directory))
  return others.reduce((merged, other) => merged.merged(other), first as Kubeconfig)
}

/** Reads and merges kubeconfigs by the library, with what it leaves out added. */
function byTheirs(texts: readonly string[], context: string): KubeConfig {
  const [merged, ...others] = texts.map(text => {
    const config = new KubeConfig()
    config.loadFromString(text)
    config.users = withMore(config.users, parse(text, { merge: true }))
    config.makePathsAbsolute(directory)
    makePluginsAbsolute(config)
    return config
  })
  for (const other of others) merge(merged as KubeConfig, other)
  merged?.setCurrentContext(context)
  return merged as KubeConfig
}

/** Makes commands of plugins and token files absolute, which client-node does not. They are relative to their kubeconfig. */
function makePluginsAbsolute(config: KubeConfig): void {
  config.users = config.users.map(user => {
    const { exec, authProvider } = user
    const tokenFile = authProvider?.config?.tokenFile
    return {
      ...user,
      ...(typeof exec?.command === 'string' && { exec: { ...exec, command: commandFrom(exec.command, directory) } }),
      ...(typeof tokenFile === 'string' && {
        authProvider: {
          ...authProvider,
          config: { ...authProvider.config, tokenFile: fileFrom(tokenFile, directory) },
        },
      }),
    }
  })
}

/** Adds the clusters, users and contexts of `config` that `merged` lacks. */
function merge(merged: KubeConfig, config: KubeConfig): void {
  const { clusters, users, contexts } = merged
  const lacks = <T extends { readonly name: string }>(known: readonly T[], one: T): boolean =>
    known.every(({ name }) => name !== one.name)
  for (const one of config.clusters) if (lacks(clusters, one)) merged.addCluster(one)
  for (const one of config.users) if (lacks(users, one)) merged.addUser(one)
  for (const one of config.contexts) if (lacks(contexts, one)) merged.addContext(one)
  if (!merged.currentContext && config.currentContext) merged.setCurrentContext(config.currentContext)
}

function withMore<U extends { readonly name: string }>(
  users: readonly U[],
  document: { readonly users?: readonly { readonly user?: object | null }[] },
): U[] {
  return users.map((user, index) => ({ ...user, ...moreOf(document.users?.[index]?.user ?? {}, user.name) }))
}

/** The parts of a kubeconfig that a client uses, without the fields that are undefined or null. */
function used(config: KubeConfigLike): unknown {
  const current = config.getCurrentContext()
  const { namespace, user } = config.getContextObject(current) ?? {}
  // The library drops the extensions.
  const cluster = { ...config.getCurrentCluster(), extensions: undefined }
  const parts = { current, namespace, user, cluster, as: config.getCurrentUser() }
  const plain = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('/home/') ? normalize(value) : (value ?? undefined)
  return JSON.parse(JSON.stringify(parts, plain))
}

function contextsOf(texts: readonly string[]): string[] {
  const all = texts.flatMap(text => (parse(text) as { contexts: { name: string }[] }).contexts)
  return [...new Set(all.map(({ name }) => name))]
}

describe.each(Object.entries(files))('%s', (_, texts) => {
  it.each(contextsOf(texts))('is read as @kubernetes/client-node reads it: %s', name => {
    const ours = byOurs(texts).withContext(name)
    const theirs = byTheirs(texts, name)
    expect(used(ours)).toEqual(used(theirs))
    const [one, other] = [ours, theirs].map(config => accessOf(config, systemClock(), directory))
    expect({ ...one, credentials: 0 }).toEqual({ ...other, credentials: 0 })
  })

  it.each(contextsOf(texts))('is the same when it is given to the library: %s', async name => {
    const ours = byOurs(texts).withContext(name)
    expect(used(await byLibrary(ours))).toEqual(used(ours))
  })
})

it.each([
  ['users: [{name: u, user: {token: 123}}]', 'token of user "u" must be text: put it in quotes'],
  ['clusters: {}', 'clusters must be a list'],
  ['clusters: [{name: c}]', 'clusters[0].cluster must be an object'],
  ['clusters: [{name: c, cluster: {}}]', 'clusters[0].cluster.server is missing'],
  ['clusters: [{cluster: {server: https://host}}]', 'clusters[0].name is missing'],
  [
    'clusters: [{name: c, cluster: {server: https://host, insecure-skip-tls-verify: "yes"}}]',
    'clusters[0].cluster.insecure-skip-tls-verify must be true or false',
  ],
  ['contexts: [{name: c, context: {user: u}}]', 'contexts[0].context.cluster is missing'],
  ['users: [{name: u, user: {exec: aws}}]', 'users[0].user.exec must be an object'],
  ['kind: List', 'the kind of a kubeconfig is Config'],
  ['[]', 'the kubeconfig must be an object'],
])('%s is an error that names the field', (text, message) => {
  expect(() => Kubeconfig.from(parse(text), directory)).toThrow(
    expect.objectContaining({ code: 'KUBECONFIG_INVALID', message }),
  )
})
