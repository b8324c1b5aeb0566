import type { KubeConfig } from '@kubernetes/client-node'
import { type Clock, systemClock } from '../clock.ts'
import { checkOptions, having, text } from '../errors/check.ts'
import { type AccessOptions, type ClusterAccess, refuseInsecure, serverUrl } from './access.ts'
import type { Credentials } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { ExecCredentials, type ExecPlugin } from './exec.ts'
import { GivenCredentials, type GivenParts } from './given.ts'
import { ProviderCredentials } from './provider.ts'
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
  readonly exec?: unknown
  readonly authProvider?: unknown
}

/** What is read of a kubeconfig: the `KubeConfig` of `@kubernetes/client-node` is one. */
export interface KubeConfigLike {
  getCurrentContext(): string
  getContextObject(name: string): { readonly namespace?: string | undefined } | null
  getCurrentCluster(): KubeConfigCluster | null
  getCurrentUser(): KubeConfigUser | null
  /** Puts an `authorization` header into `options.headers`: asked for legacy auth providers only. */
  applyToHTTPSOptions(options: { headers?: Record<string, unknown> }): Promise<void>
}

/**
 * The access of a kubeconfig's current context. Files that it names are read when they are needed, and
 * again when they change. Throws a `KUBECONFIG_INVALID` error where it lacks a cluster or a user.
 */
export function fromKubeConfig(config: KubeConfigLike, options: AccessOptions = {}): ClusterAccess {
  checkOptions('access', options, { clock })
  return accessOf(config, options.clock ?? systemClock(), undefined)
}

/** Options of {@link fromKubeconfigFile}. */
export interface KubeconfigFileOptions extends AccessOptions {
  /** @default the file's current context */
  readonly context?: string | undefined
}

/**
 * The access of a kubeconfig file: of `path`, else of the files that KUBECONFIG names, merged, else of
 * `~/.kube/config`. After a 401 the file is read again.
 *
 * Loads `@kubernetes/client-node`, an optional peer dependency (400 ms and 86 MB of memory): in a
 * cluster, {@link inCluster} does without.
 */
export async function fromKubeconfigFile(path?: string, options: KubeconfigFileOptions = {}): Promise<ClusterAccess> {
  checkOptions('access', { ...options, path }, { clock, context: text, path: text })
  const { dirname } = await import('node:path')
  const paths = path === undefined ? await defaultPaths() : [path]
  const first = paths[0] as string
  const load = async (): Promise<KubeConfigLike> => {
    const config = await loaded(paths)
    if (options.context !== undefined) config.setCurrentContext(options.context)
    return config
  }
  const reading = { directory: dirname(first), load }
  return accessOf(await load(), options.clock ?? systemClock(), reading)
}

interface Reading {
  /** What relative commands are relative to. */
  readonly directory: string
  readonly load: () => Promise<KubeConfigLike>
}

function accessOf(config: KubeConfigLike, clock: Clock, reading: Reading | undefined): ClusterAccess {
  const cluster = config.getCurrentCluster()
  const context = config.getCurrentContext()
  if (cluster === null) {
    throw new CredentialsError('KUBECONFIG_INVALID', `the kubeconfig has no cluster for its context ${named(context)}`)
  }
  const user = config.getCurrentUser()
  const server = serverUrl(`server of cluster ${named(cluster.name)}`, cluster.server)
  if (user !== null && (user.token || user.username || user.exec || user.authProvider)) refuseInsecure(server)
  const inner = credentialsOf(config, cluster, user, clock, reading?.directory)
  const credentials = reading === undefined ? inner : new ReloadingCredentials(inner, config, clock, reading)
  return {
    server,
    credentials,
    namespace: config.getContextObject(context)?.namespace || undefined,
    proxyUrl: cluster.proxyUrl || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    skipTlsVerify: cluster.skipTLSVerify === true && server.protocol === 'https:',
    impersonate: user?.impersonateUser ? { user: user.impersonateUser } : undefined,
  }
}

function credentialsOf(
  config: KubeConfigLike,
  cluster: KubeConfigCluster,
  user: KubeConfigUser | null,
  clock: Clock,
  directory: string | undefined,
): Credentials {
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
      const from = directory === undefined || isAbsolute(file) ? file : `${directory}/${file}`
      return new GivenCredentials({ ...parts, token: { file: from } }, clock)
    }
    return new ProviderCredentials(config, new GivenCredentials(parts, clock))
  }
  return new GivenCredentials(parts, clock)
}

function sourceOf(data: string | undefined, file: string | undefined): Source | undefined {
  if (data) return { data: Buffer.from(data, 'base64').toString() }
  return file ? { file } : undefined
}

/** client-node's own way to say that a token is in a file. */
function tokenFileOf(provider: unknown): string | undefined {
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
    const message = `exec: ${command} wants to be interactive, and nobody is there to ask`
    throw new CredentialsError('KUBECONFIG_INVALID', message)
  }
  const relative = directory !== undefined && /[/\\]/.test(command) && !isAbsolute(command)
  return {
    apiVersion,
    command: relative ? `${directory}/${command}` : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Array.isArray(env) ? env.map(({ name, value }) => ({ name: `${name}`, value: `${value}` })) : [],
    installHint: typeof installHint === 'string' ? installHint : undefined,
    cluster: provideClusterInfo === true ? clusterInfo(cluster) : undefined,
  }
}

