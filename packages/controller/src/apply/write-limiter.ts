import type { Clock } from '@wherry/client'

/** How many writes of one object may be sent at once, whichever keys want them, and how long until one more may. */
const burst = 30
const tokenMs = 500
/** How often one key may send the same write of an object at once. */
const mostAtOnce = 3
/** How long it waits then, in milliseconds, doubling. */
const firstDelayMs = 1000
const longestDelayMs = 60_000
/** How long an object must have been as desired for the count to start anew, in milliseconds, unless the last delay was longer. */
const peaceMs = 10_000
/** What is known of an object is forgotten when nothing happened to it for so long, in milliseconds. */
const forgetMs = 600_000

/** Which write is meant. */
export interface Write {
  /** The key that wants it. */
  readonly key: string
  /** The object, and which subresource of it. */
  readonly object: string
  /** A digest of what is sent. */
  readonly digest: string
}

/** What one key has sent of one object. */
interface Sent {
  digest: string
  /** How often that was sent, running. */
  count: number
  /** When it was sent last, on the monotonic clock. */
  at: number
  /** Since when the object is as desired, as far as it is known. */
  peaceSince: number | undefined
  /** What the server refused it with last. */
  refusal: unknown
  /** That its writes wait was told. */
  isTold: boolean
}

interface Bucket {
  tokens: number
  /** When the tokens were counted. */
  at: number
  /** The keys that have written the object lately. */
  keys: string | Set<string>
}

/**
 * Says when a write may be sent, so that nothing is written in a hot loop: not a write that is refused, nor one that somebody undoes,
 * nor one whose answer is lost. It is asked before a write is sent, and counts it then.
 *
 * - Each object has a bucket of 30 tokens, over all keys, and gets one each half second.
 * - A key sends the same write of an object three times at once, then after 1 s, doubling to 60 s. The count starts anew once the object
 *   was as desired for 10 s, or for the last delay if that was longer.
 */
export class WriteLimiter {
  readonly #clock: Clock
  /** By key and object, in the order in which something happened to them last. */
  readonly #sent = new Map<string, Sent>()
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 0: the write is to be sent now, and was counted. Else how long it has to wait, in milliseconds. */
  admit({ key, object, digest }: Write): number {
    const now = this.#clock.monotonic()
    this.#forget(now)
    const id = idOf(key, object)
    const sent = this.#sent.get(id) ?? {
      digest,
      count: 0,
      at: now,
      peaceSince: undefined,
      refusal: undefined,
      isTold: false,
    }
    if (sent.digest !== digest || hadPeace(sent, now)) sent.count = 0
    sent.peaceSince = undefined
    const bucket = this.#buckets.get(object) ?? { tokens: burst, at: now, keys: key }
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / tokenMs)
    const waitMs = Math.max(sent.at + delayOf(sent) - now, (1 - tokens) * tokenMs, 0)
    // Later than now by less than a timer can tell.
    if (waitMs >= 1) return Math.ceil(waitMs)
    renew(this.#sent, id, { ...sent, digest, count: sent.count + 1, at: now, refusal: undefined })
    renew(this.#buckets, object, { tokens: tokens - 1, at: now, keys: withKey(bucket.keys, key) })
    return 0
  }

  /** The object is as a key desires it. */
  asDesired(key: string, object: string): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.peaceSince ??= this.#clock.monotonic()
  }

  /** A write that was sent was refused. */
  refused(key: string, object: string, refusal: unknown): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.refusal = refusal
  }

  /** A write has to wait. `isNews`: that is so for the first time. */
  delayed(key: string, object: string): { readonly isNews: boolean; readonly refusal: unknown } {
    const sent = this.#sent.get(idOf(key, object))
    const isNews = sent?.isTold === false
    if (sent !== undefined) sent.isTold = true
    return { isNews, refusal: sent?.refusal }
  }

  /** The other keys that sent a write of an object lately. */
  rivals(key: string, object: string): readonly string[] {
    const keys = this.#buckets.get(object)?.keys
    return keys === undefined ? [] : [...(typeof keys === 'string' ? [keys] : keys)].filter(one => one !== key)
  }

  #forget(now: number): void {
    for (const [object, { at }] of this.#buckets) {
      if (now - at < forgetMs) break
      this.#buckets.delete(object)
    }
    for (const [id, { at }] of this.#sent) {
      if (now - at < forgetMs) break
      this.#sent.delete(id)
      const space = id.indexOf(' ')
      const keys = this.#buckets.get(id.slice(space + 1))?.keys
      if (typeof keys === 'object') keys.delete(id.slice(0, space))
    }
  }
}

/** Most objects are written by one key, for which no set is made. */
function withKey(keys: string | Set<string>, key: string): string | Set<string> {
  if (keys === key) return keys
  return (typeof keys === 'string' ? new Set([keys]) : keys).add(key)
}

/** A key has no space in it. */
function idOf(key: string, object: string): string {
  return `${key} ${object}`
}

/** How long the next write of the same waits after the last one. */
function delayOf({ count }: Sent): number {
  return count < mostAtOnce ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (count - mostAtOnce))
}

function hadPeace(sent: Sent, now: number): boolean {
  return (
    sent.peaceSince !== undefined &&
    now - sent.peaceSince >= Math.max(peaceMs, delayOf({ ...sent, count: sent.count - 1 }))
  )
}

/** Puts a value at the end of a map: the order is that of what happened last. */
function renew<V>(map: Map<string, V>, id: string, value: V): void {
  map.delete(id)
  map.set(id, value)
}
