import type { RealApiServerOptions } from '../real/options.ts'
import type { RealApiServer } from '../real/real-apiserver.ts'
import type { User } from './access.ts'
import type { ControlledApiServer, EmbeddedApiServer } from './api-server.ts'
import { EmbeddedServer } from './embedded.ts'
import type { IsolatedApiServer } from './isolated/isolated.ts'
import { type EmbeddedOptions, OptionError } from './options.ts'

/** Options that a server of either kind takes: what a test needs that is to run against both. */
export interface CommonOptions {
  /** Who may do what: by RBAC, or everybody (of a real server: with credentials) everything. @default 'allow' */
  readonly authorization?: 'RBAC' | 'allow' | undefined
  /** Users by bearer token, beside the administrator's own. @default none */
  readonly tokens?: Readonly<Record<string, Omit<User, 'extra'>>> | undefined
  /** Whether `rights()` has an answer. @default true; false of a real server, which keeps an audit log for it */
  readonly recordRights?: boolean | undefined
  /**
   * The controllers of namespaces and garbage; of a real server also that of service accounts.
   *
   * @default true; false of a real server from KUBEBUILDER_ASSETS, which has none
   */
  readonly controllers?: boolean | undefined
  /** Whether sharded lists and watches (KEP-5866, alpha) are understood. @default false */
  readonly shards?: boolean | undefined
}

/** Options of a server whose kind is not known where it is started. */
export interface AnyServerOptions extends CommonOptions {
  readonly kind: 'embedded' | 'real' | 'auto'
}

/** Options of a real server where one is found (see `findApiServer`; nothing is built), else of an embedded one. */
export interface AutoServerOptions extends CommonOptions {
  readonly kind: 'auto'
  /** Where a real server is looked for. @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined
}

/**
 * Starts a Kubernetes API server for tests: `embedded` (the default) or `real`, a kube-apiserver with its etcd. `auto` is
 * the real one where there is one, and the server's `kind` says which it is.
 *
 * An embedded server listens on loopback with TLS and HTTP/2, and answers in memory; it is in this process or, with
 * `isolate: true`, in a child process. It keeps every object serialised under one resourceVersion counter, and answers as
 * kube-apiserver 1.37 does; what it does not do it answers with a 501 that says what is missing.
 *
 * ```ts
 * await using server = await startApiServer({ kind: 'real', version: '1.36' })
 * ```
 *
 * Throws an `OptionError` for an option that is none of that kind; of a real server, what `findApiServer` throws where
 * there is none, and an `ApiServerStartError` with its last words.
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
      return startEmbedded(options as EmbeddedOptions)
    default:
      throw new OptionError('kind', "takes 'embedded', 'real', 'auto'")
  }
}

async function startEmbedded(options: EmbeddedOptions): Promise<ControlledApiServer> {
  if (options.isolate) {
    // Loaded here, so that a server in this process does not pay for it.
    const { startIsolated } = await import('./isolated/isolated.ts')
    return startIsolated(options)
  }
  const server = new EmbeddedServer(options)
  try {
    if (options.sockets ?? true) await server.listen(options)
    server.populate()
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

async function startReal(options: RealApiServerOptions): Promise<RealApiServer> {
  const { checkRealOptions } = await import('../real/options.ts')
  checkRealOptions(options)
  const { findApiServer } = await import('../real/find-binary.ts')
  const { startRealApiServer } = await import('../real/real-apiserver.ts')
  const binary = await findApiServer(options)
  const { authorization = 'allow', controllers = binary.kind === 'wherry' } = options
  return startRealApiServer({ ...options, authorization, controllers })
}

async function startFound(options: AutoServerOptions): Promise<ControlledApiServer | RealApiServer> {
  const { checkCommonOptions } = await import('../real/options.ts')
  checkCommonOptions(options)
  const { env, kind: _, ...common } = options
  const { findApiServer } = await import('../real/find-binary.ts')
  const { ApiServerMissingError } = await import('../real/errors.ts')
  try {
    await findApiServer({ env })
  } catch (error) {
    // A setting that leads nowhere is a mistake, not the want of a server.
    const set = env ?? process.env
    if (!(error instanceof ApiServerMissingError) || set.WHERRY_APISERVER || set.KUBEBUILDER_ASSETS) throw error
    return startEmbedded(common)
  }
  return startReal({ ...common, env })
}
