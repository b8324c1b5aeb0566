/** An image that is no bundle, or one of another shape. */
export class InvalidBundleImageError extends Error {
  override readonly name = 'InvalidBundleImageError'
  readonly code = 'INVALID_BUNDLE_IMAGE'
}
