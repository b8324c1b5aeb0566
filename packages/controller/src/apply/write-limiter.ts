import type { Clock } from '@wherry/client'
import { TokenBucket } from '@wherry/client/internal'

/** The number of writes of one object, by all keys, that may restore an earlier value at once, and the milliseconds until one more may. */
const backBurst = 30
const backTokenMs = 500
/** The same for writes of new values: they are limited only to the rate at which desired states really change. */
const newBurst = 100
const newTokenMs = 50
/** How many of the values that were written to an object are known. */
const mostValues = 16
/** How often one key may send an equal write of an object without a delay. */
const mostAtOnce = 3
/** The first delay after that, in milliseconds. It doubles. */
const firstDelayMs = 1000
const longestDelayMs = 60_000
/** How long an object must have been as desired for the count to start again, in milliseconds, unless the last delay was longer. */
const peaceMs = 10_000
/** How long after its last write an object is forgotten, in milliseconds. */
const forgetMs = 600_000

/** A write that asks the limiter. */
export interface Write {
  /** The key that sends the write. */
  readonly key: string
  /** The object, with the subresource if there is one. */
  readonly object: string
  /** A digest of the body. */
  readonly digest: string
  /** The field manager, and a digest of the part of the present object that it owns; `undefined` if it owns nothing, or there is no object. */
  readonly manager: string
  readonly owned: string | undefined
}

/** The writes of one object by one key. */
interface Sent {
  digest: string
  /** How often the write of this digest was sent in a row. */
  count: number
  /** The time of the last write, on the monotonic clock. */
  at: number
  /** The time since which the object has been as desired; `undefined` if it is not. */
  peaceSince: number | undefined
  /** The server's last refusal. */
  refusal: unknown
  /** Whether `onError` was informed that the writes wait. */
  isReported: boolean
}

/** The writes of one object by all keys. */
interface Writes {
  /** When the object was written last. */
  readonly at: number
  /** The limits of writes that restore an earlier value, and of the other writes. */
  readonly back: TokenBucket
  readonly fresh: TokenBucket
  /** The keys that have written the object lately, and the key that wrote it last. */
  readonly keys: string | Set<string>
  readonly lastKey: string
  /** The values that were written, the oldest first. */
  readonly values: Set<string>
  /** By field manager: a digest of the part that it owned after its last write. */
  readonly left: Map<string, string>
}

/**
 * Limits the writes of an object, so that no write is repeated in a hot loop because the server refuses it, another client undoes it, or its answer is
 * lost. Call {@link WriteLimiter.admit} before each write.
 *
 * - A write restores an earlier value if it repeats the last write of its key, or if the same value was written before, and another key or client has
 *   changed the object since. Each object gets 30 of these at once, by all keys together, and then one each half second.
 * - The other writes have a new value, or a value to which only this key returns. Each object gets 100 of these at once, and then one each 50 ms.
 * - A key sends the same write of an object three times at once, then after 1 s, doubling to 60 s. The count starts again when the object
 *   has been as desired for 10 s, or for the last delay if that was longer.
 */
export class WriteLimiter {
  readonly #clock: Clock
  /** By key and object, the least recently written first. */
  readonly #sent = new Map<string, Sent>()
  readonly #writes = new Map<string, Writes>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns 0 if the write may be sent now, and counts it. Otherwise returns the milliseconds that it has to wait. */
  admit(write: Write): number {
    const { key, object, digest } = write
    const now = this.#clock.monotonic()
    this.#forget(now)
    const id = idOf(key, object)
    const sent = this.#sent.get(id) ?? {
      digest,
      count: 0,
      at: now,
      peaceSince: undefined,
      refusal: undefined,
      isReported: false,
    }
    if (sent.digest !== digest || hadPeace(sent, now)) sent.count = 0
    sent.peaceSince = undefined
    const writes = this.#writes.get(object) ?? noWrites(key, now)
    const isBack = isRepeated(sent, write) || bringsBack(writes, write)
    const bucket = isBack ? writes.back : writes.fresh
    const waitMs = Math.max(sent.at + delayOf(sent) - now, bucket.waitMs(now))
    // A wait of less than a millisecond is shorter than a timer can count.
    if (waitMs >= 1) return Math.ceil(waitMs)
    bucket.take(now)
    renew(this.#sent, id, { ...sent, digest, count: sent.count + 1, at: now, refusal: undefined })
    const { values } = writes
    values.delete(digest)
    values.add(digest)
    const [oldest] = values
    if (values.size > mostValues && oldest !== undefined) values.delete(oldest)
    renew(this.#writes, object, { ...writes, at: now, keys: withKey(writes.keys, key), lastKey: key })
    return 0
  }

  /** Records the answer to a write. @param owned a digest of the part that the manager owns now */
  written(object: string, manager: string, owned: string | undefined): void {
    if (owned !== undefined) this.#writes.get(object)?.left.set(manager, owned)
  }

  /** Records that the object is as the key desires it. */
  asDesired(key: string, object: string): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.peaceSince ??= this.#clock.monotonic()
  }

