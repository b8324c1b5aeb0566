import {
  type ControlledApiServer,
  type EmbeddedApiServer,
  type EmbeddedOptions,
  type IsolatedApiServer,
  startEmbeddedApiServer,
  type User,
} from '@wherry/apiserver'
import { OptionError } from '@wherry/apiserver/internal'
import type { RealApiServerOptions } from './real/options.ts'
import type { RealApiServer } from './real/real-apiserver.ts'

/** Options of both kinds of server, for tests that run on both. */
export interface CommonOptions {
  /** The rights of users: `RBAC`, or `allow`: everybody may do everything (on a real server: with credentials). @default 'allow' */
  readonly authorization?: 'RBAC' | 'allow' | undefined
  /** Users by bearer token, in addition to the administrator. @default none */
  readonly tokens?: Readonly<Record<string, Omit<User, 'extra'>>> | undefined
  /** Records rights for `rights()`. @default true; false for a real server, which has to write an audit log for that */
  readonly recordRights?: boolean | undefined
  /**
   * Runs the controllers of namespaces and garbage collection; for a real server also the controller of tokens of service accounts.
   * @default true; false for a real server from KUBEBUILDER_ASSETS, which has none
   */
  readonly controllers?: boolean | undefined
  /**
   * Creates the objects that every cluster has. With `false` an embedded server has only namespaces. A real server still creates its own objects, such
   * as the Service `kubernetes`, but in each namespace neither the ServiceAccount `default` nor the ConfigMap `kube-root-ca.crt`. A server from
   * KUBEBUILDER_ASSETS never creates these two.
   * @default true
   */
  readonly clusterObjects?: boolean | undefined
  /**
   * Turns on the admission plugin `OwnerReferencesPermissionEnforcement`, as OpenShift does: an owner with `blockOwnerDeletion` needs the right to
   * update its `finalizers`, and a change of owners the right to delete the object.
   * @default false
   */
  readonly enforceOwnerRights?: boolean | undefined
  /** Supports sharded lists and watches (KEP-5866, alpha). @default false */
  readonly shards?: boolean | undefined
}

/** Options of a server if the caller does not know its kind. */
export interface AnyServerOptions extends CommonOptions {
  /** The kind of the server. */
  readonly kind: 'embedded' | 'real' | 'auto'
}

/** Options of a real server if one is found (see `findApiServer`; nothing is built), else of an embedded one. */
export interface AutoServerOptions extends CommonOptions {
  /** A real server if its binary is found, else an embedded one. */
  readonly kind: 'auto'
  /** The environment in which to look for a real server. @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined
}

/**
 * Starts a Kubernetes API server for tests: `embedded` (the default), or `real`, a kube-apiserver with its etcd. `auto` starts a real server if its binary
 * is found, and otherwise an embedded server; the server's `kind` shows which.
 *
 * An embedded server listens on loopback with TLS and HTTP/2, and also answers in memory. It runs in this process or, with `isolate: true`, in a
 * child process. It answers as kube-apiserver 1.37 does. It answers an unsupported request with a 501 that names the missing feature.
 *
 * Throws an `OptionError` for an option that this kind does not have; for a real server also the errors of `findApiServer`, and an
 * `ApiServerStartError` with the server's last output.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { namespaces } from '@wherry/client/resources/core'
 * import { startApiServer } from '@wherry/testing'
 *
 * await using server = await startApiServer()
 * const client = new Client({ url: server.url, ca: server.ca, token: server.token })
 * console.log((await client.list(namespaces)).items.length)
 * await client.close()
 * ```
 */
export function startApiServer(options: RealApiServerOptions & { readonly kind: 'real' }): Promise<RealApiServer>
export function startApiServer(options: EmbeddedOptions & { readonly isolate: true }): Promise<IsolatedApiServer>
export function startApiServer(
  options?: EmbeddedOptions & { readonly isolate?: false | undefined },
): Promise<EmbeddedApiServer>
export function startApiServer(options: EmbeddedOptions): Promise<ControlledApiServer>
export function startApiServer(options: AutoServerOptions): Promise<EmbeddedApiServer | RealApiServer>
export function startApiServer(options: AnyServerOptions): Promise<EmbeddedApiServer | RealApiServer>
export async function startApiServer(
  options: EmbeddedOptions | RealApiServerOptions | AutoServerOptions | AnyServerOptions = {},
): Promise<ControlledApiServer | RealApiServer> {
  switch (options.kind) {
    case 'real':
      return startReal(options as RealApiServerOptions)
    case 'auto':
      return startFound(options as AutoServerOptions)
    case 'embedded':
    case undefined:
      return startEmbeddedApiServer(options as EmbeddedOptions)
    default:
      throw new OptionError('kind', "takes 'embedded', 'real', 'auto'")
  }
}

async function startReal(options: RealApiServerOptions): Promise<RealApiServer> {
  const { checkRealOptions } = await import('./real/options.ts')
  checkRealOptions(options)
  const { findApiServer } = await import('./real/find-binary.ts')
  const { startRealApiServer } = await import('./real/real-apiserver.ts')
  const binary = await findApiServer(options)
  const { authorization = 'allow', controllers = binary.kind === 'wherry' } = options
  return startRealApiServer({ ...options, authorization, controllers })
}

async function startFound(options: AutoServerOptions): Promise<ControlledApiServer | RealApiServer> {
  const { checkCommonOptions } = await import('./real/options.ts')
  checkCommonOptions(options)
  const { env, kind: _, ...common } = options
  const { findApiServer } = await import('./real/find-binary.ts')
  const { ApiServerMissingError } = await import('./real/errors.ts')
  try {
    await findApiServer({ env })
  } catch (error) {
    // A setting that names a missing server is a mistake, so no embedded server takes its place.
    const set = env ?? process.env
    if (!(error instanceof ApiServerMissingError) || set.WHERRY_APISERVER || set.KUBEBUILDER_ASSETS) throw error
    return startEmbeddedApiServer(common)
  }
  return startReal({ ...common, env })
}
