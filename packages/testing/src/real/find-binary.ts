import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { availableVersions, cachedBinary } from './binary-cache.ts'
import { type BuildOptions, buildApiServer } from './build-binary.ts'
import { ApiServerMissingError, ApiServerVersionError } from './errors.ts'

/** The programs of a server: Wherry's own binary, which contains etcd, or the kube-apiserver and etcd of envtest. */
export type ApiServerBinary =
  | { readonly kind: 'wherry'; readonly path: string }
  | { readonly kind: 'assets'; readonly apiServer: string; readonly etcd: string }

/** Options of {@link findApiServer}. */
export interface FindOptions extends BuildOptions {
  /**
   * The version of Kubernetes: `1.37`, `1.36` or `1.34`. Ignored with WHERRY_APISERVER. The version of KUBEBUILDER_ASSETS is not compared with it, and may
   * be any.
   * @default the newest
   */
  readonly version?: string | undefined
  /** Builds the binary if none is found. It takes minutes and needs Go. @default false */
  readonly build?: boolean | undefined
}

/**
 * Finds a real API server, in this order: `WHERRY_APISERVER` (the path of a binary), a binary of the version in the cache from an earlier build,
 * `KUBEBUILDER_ASSETS` (a folder with `kube-apiserver` and `etcd`), or else a binary that is built now if `build` is set. A variable that names no program
 * is an error: the search does not go on.
 *
 * @throws {@link ApiServerMissingError} if none is found, or a variable names no program; `ApiServerVersionError` for an unknown version;
 *   `ApiServerBuildError` if the build failed, also without Go
 *
 * @example
 * ```ts
 * import { findApiServer } from '@wherry/testing'
 *
 * const binary = await findApiServer({ build: true })
 * console.log(binary.kind)
 * ```
 */
export async function findApiServer(options: FindOptions = {}): Promise<ApiServerBinary> {
  const { env = process.env, version } = options
  if (env.WHERRY_APISERVER) {
    if (await canRun(env.WHERRY_APISERVER)) return { kind: 'wherry', path: env.WHERRY_APISERVER }
    throw new ApiServerMissingError(`WHERRY_APISERVER is ${env.WHERRY_APISERVER}, which is no program`)
  }
  const isKnown = version === undefined || availableVersions.includes(version)
  const cached = isKnown ? cachedBinary(env, version) : ''
  if (await canRun(cached)) return { kind: 'wherry', path: cached }
  if (env.KUBEBUILDER_ASSETS) {
    const [apiServer, etcd] = ['kube-apiserver', 'etcd'].map(name => join(env.KUBEBUILDER_ASSETS ?? '', name))
    if (apiServer && etcd && (await canRun(apiServer)) && (await canRun(etcd))) {
      return { kind: 'assets', apiServer, etcd }
    }
    throw new ApiServerMissingError(
      `KUBEBUILDER_ASSETS is ${env.KUBEBUILDER_ASSETS}, which lacks kube-apiserver or etcd`,
    )
  }
  if (!isKnown) throw new ApiServerVersionError(version, availableVersions)
  if (options.build === true) return { kind: 'wherry', path: await buildApiServer(options) }
  const wanted = version === undefined ? 'no real API server' : `no real API server of version ${version}`
  throw new ApiServerMissingError(
    `${wanted} at ${cached}: \`build: true\` builds one (it needs Go), or set WHERRY_APISERVER or KUBEBUILDER_ASSETS`,
  )
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
