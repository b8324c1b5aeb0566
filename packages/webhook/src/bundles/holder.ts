import type { KubernetesObject, View } from '@wherry/client'

/** An object, as far as its bundles are kept. */
export type Bundled = KubernetesObject & { metadata: { name: string; uid?: string; resourceVersion?: string } }

/** One `clientConfig` of the operator in a bundled object. */
export interface BundledPart {
  readonly name: string
  readonly caBundle: string | undefined
}

/** An object of the API server that names the operator's webhooks, and has a bundle for each. */
export interface BundleHolder {
  readonly kind: string
  readonly objectName: string
  /** With managedFields, which name the writer that resets a bundle. */
  readonly view: View<Bundled, 'cluster'>
  /** The parts that the operator declares. */
  readonly names: readonly string[]
  /** Whether the object is the operator's: it creates it. If not, it is another's, in which the operator has a stanza: it waits for it, and puts the stanza back. */
  readonly isOwn: boolean
  /** What a user has to apply if the parts are not there. */
  readonly lacks: string
  /** Called with each state: whether the operator's parts are there, and have whole bundles. */
  readonly seen?:
    | ((live: Bundled | undefined, parts: { readonly areThere: boolean; readonly areWhole: boolean }) => void)
    | undefined
  /** The operator's parts in a state. */
  mine(live: Bundled): readonly BundledPart[]
  /** The paths that are not as the operator declares them. What others add is left out. */
  differs?(live: Bundled): readonly string[]
  /** What the operator applies, with a bundle in each part or without. */
  whole(caBundle: string | undefined): object
  /** The bundles alone. */
  bundles(names: readonly string[], caBundle: string): object
}
