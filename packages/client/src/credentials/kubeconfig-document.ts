import { CredentialsError } from './error.ts'
import {
  commandFrom,
  fileFrom,
  type KubeConfigCluster,
  type KubeConfigLike,
  type KubeConfigUser,
} from './kubeconfig.ts'
import { moreOf } from './kubeconfig-users.ts'

/** A context of a kubeconfig. */
interface Context {
  readonly name: string
  readonly cluster: string
  readonly user: string | undefined
  readonly namespace: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** The content of one kubeconfig, or of several merged ones. */
export class Kubeconfig implements KubeConfigLike {
  readonly clusters: readonly KubeConfigCluster[]
  readonly users: readonly KubeConfigUser[]
  readonly contexts: readonly Context[]
  readonly #current: string

  private constructor(
    clusters: readonly KubeConfigCluster[],
    users: readonly KubeConfigUser[],
    contexts: readonly Context[],
    current: string,
  ) {
    this.clusters = clusters
    this.users = users
    this.contexts = contexts
    this.#current = current
  }

  /**
   * Reads a decoded kubeconfig. Its files and commands are relative to `directory`.
   * @throws CredentialsError with `KUBECONFIG_INVALID` and the path of the wrong field, without its value
   */
  static from(document: unknown, directory: string): Kubeconfig {
    const { kind, clusters, users, contexts, 'current-context': current, ...rest } = fields('the kubeconfig', document)
    if (kind !== undefined && kind !== 'Config') throw invalid('the kind of a kubeconfig is Config')
    if (rest.items !== undefined) throw invalid('the kind of a kubeconfig is Config')
    return new Kubeconfig(
      entries('clusters', clusters).map(([path, entry]) => clusterOf(path, entry, directory)),
      entries('users', users).map(([path, entry]) => userOf(path, entry, directory)),
      entries('contexts', contexts).map(([path, entry]) => contextOf(path, entry)),
      text('current-context', current) ?? '',
    )
  }

  /**
   * Adds the clusters, users and contexts of another kubeconfig. If both have an entry with the same name, the entry of this kubeconfig counts, as for
   * kubectl.
   */
  merged(other: Kubeconfig): Kubeconfig {
    return new Kubeconfig(
      withMissing(this.clusters, other.clusters),
      withMissing(this.users, other.users),
      withMissing(this.contexts, other.contexts),
      this.#current || other.#current,
    )
  }

  /** The same kubeconfig with another current context. */
  withContext(name: string): Kubeconfig {
    return new Kubeconfig(this.clusters, this.users, this.contexts, name)
  }

  getCurrentContext(): string {
    return this.#current
  }

  getContextObject(name: string): Context | null {
    return named(this.contexts, name)
  }

  getCurrentCluster(): KubeConfigCluster | null {
    return named(this.clusters, this.getContextObject(this.#current)?.cluster)
  }

  getCurrentUser(): KubeConfigUser | null {
    return named(this.users, this.getContextObject(this.#current)?.user)
  }

  /** Always rejects: `@kubernetes/client-node` reads a kubeconfig with a legacy auth provider. */
  applyToHTTPSOptions(): Promise<void> {
    return Promise.reject(invalid('auth providers are read by @kubernetes/client-node'))
  }
}

function clusterOf(path: string, entry: Fields, directory: string): KubeConfigCluster {
  const cluster = fields(`${path}.cluster`, entry.cluster)
  const at = (name: string): string => `${path}.cluster.${name}`
  const skips = cluster['insecure-skip-tls-verify']
  if (skips !== undefined && skips !== null && typeof skips !== 'boolean')
    throw invalid(`${at('insecure-skip-tls-verify')} must be true or false`)
  return {
    name: required(`${path}.name`, entry.name),
    server: required(at('server'), cluster.server).replace(/\/$/, ''),
    caData: text(at('certificate-authority-data'), cluster['certificate-authority-data']),
    caFile: file(at('certificate-authority'), cluster['certificate-authority'], directory),
    tlsServerName: text(at('tls-server-name'), cluster['tls-server-name']),
    skipTLSVerify: skips === true,
    proxyUrl: text(at('proxy-url'), cluster['proxy-url']),
    extensions: cluster.extensions,
  }
}

function userOf(path: string, entry: Fields, directory: string): KubeConfigUser {
  const name = required(`${path}.name`, entry.name)
  // A user without credentials is anonymous, as for kubectl.
  if (entry.user === undefined || entry.user === null) return { name }
  const user = fields(`${path}.user`, entry.user)
  const at = (field: string): string => `${path}.user.${field}`
  const { authProvider, ...more } = moreOf(user, name)
  const tokenFile = authProvider?.config.tokenFile
  return {
    name,
    token: text(at('token'), user.token),
    username: text(at('username'), user.username),
    password: text(at('password'), user.password),
    certData: text(at('client-certificate-data'), user['client-certificate-data']),
    certFile: file(at('client-certificate'), user['client-certificate'], directory),
    keyData: text(at('client-key-data'), user['client-key-data']),
    keyFile: file(at('client-key'), user['client-key'], directory),
    impersonateUser: text(at('as'), user.as),
    exec: pluginOf(at('exec'), user.exec, directory),
    authProvider:
      tokenFile === undefined
        ? (user['auth-provider'] ?? undefined)
        : { name: 'tokenFile', config: { tokenFile: fileFrom(tokenFile, directory) } },
    ...more,
  }
}

function pluginOf(path: string, value: unknown, directory: string): Fields | undefined {
  if (value === undefined || value === null) return undefined
  const exec = fields(path, value)
  const { command } = exec
  return typeof command === 'string' ? { ...exec, command: commandFrom(command, directory) } : exec
}

function contextOf(path: string, entry: Fields): Context {
  const context = fields(`${path}.context`, entry.context)
  const at = (name: string): string => `${path}.context.${name}`
  return {
    name: required(`${path}.name`, entry.name),
    cluster: required(at('cluster'), context.cluster),
    user: text(at('user'), context.user) || undefined,
    namespace: text(at('namespace'), context.namespace) || undefined,
  }
}

function entries(path: string, value: unknown): (readonly [path: string, entry: Fields])[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(`${path} must be a list`)
  return value.map((entry, index) => [`${path}[${index}]`, fields(`${path}[${index}]`, entry)])
}

function fields(path: string, value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${path} must be an object`)
  return value as Fields
}

function text(path: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`${path} must be text: put it in quotes`)
  return value
}

function required(path: string, value: unknown): string {
  const found = text(path, value)
  if (!found) throw invalid(`${path} is missing`)
  return found
}

function file(path: string, value: unknown, directory: string): string | undefined {
  const found = text(path, value)
  return found ? fileFrom(found, directory) : undefined
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string | undefined): T | null {
  return all.find(one => one.name === name) ?? null
}

function withMissing<T extends { readonly name: string }>(known: readonly T[], others: readonly T[]): readonly T[] {
  return [...known, ...others.filter(({ name }) => named(known, name) === null)]
}

function invalid(message: string): CredentialsError {
  return new CredentialsError('KUBECONFIG_INVALID', message)
}
