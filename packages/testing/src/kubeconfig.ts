/** A kubeconfig with one cluster, one user and one context: the file's own shape. JSON of it is a kubeconfig file. */
export interface Kubeconfig {
  readonly apiVersion: 'v1'
  readonly kind: 'Config'
  readonly clusters: readonly [{ readonly name: string; readonly cluster: KubeconfigCluster }]
  readonly users: readonly [{ readonly name: string; readonly user: KubeconfigUser }]
  readonly contexts: readonly [{ readonly name: string; readonly context: KubeconfigContext }]
  readonly 'current-context': string
}

export interface KubeconfigCluster {
  readonly server: string
  /** Base64 of the CA's PEM. */
  readonly 'certificate-authority-data'?: string | undefined
  readonly 'insecure-skip-tls-verify'?: boolean | undefined
}

/** A bearer token, or a client certificate and its key as base64 of their PEM. */
export interface KubeconfigUser {
  readonly token?: string | undefined
  readonly 'client-certificate-data'?: string | undefined
  readonly 'client-key-data'?: string | undefined
}

export interface KubeconfigContext {
  readonly cluster: string
  readonly user: string
  readonly namespace?: string | undefined
}

/** The kubeconfig that leads to one server as one user; `name` names its cluster, user and context. */
export function kubeconfigOf(name: string, cluster: KubeconfigCluster, user: KubeconfigUser): Kubeconfig {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
}
