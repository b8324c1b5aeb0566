/** A kubeconfig with a cluster, a user and a context, all called `wherry`. */
export interface Kubeconfig {
  readonly apiVersion: 'v1'
  readonly kind: 'Config'
  readonly 'current-context': string
  readonly clusters: readonly {
    readonly name: string
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string }
  }[]
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[]
  readonly contexts: readonly {
    readonly name: string
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace: string }
  }[]
}

/** The kubeconfig of a server. */
export function kubeconfigFor(server: string, ca: string | undefined, token: string): Kubeconfig {
  const name = 'wherry'
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
  }
}
