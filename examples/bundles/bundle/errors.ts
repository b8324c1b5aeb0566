/** Why a bundle can't be installed. */
export type BundleReason =
  | 'NotAnArchive'
  | 'UnsafePath'
  | 'LinkInArchive'
  | 'TooLarge'
  | 'TooManyFiles'
  | 'TooManyLayers'
  | 'InvalidManifest'
  | 'UnsupportedInstallMode'
  | 'NeedsWebhooks'
  | 'UnsupportedKind'
  | 'ForeignNamespace'
  | 'NoDefaultChannel'

/** A bundle that can't be installed. Nothing of it was applied. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly reason: BundleReason

  constructor(reason: BundleReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
