/** Why a registry did not give what was asked for. */
export type RegistryFailure =
  | 'RegistryUnavailable'
  | 'Unauthorized'
  | 'NotFound'
  | 'WrongDigest'
  | 'TooLarge'
  | 'TooSlow'
  | 'InvalidManifest'
  | 'InvalidUrl'
  | 'InvalidCaBundle'

/** A registry did not give what was asked for, or gave something else. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  readonly code = 'REGISTRY'
  readonly reason: RegistryFailure

  constructor(reason: RegistryFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
