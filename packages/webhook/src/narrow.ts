import { compareResourceVersions } from '@wherry/client/internal'
import type { Operator } from '@wherry/controller'

/** The cache that watches single objects by their names. */
export type NarrowReader = Operator['narrow']

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string | undefined } | undefined
}

/** Whether a state is older than another state of the same object. One may come from the watch, and the other from the answer to a write. */
export function isOlder(state: Versioned | undefined, known: Versioned | undefined): boolean {
  return compareResourceVersions(state?.metadata?.resourceVersion, known?.metadata?.resourceVersion) === 'older'
}
