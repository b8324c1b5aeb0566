import { compareResourceVersions } from '@wherry/client/internal'
import type { Operator } from '@wherry/controller'

/** The cache that watches single objects by their names. */
export type NarrowReader = Operator['narrow']

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string | undefined } | undefined
}

/** Whether a state from the watch is older than a state from the answer to a write. */
export function isOlder(state: Versioned | undefined, known: Versioned | undefined): boolean {
  return compareResourceVersions(state?.metadata?.resourceVersion, known?.metadata?.resourceVersion) === 'older'
}
