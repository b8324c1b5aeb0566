/** Shorter ones are shared by V8's JSON parser already. */
const leastLength = 11
/** Longer values of annotations are an object's own, most of them. */
const mostAnnotationLength = 64
const generationSize = 4096

interface Received {
  kind?: unknown
  apiVersion?: unknown
  metadata?:
    | { namespace?: unknown; labels?: unknown; annotations?: unknown; managedFields?: unknown }
    | null
    | undefined
}

/**
 * Lets objects share the texts that many of them have: kind, apiVersion, namespace, values of labels, short ones of
 * annotations, field managers. Holds
 * at most some thousands of texts: of two generations the older one is dropped when the younger one is full.
 */
export class Interner {
  #young = new Map<string, string>()
  #old = new Map<string, string>()
  readonly #keepsManagers: boolean

  /** @param keepsManagers whether managedFields are kept, so that sharing their texts is of use */
  constructor(keepsManagers: boolean) {
    this.#keepsManagers = keepsManagers
  }

  /** Replaces such texts of an object as decoded, which nothing else holds yet. A frozen one is left as it is. */
  intern(object: object): void {
    const received = object as Received
    this.#text(received, 'kind')
    this.#text(received, 'apiVersion')
    const { metadata } = received
    if (!isObject(metadata)) return
    this.#text(metadata, 'namespace')
    const { labels, annotations, managedFields } = metadata
    if (isObject(labels)) for (const key of Object.keys(labels)) this.#text(labels, key)
    if (isObject(annotations)) {
      for (const key of Object.keys(annotations)) this.#text(annotations, key, mostAnnotationLength)
    }
    if (!this.#keepsManagers || !Array.isArray(managedFields)) return
    for (const entry of managedFields) {
      if (!isObject(entry)) continue
      this.#text(entry, 'manager')
      this.#text(entry, 'apiVersion')
    }
  }

  /** A text that is equal, and the same for all. */
  shared(text: string): string {
    const young = this.#young.get(text)
    if (young !== undefined) return young
    const shared = this.#old.get(text) ?? text
    if (this.#young.size >= generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(shared, shared)
    return shared
  }

  #text(holder: object, key: string, mostLength = Number.POSITIVE_INFINITY): void {
    const record = holder as Record<string, unknown>
    const text = record[key]
    if (typeof text !== 'string' || text.length < leastLength || text.length > mostLength) return
    if (Object.isFrozen(holder)) return
    record[key] = this.shared(text)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
