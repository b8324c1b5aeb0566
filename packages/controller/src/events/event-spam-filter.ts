import type { RecorderSettings } from './options.ts'

/** The most that is remembered of each kind: about as much as client-go's recorder does. */
const most = 4096

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
  readonly #settings: RecorderSettings
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #similar = new Map<string, { readonly messages: Set<string>; at: number }>()

  constructor(settings: RecorderSettings) {
    this.#settings = settings
  }

  /** Whether one more event about the object fits. */
  admits(object: string, now: number): boolean {
    const { burst, refillMs } = this.#settings
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
    const { similar, windowMs } = this.#settings
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
