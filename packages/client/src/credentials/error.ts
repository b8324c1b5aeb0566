/**
 * The problem:
 * - `CREDENTIALS_UNREADABLE`: a token, certificate or key file can't be read or is empty, or a token has characters that can't be sent.
 * - `AUTH_PROVIDER_FAILED`: the legacy auth provider of a kubeconfig's user failed, or gives no token.
 * - `EXEC_FAILED`: a credential plugin failed, or printed something invalid.
 * - `ANOTHER_CLUSTER`: a kubeconfig that was read again names another cluster or server than the client was created for.
 * - `KUBECONFIG_INVALID`: a kubeconfig can't be read, or is incomplete, for example without the user that its context names.
 * - `NOT_IN_CLUSTER`: this process does not run in a pod with a service account.
 * - `TLS_MATERIAL_INVALID`: a certificate or key is not PEM, or they do not match, for example while files are being renewed.
 */
export type CredentialsErrorCode =
  | 'ANOTHER_CLUSTER'
  | 'AUTH_PROVIDER_FAILED'
  | 'CREDENTIALS_UNREADABLE'
  | 'EXEC_FAILED'
  | 'KUBECONFIG_INVALID'
  | 'NOT_IN_CLUSTER'
  | 'TLS_MATERIAL_INVALID'

/**
 * There are no usable credentials. Neither the message nor `cause` contains a token, a key or a plugin's output (rule X3).
 *
 * @example
 * ```ts
 * import { Client, CredentialsError } from '@wherry/client'
 *
 * try {
 *   const client = await Client.connect()
 *   console.log(`connected to ${client.server}`)
 * } catch (error) {
 *   if (!(error instanceof CredentialsError)) throw error
 *   console.error(`${error.code}: ${error.message}`) // KUBECONFIG_INVALID: …
 * }
 * ```
 */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly code: CredentialsErrorCode

  constructor(code: CredentialsErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
