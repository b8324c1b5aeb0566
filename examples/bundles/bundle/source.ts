/** A release of a package. */
export interface Release {
  readonly name: string
  readonly version: string
  /** Of its bundle. Two bundles of one digest are the same. */
  readonly digest: string
}

/** Where bundles come from. */
export interface BundleSource {
  /** The newest release of a package in a channel; `undefined` where the catalog has none. */
  head(of: { readonly package: string; readonly channel?: string | undefined }): Promise<Release | undefined>
  /** Its bundle, a `.tar.gz`, verified by its digest. */
  fetch(release: Release, signal: AbortSignal): Promise<Uint8Array>
}
