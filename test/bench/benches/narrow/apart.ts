import type { Client } from '@wherry/client'
import { NarrowCache } from '@wherry/narrow-cache'

/** A cache that escalates nothing. */
export function apart(client: Client): NarrowCache {
  return new NarrowCache({
    client,
    escalateAt: Number.POSITIVE_INFINITY,
    escalateAllAt: Number.POSITIVE_INFINITY,
  })
}
