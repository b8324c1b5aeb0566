import { TokenBucket } from '@wherry/client/internal'
import { remember } from '../objects/remember.ts'

/** The maximum number of entries of each kind that are remembered: about as many as in client-go's recorder. */
export const mostRemembered = 4096

/** The number of events about one object that may be sent at once, as in client-go; a later event is dropped if the bucket is empty. */
const burst = 25
/** The time until one more event may be sent, in milliseconds: client-go's five minutes. */
const refillMs = 300_000
/** From this number of different messages of one type and reason about one object on, the messages are merged, as in client-go. */
const similar = 10
/** The time after an event in which an equal one increases its count, and a similar one is merged with it, in milliseconds: client-go's ten minutes. */
export const windowMs = 600_000

/** Decides which events are sent, and which are combined. */
export class EventSpamFilter {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #similar = new Map<string, { readonly digests: Set<string>; at: number }>()

  /** Returns true, and takes a token, if an event about the object may be sent. */
  admits(object: string, now: number): boolean {
    const bucket = this.#buckets.get(object) ?? new TokenBucket(burst, refillMs)
    remember(this.#buckets, object, bucket, mostRemembered)
    return bucket.tryTake(now)
  }

  /**
   * Returns true if so many different messages of this kind were recorded lately that they are merged.
   * @param digest the digest of the message, since 40,000 messages could be 40 MB of text
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
