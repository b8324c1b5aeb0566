import {
  type Clock,
  type ClusterAccess,
  defineResource,
  fromKubeConfig,
  type KubernetesObject,
  OptionRangeError,
  OptionTypeError,
} from '@wherry/client'
import { asError, checkOptions, flag, oneOf, text, texts } from '@wherry/client/internal'
import { viewRights } from '../operator/declaration.ts'
import { ClusterProfileError } from './errors.ts'
import { objectsProvider } from './objects-provider.ts'
import type { ClusterProvider } from './provider.ts'

/** How to get credentials for clusters of one provider: an entry of the provider file of the Cluster Inventory API (KEP-5339). */
export interface ClusterProfileProvider {
  /** The name of the access provider, as in `status.accessProviders` of the profiles. */
  readonly name: string
  /** The credential plugin, as `exec` of a user in a kubeconfig. */
  readonly execConfig: {
    /** `client.authentication.k8s.io/v1` or `v1beta1`. */
    readonly apiVersion: string
    /** The program. Without a slash it is searched in PATH. */
    readonly command: string
    /** @default none */
    readonly args?: readonly string[] | undefined
    /** Added to the environment of this process. @default none */
    readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined
    /** Whether the plugin gets the cluster in `KUBERNETES_EXEC_INFO`, with what the profile has for it. @default false */
    readonly provideClusterInfo?: boolean | undefined
    /** A text for the error if the program does not exist. @default none */
    readonly installHint?: string | undefined
    /** Only `Never` and `IfAvailable`: nobody can answer. */
    readonly interactiveMode?: string | undefined
  }
  /** Only `Ignore`: a profile does not choose arguments of the plugin. @default 'Ignore' */
  readonly profileSourcedCLIArgsPolicy?: 'Ignore' | undefined
  /** Only `Ignore`: a profile does not choose the environment of the plugin. @default 'Ignore' */
  readonly profileSourcedEnvVarsPolicy?: 'Ignore' | undefined
}

/** The options of {@link clusterProfiles}. */
export interface ClusterProfilesOptions {
  /** The providers that are known, the preferred one first. At least one. */
  readonly providers: readonly ClusterProfileProvider[]
  /** The namespace of the profiles. @default all namespaces; then clusters are named `NAMESPACE/NAME` */
  readonly namespace?: string | undefined
  /** The label selector of the profiles: `x-k8s.io/cluster-manager=NAME`, for example. @default all */
  readonly labels?: string | undefined
}

interface AccessProvider {
  readonly name?: unknown
  readonly cluster?: unknown
}

interface ClusterProfile extends KubernetesObject {
  readonly status?: {
    readonly accessProviders?: readonly AccessProvider[] | undefined
    readonly credentialProviders?: readonly AccessProvider[] | undefined
  }
}

const profiles = defineResource<ClusterProfile>({
  ...{ group: 'multicluster.x-k8s.io', version: 'v1alpha1' },
  ...{ kind: 'ClusterProfile', plural: 'clusterprofiles', namespaced: true },
})

/**
 * Clusters by the ClusterProfiles of the home cluster (Cluster Inventory API, `multicluster.x-k8s.io/v1alpha1`), as Open Cluster Management and fleets of
 * cloud providers write them. A profile names the API server and an access provider; your program has the plugin for that provider. So the right to write a profile is
 * no right to run commands in the operator's pod, but it decides which server gets the credentials. The name of the profile is that of the cluster.
 *
 * A profile without a known provider, or with a cluster that can't be used, is reported, and its cluster goes on with the former connection. A cluster is removed when its
 * profile is deleted, or loses the labels. The plugin runs when credentials are needed, and again before they expire.
 *
 * @example
 * ```ts
 * import { Clusters, clusterProfiles } from '@wherry/controller/clusters'
 *
 * const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'cp-creds', provideClusterInfo: true }
 * export const clusters = new Clusters({
 *   provider: clusterProfiles({ namespace: 'fleet', providers: [{ name: 'open-cluster-management', execConfig }] }),
 *   declare: (operator, { name }) => console.log(`${name}: ${operator.client.server}`),
 * })
 * ```
 */
