import type { KubeConfig } from '@kubernetes/client-node'
import { systemClock } from '../clock.ts'
import { checkOptions, text } from '../errors/check.ts'
import { peerProblem } from '../errors/missing-peer.ts'
import { type AccessOptions, accessChecks, type ClusterAccess } from './access.ts'
import type { Credentials } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { SingleFlight } from './flight.ts'
import { inCluster, isInCluster } from './in-cluster.ts'
import { accessOf, boundTo, checkBound, commandFrom, fileFrom, type KubeConfigLike } from './kubeconfig.ts'
import { withMore } from './kubeconfig-users.ts'

/** Options of {@link fromKubeconfigFile}. */
export interface KubeconfigFileOptions extends AccessOptions {
  /** The name of the context to use. @default the file's current context */
  readonly context?: string | undefined
}

/**
 * Access by a kubeconfig file: `path`, else the merged files of KUBECONFIG, else `~/.kube/config`. After a 401, and when a connection is opened, a
 * file that has changed is read again, with the same context. If it then names another cluster or server, its credentials are ignored and the client keeps those that it has.
 *
 * Loads `@kubernetes/client-node`, an optional peer dependency (400 ms and 86 MB of memory). In a cluster, {@link inCluster} does not need it.
 *
 * @example
 * ```ts
 * import { Client, fromKubeconfigFile } from '@wherry/client'
 *
 * const access = await fromKubeconfigFile('/etc/arcade/kubeconfig', { context: 'staging' })
 * const client = new Client({ access, timeoutMs: 10_000 })
 * ```
 */
export async function fromKubeconfigFile(path?: string, options: KubeconfigFileOptions = {}): Promise<ClusterAccess> {
  checkOptions('access', { ...options, path }, { ...accessChecks, context: text, path: text })
  const { dirname } = await import('node:path')
  const paths = path === undefined ? await defaultPaths() : [path]
  const directory = dirname(paths[0] as string)
  const clock = options.clock ?? systemClock()
  const digest = await digestOfFiles(paths)
  const config = await loaded(paths, options.context)
  // The context stays the same: `kubectl config use-context` is meant for other programs.
  const load = (): Promise<KubeConfigLike> => loaded(paths, config.getCurrentContext())
  const access = (read: KubeConfigLike): ClusterAccess => accessOf(read, clock, directory)
  const found = access(config)
  return {
    ...found,
    credentials: reloading(config, found.credentials, load, access, { digest, read: () => digestOfFiles(paths) }),
  }
}

/**
 * Access of this process: by the files of KUBECONFIG if it is set, else by the pod's service account, else by `~/.kube/config`. Rejects with a
 * `CredentialsError` if there is none.
 */
export function findAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  if (!process.env.KUBECONFIG && isInCluster()) return inCluster(options)
  return fromKubeconfigFile(undefined, options)
}

async function defaultPaths(): Promise<string[]> {
  const { delimiter, join } = await import('node:path')
  const { homedir } = await import('node:os')
  const named = (process.env.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  return named.length > 0 ? named : [join(homedir(), '.kube', 'config')]
}

async function loaded(paths: readonly string[], context: string | undefined): Promise<KubeConfig> {
  let library: Awaited<ReturnType<typeof clientNode>> | undefined
  const { readFile } = await import('node:fs/promises')
  const { dirname, resolve } = await import('node:path')
  let merged: KubeConfig | undefined
  for (const path of paths) {
    let config: KubeConfig
    try {
      const text = await readFile(path, 'utf8')
      // As kubectl does: an empty file is a kubeconfig that says nothing.
      if (text.split('\n').every(line => /^\s*(?:#.*|---)?\s*$/.test(line))) continue
      library ??= await clientNode()
      config = new library.KubeConfig()
      config.loadFromString(text)
      config.users = withMore(config.users, library.loadYaml(text))
      config.makePathsAbsolute(dirname(path))
      makePluginsAbsolute(config, resolve(dirname(path)))
    } catch (cause) {
      if (cause instanceof CredentialsError) throw cause
      const known = (cause as NodeJS.ErrnoException).code
      // As for kubectl, some of several files may be missing.
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
  if (merged === undefined) {
    const all = paths.length === 1 ? `${paths[0]} is empty` : `none of ${paths.join(', ')} is there and says anything`
    throw new CredentialsError('KUBECONFIG_INVALID', `${all}: no cluster is named`)
  }
  if (context !== undefined) merged.setCurrentContext(context)
  return merged
}

/** Makes commands of plugins and token files absolute, which client-node does not. They are relative to their kubeconfig. */
function makePluginsAbsolute(config: KubeConfig, directory: string): void {
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
    const message = peerProblem('reading a kubeconfig file needs', '@kubernetes/client-node', cause)
    throw new CredentialsError('KUBECONFIG_INVALID', message, cause)
  }
}

/** A digest of the texts of the files. */
async function digestOfFiles(paths: readonly string[]): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  for (const path of paths) {
    const text = await readFile(path).catch(() => undefined)
    hash.update(`${text?.length ?? -1}:`).update(text ?? '')
  }
  return hash.digest('base64url')
}

/**
 * Credentials of a file that may change: it is read again after a 401, and when a connection is opened if its text has changed. (After the server's
 * authority was renewed, requests get no answer, so no 401 comes.) `access` makes credentials of the file.
 */
function reloading(
  first: KubeConfigLike,
  firstCredentials: Credentials,
  load: () => Promise<KubeConfigLike>,
  access: (config: KubeConfigLike) => ClusterAccess,
  text: { digest: string; readonly read: () => Promise<string> },
): Credentials {
  const bound = boundTo(first)
  const looking = new SingleFlight<void>()
  let config = first
  let credentials = firstCredentials
  /** Resolves to whether the file says something else. */
  const take = async (): Promise<boolean> => {
    const digest = await text.read()
    const next = await load()
    checkBound(next, bound)
    const isNew = said(next) !== said(config)
    if (isNew) {
      const made = access(next).credentials
      await made.headers()
      credentials = made
      config = next
    }
    text.digest = digest
    return isNew
  }
  const look = async (): Promise<void> => {
    // If the file is being written, or is of another cluster, the former credentials stay.
    if ((await text.read()) !== text.digest) await take().catch(() => {})
  }
  return {
    headers: () => credentials.headers(),
    tls: async () => {
      await looking.do(look)
      return credentials.tls()
    },
    digest: () => credentials.digest(),
    close: () => credentials.close?.(),
    refresh: async () => (await take()) || credentials.refresh(),
  }
}

function said(config: KubeConfigLike): string {
  return JSON.stringify([config.getCurrentCluster(), config.getCurrentUser()])
}
