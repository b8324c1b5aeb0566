import { type Clock, systemClock } from '../clock.ts'
import { checkOptions, having } from '../errors/check.ts'
import { type AccessOptions, accessChecks, type ClusterAccess, refuseInsecure, serverUrl } from './access.ts'
import type { Credentials } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { ExecCredentials, type ExecPlugin } from './exec.ts'
import { GivenCredentials, type GivenParts } from './given.ts'
import type { Impersonation } from './impersonate.ts'
import { providerCredentials } from './provider.ts'
import { checkProxyUrl } from './proxy-url.ts'
import type { Source } from './source.ts'

/** A cluster of a {@link KubeConfigLike}. */
export interface KubeConfigCluster {
  readonly name: string
  readonly server: string
  /** Base64 of PEM, as in the file. */
  readonly caData?: string | undefined
  readonly caFile?: string | undefined
  readonly tlsServerName?: string | undefined
  readonly skipTLSVerify?: boolean | undefined
  readonly proxyUrl?: string | undefined
  /** As in the file: a plugin that asks for the cluster gets `client.authentication.k8s.io/exec`. `@kubernetes/client-node` drops this field. */
  readonly extensions?: unknown
}

/** A user of a {@link KubeConfigLike}. */
export interface KubeConfigUser {
  readonly name: string
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly certData?: string | undefined
  readonly certFile?: string | undefined
  readonly keyData?: string | undefined
  readonly keyFile?: string | undefined
  readonly impersonateUser?: string | undefined
  /** `as-groups`. `@kubernetes/client-node` drops this field and the next two. */
  readonly impersonateGroups?: readonly string[] | undefined
  /** `as-uid` */
  readonly impersonateUid?: string | undefined
  /** `as-user-extra` */
  readonly impersonateExtra?: Readonly<Record<string, readonly string[]>> | undefined
  readonly exec?: unknown
  readonly authProvider?: unknown
}

/** The part of a kubeconfig that is read: the `KubeConfig` of `@kubernetes/client-node` fits. */
export interface KubeConfigLike {
  getCurrentContext(): string
  getContextObject(name: string): { readonly namespace?: string | undefined; readonly user?: string | undefined } | null
  getCurrentCluster(): KubeConfigCluster | null
  getCurrentUser(): KubeConfigUser | null
  /** Puts an `authorization` header into `options.headers`. Used for legacy auth providers only. */
  applyToHTTPSOptions(options: { headers?: object | undefined }): Promise<void>
}

/**
 * Access by a kubeconfig's current context. Files that it names are read when needed, and again when they change. Throws a `KUBECONFIG_INVALID`
 * error if the kubeconfig lacks the cluster or the user that the context names.
 *
 * @example
 * ```ts
 * import { KubeConfig } from '@kubernetes/client-node'
 * import { Client, fromKubeConfig } from '@wherry/client'
 *
 * const config = new KubeConfig()
 * config.loadFromDefault()
 * config.setCurrentContext('staging')
 * const client = new Client({ access: fromKubeConfig(config) })
 * ```
 */
export function fromKubeConfig(config: KubeConfigLike, options: AccessOptions = {}): ClusterAccess {
  kubeConfig('config', config)
  checkOptions('access', options, accessChecks)
  return accessOf(config, options.clock ?? systemClock())
}

/** The access of a kubeconfig's current context. Commands of plugins are relative to `directory`. */
export function accessOf(config: KubeConfigLike, clock: Clock, directory?: string): ClusterAccess {
  const cluster = config.getCurrentCluster()
  const context = config.getCurrentContext()
  if (cluster === null) {
    throw new CredentialsError('KUBECONFIG_INVALID', `the kubeconfig has no cluster for its context ${named(context)}`)
  }
  const user = config.getCurrentUser()
  const userName = config.getContextObject(context)?.user
  // Without the user, every request would be anonymous.
  if (user === null && userName) {
    const message = `the kubeconfig has no user ${named(userName)}, which its context ${named(context)} names`
    throw new CredentialsError('KUBECONFIG_INVALID', message)
  }
  const server = serverUrl(`server of cluster ${named(cluster.name)}`, cluster.server)
  if (cluster.proxyUrl) checkProxyUrl(`proxy-url of cluster ${named(cluster.name)}`, cluster.proxyUrl)
  if (user !== null && (user.token || user.username || user.exec || user.authProvider))
    refuseInsecure(server, cluster.proxyUrl || undefined)
  return {
    server,
    credentials: credentialsOf(config, cluster, user, clock, directory),
    namespace: config.getContextObject(context)?.namespace || undefined,
    proxyUrl: cluster.proxyUrl || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    skipTlsVerify: cluster.skipTLSVerify === true && server.protocol === 'https:',
    impersonate: impersonationOf(user),
  }
}

/** The context, cluster and server that credentials of a kubeconfig are bound to. Authorities may change. */
export interface Bound {
  readonly context: string
  readonly cluster: string
}

export function boundTo(config: KubeConfigLike): Bound {
  const { name, server, tlsServerName, skipTLSVerify, proxyUrl } = config.getCurrentCluster() ?? {}
  const cluster = [name, server, tlsServerName || '', skipTLSVerify === true, proxyUrl || '']
  return { context: config.getCurrentContext(), cluster: JSON.stringify(cluster) }
}

