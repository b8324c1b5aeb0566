/**
 * What is wrong with credentials, or with where they come from:
 *
 * - `CREDENTIALS_UNREADABLE`: a token, certificate or key file can't be read, or is empty.
 * - `EXEC_FAILED`: a credential plugin failed, or what it printed is not what it should be.
 * - `ANOTHER_CLUSTER`: a kubeconfig that was read again names another cluster or server than the one that the client was made for.
 * - `KUBECONFIG_INVALID`: a kubeconfig can't be read, or lacks what is needed.
 * - `NOT_IN_CLUSTER`: this process does not run in a pod with a service account.
 * - `TLS_MATERIAL_INVALID`: a certificate or key is no PEM, or they do not belong together, as while files are being renewed.
 */
export type CredentialsErrorCode =
  | 'ANOTHER_CLUSTER'
  | 'CREDENTIALS_UNREADABLE'
  | 'EXEC_FAILED'
  | 'KUBECONFIG_INVALID'
  | 'NOT_IN_CLUSTER'
  | 'TLS_MATERIAL_INVALID'

/** Credentials can't be had. Neither message nor `cause` has a token, a key or what a plugin printed (rule X3). */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly code: CredentialsErrorCode

  constructor(code: CredentialsErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
