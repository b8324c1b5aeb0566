/**
 * No kube-apiserver was found, and none could be built. The message lists the places of the search, and how to get a kube-apiserver.
 *
 * @example
 * ```ts
 * import { ApiServerMissingError, findApiServer } from '@wherry/testing'
 *
 * export const isThere = await findApiServer().then(
 *   () => true,
 *   error => {
 *     if (error instanceof ApiServerMissingError) return false
 *     throw error
 *   },
 * )
 * ```
 */
export class ApiServerMissingError extends Error {
  override readonly name = 'ApiServerMissingError'
  readonly code = 'API_SERVER_MISSING'
}

/** The build of the real API server failed. The message is one line with the remedy; `log` is the output of Go. */
export class ApiServerBuildError extends Error {
  override readonly name = 'ApiServerBuildError'
  readonly code = 'API_SERVER_BUILD_FAILED'
  readonly log: string

  constructor(message: string, log: string, cause?: unknown) {
    super(message, { cause })
    this.log = log
  }
}

/** The real API server could not be started, ended, or was not ready in time, or its etcd refused a request. `log` is the end of the server's output, or etcd's answer. */
export class ApiServerStartError extends Error {
  override readonly name = 'ApiServerStartError'
  readonly code = 'API_SERVER_START_FAILED'
  readonly log: string

  constructor(message: string, log: string) {
    super(log === '' ? message : `${message}; the last that it said:\n${log}`)
    this.log = log
  }
}

/** Wherry can't start the requested version. */
export class ApiServerVersionError extends RangeError {
  override readonly name = 'ApiServerVersionError'
  readonly code = 'API_SERVER_VERSION'
  readonly version: string
  readonly available: readonly string[]

  constructor(version: string, available: readonly string[]) {
    super(`no real API server of version ${version}: there is ${available.join(', ')}`)
    this.version = version
    this.available = available
  }
}

/** The call is not possible, because the server is paused, stopped for a restart, or closed. */
export class ApiServerStateError extends Error {
  override readonly name = 'ApiServerStateError'
  readonly code = 'API_SERVER_STATE'
  readonly state: string

  constructor(state: string, wanted: string) {
    super(`the API server is ${state}: ${wanted}`)
    this.state = state
  }
}
