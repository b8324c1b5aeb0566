import type { KubernetesObject, View } from '@wherry/client'

/** An object with bundles. */
export type Bundled = KubernetesObject & { metadata: { name: string; uid?: string; resourceVersion?: string } }

/** A `clientConfig` of the operator in an object with bundles. */
export interface BundledPart {
  readonly name: string
  readonly caBundle: string | undefined
}

/** An object of the API server that names the operator's webhooks, and has a bundle for each. */
export interface BundleHolder {
  readonly kind: string
  readonly objectName: string
  /** The view of the object. It has managedFields, which name the writer that resets a bundle. */
  readonly view: View<Bundled, 'cluster'>
  /** The names of the parts that the operator declares. */
  readonly names: readonly string[]
  /** Whether the operator creates the object. If not, another writer does: the operator waits for the object, and restores its own stanza in it. */
  readonly isOwn: boolean
  /** The text about missing parts, with the advice for the user. */
  readonly lacks: string
  /** Called with each state, and with whether it has the operator's parts and their complete bundles. */
  readonly seen?:
    | ((live: Bundled | undefined, parts: { readonly areThere: boolean; readonly areWhole: boolean }) => void)
    | undefined
  /** The operator's parts in a state. */
  mine(live: Bundled): readonly BundledPart[]
  /** The paths with values that differ from the operator's declaration. Additions by other writers are left out. */
  differs?(live: Bundled): readonly string[]
  /** The object that the operator applies, with a bundle in each part or without bundles. */
  whole(caBundle: string | undefined): object
  /** The object with only the bundles. */
  bundles(names: readonly string[], caBundle: string): object
}
