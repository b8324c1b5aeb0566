/** The most that is remembered of each kind: about as much as client-go's recorder does. */
const most = 4096

/** So many events about one object may be recorded at once, as in client-go; each later one is dropped until there is room. */
const burst = 25
/** So long it takes until there is room for one more, in milliseconds: client-go's five minutes. */
const refillMs = 300_000
/** From so many different messages of one type and reason about one object on, they are counted as one, as in client-go. */
const similar = 10
/** So long after its last time an event is counted on, and others are similar to it, in milliseconds: client-go's ten minutes. */
export const windowMs = 600_000

/** Sets a value in a map, which forgets the value that was set longest ago. */
export function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > most ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}

/** What makes an event the same as another one, apart from its message. */
export interface Kind {
  /** The object: by uid where it has one. */
  readonly object: string
  readonly type: string
  readonly reason: string
  readonly action: string
}

/** Decides what is told at all, and what is told as one. */
export class EventSpamFilter {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #similar = new Map<string, { readonly messages: Set<string>; at: number }>()

  /** Whether one more event about the object fits. */
  admits(object: string, now: number): boolean {
    const bucket = this.#buckets.get(object) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
    bucket.at = now
    remember(this.#buckets, object, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }

  /** Whether so many different messages of this kind came lately that they are told as one. */
  merges(kind: Kind, message: string, now: number): boolean {
    const key = keyOf(kind)
    let group = this.#similar.get(key)
    if (group === undefined || now - group.at > windowMs) group = { messages: new Set(), at: now }
    group.at = now
    if (group.messages.size < similar) group.messages.add(message)
    remember(this.#similar, key, group)
    return group.messages.size >= similar
  }
}

export function keyOf({ object, type, reason, action }: Kind, message?: string): string {
  return JSON.stringify([object, type, reason, action, message])
}
