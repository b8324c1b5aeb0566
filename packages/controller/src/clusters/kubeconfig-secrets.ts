import { checkOptions, text } from '@wherry/client/internal'
import { type Secret, secrets } from '@wherry/client/resources/core'
import { viewRights } from '../operator/declaration.ts'
import { ClusterKubeconfigError } from './errors.ts'
import { objectsProvider } from './objects-provider.ts'
import type { ClusterProvider } from './provider.ts'

/** The options of {@link clusterApiSecrets}. */
export interface ClusterApiSecretsOptions {
  /** The namespace of the Secrets. @default all namespaces; then clusters are named `NAMESPACE/NAME` */
  readonly namespace?: string | undefined
}

/** The options of {@link kubeconfigSecrets}. */
export interface KubeconfigSecretsOptions extends ClusterApiSecretsOptions {
  /** The label selector of the Secrets. @default 'sigs.k8s.io/multicluster-runtime-kubeconfig=true' */
  readonly labels?: string | undefined
  /** The key of `data` with the kubeconfig. @default 'kubeconfig' */
  readonly key?: string | undefined
  /** The name of the context to use. @default the current context of each kubeconfig */
  readonly context?: string | undefined
}

/**
 * Finds clusters by Secrets of the home cluster, each with a kubeconfig, labelled as for the kubeconfig provider of multicluster-runtime. The name of
 * the Secret is that of the cluster.
 *
 * A kubeconfig must hold its credentials: one with a plugin (`exec`), an auth provider or the path of a file is refused. So the right to write
 * such a Secret is no right to run commands in the operator's pod. A Secret that can't be used is reported, and its cluster goes on with the former
 * connection. A cluster is removed when its Secret is deleted, or loses the label.
 *
 * @example
 * ```ts
 * import { Clusters, kubeconfigSecrets } from '@wherry/controller/clusters'
 *
 * export const clusters = new Clusters({
 *   provider: kubeconfigSecrets({ namespace: 'fleet', labels: 'example.com/fleet=games' }),
 *   declare: (operator, { name }) => console.log(`${name}: ${operator.client.server}`),
 * })
 * ```
 */
export function kubeconfigSecrets(options: KubeconfigSecretsOptions = {}): ClusterProvider {
  checkOptions('kubeconfigSecrets', options, { namespace: text, labels: text, key: text, context: text })
  const {
    namespace,
    labels = 'sigs.k8s.io/multicluster-runtime-kubeconfig=true',
    key = 'kubeconfig',
    context,
  } = options
  return secretsProvider({ namespace, labels, key, context, clusterOf: ({ name }) => name })
}

/**
 * Finds clusters by the Secrets of Cluster API: `CLUSTER-kubeconfig`, with the label `cluster.x-k8s.io/cluster-name` and the kubeconfig at `value`.
 * Otherwise as {@link kubeconfigSecrets}. A cluster is removed, too, when the label no longer fits the name of its Secret.
 *
 * @example
 * ```ts
 * import { Clusters, clusterApiSecrets } from '@wherry/controller/clusters'
 *
 * export const clusters = new Clusters({
 *   provider: clusterApiSecrets(),
 *   declare: (operator, { name }) => console.log(`${name}: ${operator.client.server}`), // NAMESPACE/CLUSTER
 * })
 * ```
 */
export function clusterApiSecrets(options: ClusterApiSecretsOptions = {}): ClusterProvider {
  checkOptions('clusterApiSecrets', options, { namespace: text })
  const label = 'cluster.x-k8s.io/cluster-name'
  return secretsProvider({
    namespace: options.namespace,
    labels: label,
    key: 'value',
    // The cluster's authorities and keys have the label, too.
    clusterOf: ({ name, labels }) => (name === `${labels?.[label]}-kubeconfig` ? labels?.[label] : undefined),
  })
}

type Metadata = NonNullable<Secret['metadata']>

interface SecretsOptions {
  readonly namespace: string | undefined
  readonly labels: string
  readonly key: string
  readonly context?: string | undefined
  /** The name of a Secret's cluster; `undefined` if the Secret has no kubeconfig. */
  readonly clusterOf: (metadata: Metadata) => string | undefined
}

function secretsProvider({ namespace, labels, key, context, clusterOf }: SecretsOptions): ClusterProvider {
  const view = secrets.within({ labels, ...(namespace !== undefined && { namespaces: [namespace] }) })
  return objectsProvider(view, viewRights(view, 'clusters: secrets with kubeconfigs'), {
    nameOf: ({ metadata }) => {
      const name = metadata && clusterOf(metadata)
      return name === undefined || namespace !== undefined ? name : `${metadata?.namespace}/${name}`
    },
    take: ({ set, invalid }, { metadata, data }, name) => {
      const source = `secret ${metadata?.namespace}/${metadata?.name}, data.${key}`
      const value = data?.[key]
      if (value) set(name, { kubeconfig: Buffer.from(value, 'base64').toString(), context, source })
      else invalid(name, new ClusterKubeconfigError(source, 'there is nothing'))
    },
  })
}
