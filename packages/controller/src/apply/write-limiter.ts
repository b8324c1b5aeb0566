import type { Clock } from '@wherry/client'
import { TokenBucket } from '@wherry/client/internal'

/** How many writes of one object may bring back an earlier value at once, whichever keys want them, and how long until one more may. */
const backBurst = 30
const backTokenMs = 500
/** The same for writes of new values: if the desired state really changes, the object is written as often as that. */
const newBurst = 100
const newTokenMs = 50
/** How many of the values that were written to an object are known. */
const mostValues = 16
/** How often one key may send the same write of an object at once. */
const mostAtOnce = 3
/** How long it waits then, in milliseconds, doubling. */
const firstDelayMs = 1000
const longestDelayMs = 60_000
/** How long an object must have been as desired for the count to start again, in milliseconds, unless the last delay was longer. */
const peaceMs = 10_000
/** An object is forgotten when nothing happened to it for so long, in milliseconds. */
const forgetMs = 600_000

/** Which write is meant. */
export interface Write {
  /** The key that wants it. */
  readonly key: string
  /** The object, and which subresource of it. */
  readonly object: string
  /** A digest of the body. */
  readonly digest: string
  /** The manager that sends it, and what it owns of the object as the object is now; `undefined`: nothing, or there is no object. */
  readonly manager: string
  readonly owned: string | undefined
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
  /** It was reported that its writes wait. */
  isReported: boolean
}

/** What all keys have sent of one object. */
interface Writes {
  /** When the object was written last. */
  readonly at: number
  /** For writes that bring back an earlier value, and for the others. */
  readonly back: TokenBucket
  readonly fresh: TokenBucket
  /** The keys that have written the object lately, and the key that wrote it last. */
  readonly keys: string | Set<string>
  readonly lastKey: string
  /** The values that were written, the oldest first. */
  readonly values: Set<string>
  /** What each manager owned after its last write. */
  readonly left: Map<string, string>
}

/**
 * Says when a write may be sent, so that nothing is written in a hot loop: not a write that is refused, nor one that another client undoes,
 * nor one that gets no answer. Ask it before each write; it counts the write then.
 *
 * - A write brings back an earlier value if the same value was written before, and somebody else has changed it since: another key, or whoever left
 *   the manager with other fields or values. Of these, each object gets 30 at once, over all keys, and then one each half second.
 * - All other writes have a new value, or one that this key alone goes back to. Of these, each object gets 100 at once, and then one each 50 ms.
 * - A key sends the same write of an object three times at once, then after 1 s, doubling to 60 s. The count starts again once the object
 *   was as desired for 10 s, or for the last delay if that was longer.
 */
export class WriteLimiter {
  readonly #clock: Clock
  /** By key and object, in the order in which something happened to them last. */
  readonly #sent = new Map<string, Sent>()
  readonly #writes = new Map<string, Writes>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 0: the write is to be sent now, and was counted. Else how long it has to wait, in milliseconds. */
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
    // Later than now by less than the resolution of a timer.
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

  /** A write was answered: what its manager owns of the object now. */
  written(object: string, manager: string, owned: string | undefined): void {
    if (owned !== undefined) this.#writes.get(object)?.left.set(manager, owned)
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

  /** The object is somebody else's, so nothing was written: to wait would not help, and a change of the object makes the key run. */
  leftAlone(key: string, object: string): void {
    const sent = this.#sent.get(idOf(key, object))
    if (sent !== undefined) sent.count = 0
  }

  /**
   * A write has to wait. `isNews`: it is to be reported, since writes of the object are refused or undone, and that was not reported yet.
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

/** The key sent the same as its last write: that was undone or refused, or its answer was lost. */
function isRepeated(sent: Sent | undefined, { digest }: Write): boolean {
  return sent !== undefined && sent.count > 0 && sent.digest === digest
}

function bringsBack({ values, lastKey, left }: Writes, { key, digest, manager, owned }: Write): boolean {
  if (!values.has(digest)) return false
  const last = left.get(manager)
  return lastKey !== key || last === undefined || last !== owned
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
