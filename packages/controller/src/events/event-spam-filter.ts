import { TokenBucket } from '@wherry/client/internal'
import { remember } from '../objects/remember.ts'

/** The most that is remembered of each kind: about as much as client-go's recorder does. */
export const mostRemembered = 4096

/** How many events about one object may be recorded at once, as in client-go; each later one is dropped until there is room. */
const burst = 25
/** How long it takes until there is room for one more event, in milliseconds: client-go's five minutes. */
const refillMs = 300_000
/** From so many different messages of one type and reason about one object on, they are counted as one, as in client-go. */
const similar = 10
/** So long after its last time an event is counted on, and others are similar to it, in milliseconds: client-go's ten minutes. */
export const windowMs = 600_000

/** Decides which events are sent, and which are combined. */
export class EventSpamFilter {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #similar = new Map<string, { readonly digests: Set<string>; at: number }>()

  /** Returns true if there is room for one more event about the object, and takes that room. */
  admits(object: string, now: number): boolean {
    const bucket = this.#buckets.get(object) ?? new TokenBucket(burst, refillMs)
    remember(this.#buckets, object, bucket, mostRemembered)
    return bucket.tryTake(now)
  }

  /**
   * Returns true if so many different messages of this kind came lately that they are combined.
   * @param digest of the message: of 40,000 messages the texts would be 40 MB
   */
  merges(kind: string, digest: string, now: number): boolean {
    let group = this.#similar.get(kind)
    if (group === undefined || now - group.at > windowMs) group = { digests: new Set(), at: now }
    group.at = now
    if (group.digests.size < similar) group.digests.add(digest)
    remember(this.#similar, kind, group, mostRemembered)
    return group.digests.size >= similar
  }
}