export function clusterProfiles(options: ClusterProfilesOptions): ClusterProvider {
  checkOptions('clusterProfiles', options, { providers: checkProviders, namespace: text, labels: text }, ['providers'])
  const { providers, namespace, labels } = options
  const view = profiles.within({ labels, ...(namespace !== undefined && { namespaces: [namespace] }) })
  /** The access of each cluster as it was used last, so that an equal one is the same. */
  const known = new Map<string, { readonly text: string; readonly access: ClusterAccess }>()
  return objectsProvider(view, viewRights(view, 'clusters: profiles'), {
    nameOf: ({ metadata }) => (namespace === undefined ? `${metadata?.namespace}/${metadata?.name}` : metadata?.name),
    take: ({ set, invalid, client }, profile, name) => {
      try {
        const chosen = chosenOf(profile, providers)
        const text = JSON.stringify(chosen)
        const former = known.get(name)
        const access = former?.text === text ? former.access : accessOf(chosen, client.environment.clock)
        known.set(name, { text, access })
        set(name, { access })
      } catch (thrown) {
        const { namespace: home, name: own } = profile.metadata ?? {}
        invalid(name, new ClusterProfileError(`${home}/${own}`, asError(thrown).message))
      }
    },
    removed: name => known.delete(name),
  })
}

interface Chosen {
  readonly provider: ClusterProfileProvider
  readonly cluster: Readonly<Record<string, unknown>>
}

/** The first of the providers that a profile has. @throws Error if it has none of them */
function chosenOf({ status = {} }: ClusterProfile, providers: readonly ClusterProfileProvider[]): Chosen {
  const { accessProviders = [], credentialProviders = [] } = status
  // `credentialProviders` is the former name of the field.
  const offered = [...accessProviders, ...credentialProviders]
  for (const provider of providers) {
    const cluster = offered.find(({ name }) => name === provider.name)?.cluster
    if (cluster !== null && typeof cluster === 'object') return { provider, cluster: cluster as Chosen['cluster'] }
  }
  const names = offered.map(({ name }) => `${name}`).join(', ')
  throw new Error(`it has no access provider that is known here; it has ${names || 'none'}`)
}

/** @throws CredentialsError, OptionTypeError, OptionRangeError for a cluster that can't be used */
function accessOf({ cluster, provider: { name, execConfig } }: Chosen, clock: Clock): ClusterAccess {
  if (cluster['insecure-skip-tls-verify'] === true) throw new Error('its cluster has insecure-skip-tls-verify')
  if (cluster['certificate-authority']) throw new Error('its cluster names a file, certificate-authority')
  const textOf = (field: string): string | undefined => {
    const value = cluster[field]
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value !== 'string') throw new Error(`its cluster has a ${field} that is no text`)
    return value
  }
  const context = 'profile'
  const given = {
    name,
    server: textOf('server') ?? '',
    caData: textOf('certificate-authority-data'),
    tlsServerName: textOf('tls-server-name'),
    proxyUrl: textOf('proxy-url'),
    extensions: cluster.extensions,
  }
  return fromKubeConfig(
    {
      getCurrentContext: () => context,
      getContextObject: () => ({ user: name }),
      getCurrentCluster: () => given,
      getCurrentUser: () => ({ name, exec: { ...execConfig, interactiveMode: 'Never' } }),
      applyToHTTPSOptions: () => Promise.reject(new Error('a profile has no auth provider')),
    },
    { clock },
  )
}

function checkProviders(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of providers', typeof value)
  if (value.length === 0) throw new OptionRangeError(option, 'at least one provider', 'none')
  for (const [index, one] of value.entries()) {
    const at = `${option}[${index}]`
    const checks = {
      name: text,
      execConfig: checkPlugin,
      profileSourcedCLIArgsPolicy: oneOf('Ignore'),
      profileSourcedEnvVarsPolicy: oneOf('Ignore'),
    }
    checkOptions(at, one, checks, ['name', 'execConfig'])
  }
}

function checkPlugin(option: string, value: unknown): void {
  const checks = {
    apiVersion: oneOf('client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'),
    command: text,
    args: texts,
    env: variables,
    provideClusterInfo: flag,
    installHint: text,
    interactiveMode: oneOf('Never', 'IfAvailable'),
  }
  checkOptions(option, value, checks, ['apiVersion', 'command'])
}

function variables(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of { name, value }', typeof value)
  for (const [index, one] of value.entries())
    checkOptions(`${option}[${index}]`, one, { name: text, value: string }, ['name', 'value'])
}

function string(option: string, value: unknown): void {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'a string', typeof value)
}