/** @throws CredentialsError with `ANOTHER_CLUSTER` if a kubeconfig has another context, cluster or server than the credentials are bound to */
export function checkBound(config: KubeConfigLike, bound: Bound): void {
  const now = boundTo(config)
  if (now.context === bound.context && now.cluster === bound.cluster) return
  const what =
    now.context === bound.context
      ? `the cluster of context ${named(bound.context)} has changed`
      : `the context is ${named(now.context)} now, and was ${named(bound.context)}`
  throw new CredentialsError(
    'ANOTHER_CLUSTER',
    `credentials of the kubeconfig are not taken over: ${what}. Create another client for that cluster`,
  )
}

function impersonationOf(user: KubeConfigUser | null): Impersonation | undefined {
  if (user === null) return undefined
  const { impersonateUser, impersonateGroups, impersonateUid, impersonateExtra } = user
  const parts = {
    ...(impersonateGroups && { groups: impersonateGroups }),
    ...(impersonateUid && { uid: impersonateUid }),
    ...(impersonateExtra && { extra: impersonateExtra }),
  }
  if (impersonateUser) return { user: impersonateUser, ...parts }
  if (Object.keys(parts).length === 0) return undefined
  const message = `user ${named(user.name)} of the kubeconfig is to act with groups, uid or extra, but as no user`
  throw new CredentialsError('KUBECONFIG_INVALID', message)
}

function credentialsOf(
  config: KubeConfigLike,
  cluster: KubeConfigCluster,
  user: KubeConfigUser | null,
  clock: Clock,
  directory: string | undefined,
): Credentials {
  const bound = boundTo(config)
  const ca = sourceOf(cluster.caData, cluster.caFile)
  if (user === null) return new GivenCredentials({ ca }, clock)
  const { token, username, password } = user
  const parts: GivenParts = {
    token: token ? { data: token } : undefined,
    login: username ? { username, password: password ?? '' } : undefined,
    ca,
    cert: sourceOf(user.certData, user.certFile),
    key: sourceOf(user.keyData, user.keyFile),
  }
  if (user.exec) {
    return new ExecCredentials(pluginOf(user.exec, cluster, directory), new GivenCredentials({ ca }, clock), clock)
  }
  if (user.authProvider) {
    const file = tokenFileOf(user.authProvider)
    if (file !== undefined) {
      return new GivenCredentials({ ...parts, token: { file: fileFrom(file, directory) } }, clock)
    }
    return providerCredentials(config, user, new GivenCredentials(parts, clock), () => checkBound(config, bound))
  }
  return new GivenCredentials(parts, clock)
}

function sourceOf(data: string | undefined, file: string | undefined): Source | undefined {
  if (data) return { data: Buffer.from(data, 'base64').toString() }
  return file ? { file } : undefined
}

/** The file with the token, in client-node's own form; `undefined` for another auth provider. */
export function tokenFileOf(provider: unknown): string | undefined {
  const { config } = provider as { readonly config?: { readonly tokenFile?: unknown } | undefined }
  return typeof config?.tokenFile === 'string' ? config.tokenFile : undefined
}

function pluginOf(exec: unknown, cluster: KubeConfigCluster, directory: string | undefined): ExecPlugin {
  const { apiVersion, command, args, env, installHint, interactiveMode, provideClusterInfo } = exec as Record<
    string,
    unknown
  >
  if (typeof command !== 'string' || command === '' || typeof apiVersion !== 'string') {
    throw new CredentialsError('KUBECONFIG_INVALID', 'exec: a command and an apiVersion are needed')
  }
  if (interactiveMode === 'Always') {
    const message = `exec: ${command} wants to be interactive, and nobody can answer`
    throw new CredentialsError('KUBECONFIG_INVALID', message)
  }
  return {
    apiVersion,
    command: commandFrom(command, directory),
    args: Array.isArray(args) ? args.map(String) : [],
    env: Array.isArray(env) ? env.map(({ name, value }) => ({ name: `${name}`, value: `${value}` })) : [],
    installHint: typeof installHint === 'string' ? installHint : undefined,
    cluster: provideClusterInfo === true ? clusterInfo(cluster) : undefined,
  }
}

/** The cluster in the form of client-go's `KUBERNETES_EXEC_INFO`. */
function clusterInfo(cluster: KubeConfigCluster): Readonly<Record<string, unknown>> {
  const { server, caData, tlsServerName, skipTLSVerify, proxyUrl } = cluster
  const config = execConfigOf(cluster.extensions)
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(caData && { 'certificate-authority-data': caData }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(config !== undefined && { config }),
  }
}

function execConfigOf(extensions: unknown): unknown {
  if (!Array.isArray(extensions)) return undefined
  return extensions.find(one => one?.name === 'client.authentication.k8s.io/exec')?.extension
}

/** The path of a command: with a slash it is relative to the kubeconfig's directory, without one it is searched in PATH. */
export function commandFrom(command: string, directory: string | undefined): string {
  return /[/\\]/.test(command) ? fileFrom(command, directory) : command
}

export function fileFrom(file: string, directory: string | undefined): string {
  return directory === undefined || isAbsolute(file) ? file : `${directory}/${file}`
}

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(path)
}

const kubeConfig = having(
  'a KubeConfig of @kubernetes/client-node (fromKubeconfigFile reads a file)',
  'getCurrentContext',
  'getCurrentCluster',
  'getCurrentUser',
)

function named(name: string): string {
  return JSON.stringify(name)
}