/** As client-go tells it in `KUBERNETES_EXEC_INFO`. */
function clusterInfo(cluster: KubeConfigCluster): Readonly<Record<string, unknown>> {
  const { server, caData, tlsServerName, skipTLSVerify, proxyUrl } = cluster
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(caData && { 'certificate-authority-data': caData }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
  }
}

/** Credentials of a file that may be written anew: it is read again after a 401. */
class ReloadingCredentials implements Credentials {
  #inner: Credentials
  #config: KubeConfigLike
  readonly #clock: Clock
  readonly #reading: Reading

  constructor(inner: Credentials, config: KubeConfigLike, clock: Clock, reading: Reading) {
    this.#inner = inner
    this.#config = config
    this.#clock = clock
    this.#reading = reading
  }

  headers(): ReturnType<Credentials['headers']> {
    return this.#inner.headers()
  }

  tls(): ReturnType<Credentials['tls']> {
    return this.#inner.tls()
  }

  digest(): string {
    return this.#inner.digest()
  }

  async refresh(): Promise<boolean> {
    const config = await this.#reading.load()
    const cluster = config.getCurrentCluster()
    if (cluster === null || said(config) === said(this.#config)) return this.#inner.refresh()
    const { directory } = this.#reading
    const inner = credentialsOf(config, cluster, config.getCurrentUser(), this.#clock, directory)
    await inner.headers()
    this.#inner = inner
    this.#config = config
    return true
  }
}

function said(config: KubeConfigLike): string {
  return JSON.stringify([config.getCurrentCluster(), config.getCurrentUser()])
}

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(path)
}

const clock = having('a Clock', 'now', 'monotonic', 'timer')

function named(name: string): string {
  return JSON.stringify(name)
}

async function defaultPaths(): Promise<string[]> {
  const { delimiter, join } = await import('node:path')
  const { homedir } = await import('node:os')
  const named = (process.env.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  return named.length > 0 ? named : [join(homedir(), '.kube', 'config')]
}

async function loaded(paths: readonly string[]): Promise<KubeConfig> {
  const library = await clientNode()
  const { readFile } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  let merged: KubeConfig | undefined
  for (const path of paths) {
    const config = new library.KubeConfig()
    try {
      const text = await readFile(path, 'utf8')
      config.loadFromString(text)
      addTokenFile(config, text)
      config.makePathsAbsolute(dirname(path))
    } catch (cause) {
      if (cause instanceof CredentialsError) throw cause
      const known = (cause as NodeJS.ErrnoException).code
      // As kubectl does: of several files some need not be there.
      if (known === 'ENOENT' && paths.length > 1) continue
      // A parser's message may quote the file; the system's code does not.
      throw new CredentialsError(
        'KUBECONFIG_INVALID',
        `${path} can't be read as a kubeconfig${known ? `: ${known}` : ''}`,
      )
    }
    if (merged === undefined) merged = config
    else merge(merged, config)
  }
  if (merged === undefined) throw new CredentialsError('KUBECONFIG_INVALID', `none of ${paths.join(', ')} is there`)
  return merged
}

/**
 * client-node drops a user's `tokenFile`. Where the file has one, and one user without anything else, it is that
 * user's; where it can't be told whose it is, nobody is to be anonymous in silence.
 */
function addTokenFile(config: KubeConfig, text: string): void {
  const files = [...text.matchAll(/^[^#\n]*?["']?\btokenFile["']?\s*:\s*["']?([^"'\n,}]+)/gm)].map(match => match[1])
  if (files.length === 0) return
  const bare = config.users.filter(
    user => !(user.token || user.exec || user.authProvider || user.certData || user.certFile),
  )
  const [user] = bare
  const tokenFile = files[0]?.trim()
  if (files.length > 1 || bare.length > 1 || user === undefined || tokenFile === undefined) {
    const message = 'a kubeconfig with a tokenFile must have no other user without a token'
    throw new CredentialsError('KUBECONFIG_INVALID', message)
  }
  const authProvider = { name: 'tokenFile', config: { tokenFile } }
  config.users = config.users.map(one => (one === user ? { ...one, authProvider } : one))
}

/** The first file to say something wins. */
function merge(merged: KubeConfig, config: KubeConfig): void {
  const { clusters, users, contexts } = merged
  const lacks = <T extends { readonly name: string }>(known: readonly T[], one: T): boolean =>
    known.every(({ name }) => name !== one.name)
  for (const one of config.clusters) if (lacks(clusters, one)) merged.addCluster(one)
  for (const one of config.users) if (lacks(users, one)) merged.addUser(one)
  for (const one of config.contexts) if (lacks(contexts, one)) merged.addContext(one)
  if (!merged.currentContext && config.currentContext) merged.setCurrentContext(config.currentContext)
}

async function clientNode(): Promise<typeof import('@kubernetes/client-node')> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    const message = 'reading a kubeconfig file needs the package @kubernetes/client-node: add it to your dependencies'
    throw new CredentialsError('KUBECONFIG_INVALID', message, cause)
  }
}