  /** Records that the server refused a write. */
  refused(key: string, object: string, refusal: unknown): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.refusal = refusal
  }

  /** Records that an apply left an object alone that this controller has not made. No delay is needed: a change of the object makes the key run. */
  leftAlone(key: string, object: string): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.count = 0
  }

  /**
   * Records that a write has to wait. `isNews`: report it, because writes of the object are refused or undone, and that was not reported yet.
   */
  delayed(write: Write): { readonly isNews: boolean; readonly refusal: unknown } {
    const { key, object } = write
    const sent = this.#sent.get(idOf(key, object))
    const writes = this.#writes.get(object)
    const isWrong = isRepeated(sent, write) || (writes !== undefined && bringsBack(writes, write))
    const isNews = isWrong && sent?.isReported !== true
    if (isWrong && sent !== undefined) sent.isReported = true
    return { isNews, refusal: sent?.refusal }
  }

  /** The other keys that sent a write of an object lately. */
  rivals(key: string, object: string): readonly string[] {
    const keys = this.#writes.get(object)?.keys
    return keys === undefined ? [] : [...(typeof keys === 'string' ? [keys] : keys)].filter(one => one !== key)
  }

  #forget(now: number): void {
    for (const [object, { at }] of this.#writes) {
      if (now - at < forgetMs) break
      this.#writes.delete(object)
    }
    for (const [id, { at }] of this.#sent) {
      if (now - at < forgetMs) break
      this.#sent.delete(id)
      const space = id.indexOf(' ')
      const keys = this.#writes.get(id.slice(space + 1))?.keys
      if (typeof keys === 'object') keys.delete(id.slice(0, space))
    }
  }
}

function noWrites(key: string, at: number): Writes {
  const back = new TokenBucket(backBurst, backTokenMs)
  const fresh = new TokenBucket(newBurst, newTokenMs)
  return { at, back, fresh, keys: key, lastKey: key, values: new Set(), left: new Map() }
}

/** Whether a key sends its last write again: the last one was undone or refused, or its answer was lost. */
function isRepeated(sent: Sent | undefined, { digest }: Write): boolean {
  return sent !== undefined && sent.count > 0 && sent.digest === digest
}

function bringsBack({ values, lastKey, left }: Writes, { key, digest, manager, owned }: Write): boolean {
  if (!values.has(digest)) return false
  const last = left.get(manager)
  return lastKey !== key || last === undefined || last !== owned
}

/** Adds a key. Most objects are written by one key, which needs no set. */
function withKey(keys: string | Set<string>, key: string): string | Set<string> {
  if (keys === key) return keys
  return (typeof keys === 'string' ? new Set([keys]) : keys).add(key)
}

/** A key has no space in it. */
function idOf(key: string, object: string): string {
  return `${key} ${object}`
}

/** How long an equal write waits after the last one, in milliseconds. */
function delayOf({ count }: Sent): number {
  return count < mostAtOnce ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (count - mostAtOnce))
}

function hadPeace(sent: Sent, now: number): boolean {
  return (
    sent.peaceSince !== undefined &&
    now - sent.peaceSince >= Math.max(peaceMs, delayOf({ ...sent, count: sent.count - 1 }))
  )
}

/** Sets a value, and moves it to the end of the map's order. */
function renew<V>(map: Map<string, V>, id: string, value: V): void {
  map.delete(id)
  map.set(id, value)
}
