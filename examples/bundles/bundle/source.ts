/** A release of a package. */
export interface Release {
  readonly name: string
  readonly version: string
  /** Of its bundle. Two bundles of one digest are the same. */
  readonly digest: string
}

export interface PackageChannel {
  readonly package: string
  /** @default the default channel of the package */
  readonly channel?: string | undefined
}

/** Where bundles come from. */
export interface BundleSource {
  /**
   * The release to install: the next one on the upgrade path of the installed one, or that itself if there is none. Without an
   * `installed`: the newest of the channel. `undefined` where the catalog has no such channel, or package.
   */
  next(of: PackageChannel, installed: Release | undefined, signal: AbortSignal): Promise<Release | undefined>
  /**
   * The layers of the bundle of a release of a package, the lowest first: each is a tar, plain or compressed. They are those of the release's
   * digest, or else this rejects.
   */
  fetch(of: string, release: Release, signal: AbortSignal): Promise<readonly Uint8Array[]>
}
