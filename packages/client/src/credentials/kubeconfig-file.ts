import { systemClock } from '../clock.ts'
import { checkOptions, text } from '../errors/check.ts'
import { type AccessOptions, accessChecks, type ClusterAccess } from './access.ts'
import type { Credentials } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { SingleFlight } from './flight.ts'
import { inCluster, isInCluster } from './in-cluster.ts'
import { accessOf, boundTo, checkBound, type KubeConfigLike, tokenFileOf } from './kubeconfig.ts'
import { Kubeconfig } from './kubeconfig-document.ts'

/** Options of {@link fromKubeconfigFile}. */
export interface KubeconfigFileOptions extends AccessOptions {
  /** The name of the context to use. @default the file's current context */
  readonly context?: string | undefined
}

/**
 * Access by a kubeconfig file: `path`, else the merged files of KUBECONFIG, else `~/.kube/config`. After a 401, and when a connection is opened, a
 * file that has changed is read again, with the same context. If the file then names another cluster or server, the client ignores it and keeps its
 * credentials.
 *
 * Only a user with a legacy auth provider (`oidc` and the like) needs `@kubernetes/client-node`, an optional peer dependency that takes 400 ms and 86 MB.
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

async function loaded(paths: readonly string[], context: string | undefined): Promise<KubeConfigLike> {
  const { readFile } = await import('node:fs/promises')
  const { dirname, resolve } = await import('node:path')
  let merged: Kubeconfig | undefined
  for (const path of paths) {
    const directory = resolve(dirname(path))
    try {
      const text = await readFile(path, 'utf8')
      // As for kubectl, an empty file is a kubeconfig without entries.
      if (text.split('\n').every(line => /^\s*(?:#.*|---)?\s*$/.test(line))) continue
      const config = Kubeconfig.from(await decoded(text), directory)
      merged = merged === undefined ? config : merged.merged(config)
    } catch (cause) {
      const known = (cause as NodeJS.ErrnoException).code
      // As for kubectl, some of several files may be missing.
      if (known === 'ENOENT' && paths.length > 1) continue
      // A parser's message may quote the file; the system's code does not.
      const why = cause instanceof CredentialsError ? cause.message : known
      throw new CredentialsError('KUBECONFIG_INVALID', `${path} can't be read as a kubeconfig${why ? `: ${why}` : ''}`)
    }
  }
  if (merged === undefined) {
    const all = paths.length === 1 ? `${paths[0]} is empty` : `none of ${paths.join(', ')} is there and says anything`
    throw new CredentialsError('KUBECONFIG_INVALID', `${all}: no cluster is named`)
  }
  const config = context === undefined ? merged : merged.withContext(context)
  if (!hasAuthProvider(config)) return config
  const { byLibrary } = await import('./kubeconfig-library.ts')
  return byLibrary(config)
}

/** Decodes JSON, or YAML with anchors and merge keys. Rejects with an error that may quote the text. */
export async function decoded(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) return JSON.parse(text)
  const { parse } = await import('yaml')
  return parse(text, { merge: true, logLevel: 'error' })
}

/** Whether the current user has a legacy auth provider, such as `oidc`, and not only a token in a file. */
function hasAuthProvider(config: KubeConfigLike): boolean {
  const provider = config.getCurrentUser()?.authProvider
  return provider !== undefined && provider !== null && tokenFileOf(provider) === undefined
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
 * Credentials of a file that may change. The file is read again after a 401, and when a connection is opened if its text has changed. (After the server's
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
  /** Reads the file. Resolves with whether its cluster or its user has changed. */
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
