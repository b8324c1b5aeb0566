import { Sharer } from './sharer.ts'

/** V8's JSON parser shares shorter texts already. */
const leastLength = 11
/** Longer values of annotations are not shared: most of them are different. */
const mostAnnotationLength = 64
/** Longer texts are an object's own: no label, name or manager that a server accepts is longer. */
const mostTextLength = 256
const generationSize = 4096

interface Received {
  kind?: unknown
  apiVersion?: unknown
  metadata?: Metadata | null | undefined
}

interface Metadata {
  name?: unknown
  namespace?: unknown
  labels?: unknown
  annotations?: unknown
  ownerReferences?: unknown
  finalizers?: unknown
  managedFields?: unknown
}

export interface InternerOptions {
  /** Whether `managedFields` are kept, so that their texts are worth sharing. */
  readonly keepsManagers: boolean
  /** Whether whole labels, annotations, owners and finalizers may be shared; they are frozen then. */
  readonly sharesValues: boolean
}

/**
 * Lets objects share what many of them have: the texts of kind, apiVersion, namespace, values of labels, short values of
 * annotations, field managers; and, if they are equal, all labels, all annotations if they are short, owners and finalizers.
 * It keeps at most 8,192 texts of 256 characters: of two generations of texts, the older one is dropped when the younger one is full.
 */
export class Interner {
  #young = new Map<string, string>()
  #old = new Map<string, string>()
  readonly #keepsManagers: boolean
  readonly #sharer: Sharer | undefined

  constructor({ keepsManagers, sharesValues }: InternerOptions) {
    this.#keepsManagers = keepsManagers
    this.#sharer = sharesValues ? new Sharer() : undefined
  }

  /**
   * Replaces these parts of a decoded object by equal ones. A frozen part is left unchanged.
   * @param key the object's key, which is kept with it: the name becomes a part of that text
   * @param former an earlier state of the object: most updates do not change its labels and annotations
   */
  intern(object: object, key: string, former?: unknown): void {
    const received = object as Received
    this.#text(received, 'kind')
    this.#text(received, 'apiVersion')
    const { metadata } = received
    if (!isObject(metadata)) return
    this.#name(metadata, key)
    this.#text(metadata, 'namespace')
    const known = this.#sharer !== undefined && isObject(former) ? (former as Received).metadata : undefined
    if (!keeps(metadata, known, 'labels')) this.#texts(metadata, 'labels')
    if (!keeps(metadata, known, 'annotations')) this.#texts(metadata, 'annotations', mostAnnotationLength)
    this.#share(metadata, 'ownerReferences')
    this.#share(metadata, 'finalizers')
    const { managedFields } = metadata
    if (!this.#keepsManagers || !Array.isArray(managedFields)) return
    for (const entry of managedFields) {
      if (!isObject(entry)) continue
      this.#text(entry, 'manager')
      this.#text(entry, 'apiVersion')
    }
  }

  /** Returns an equal text: the same one each time, while it is remembered. */
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

  /** Makes the name a slice of the key: V8 keeps a slice in 32 bytes, and a separate name in 16 bytes and its length. */
  #name(metadata: Metadata, key: string): void {
    const { name } = metadata
    if (typeof name !== 'string' || name.length >= key.length || Object.isFrozen(metadata)) return
    metadata.name = key.slice(key.length - name.length)
  }

  /** Shares a map of texts if an equal map is known, otherwise its texts. */
  #texts(metadata: Metadata, field: 'labels' | 'annotations', mostLength = mostTextLength): void {
    const map = metadata[field]
    if (!isObject(map) || this.#share(metadata, field)) return
    for (const key of Object.keys(map)) this.#text(map, key, mostLength)
  }

  /** Shares a part of the metadata. Returns whether another object has an equal part. */
  #share(metadata: Metadata, field: keyof Metadata): boolean {
    const value = metadata[field]
    if (this.#sharer === undefined || !isObject(value) || Object.isFrozen(metadata)) return false
    const shared = this.#sharer.shared(value)
    if (shared === value) return false
    metadata[field] = shared
    return true
  }

  #text(holder: object, key: string, mostLength = mostTextLength): void {
    const record = holder as Record<string, unknown>
    const text = record[key]
    if (typeof text !== 'string' || text.length < leastLength || text.length > mostLength) return
    if (Object.isFrozen(holder)) return
    record[key] = this.shared(text)
  }
}

/** Keeps the map of an earlier state if it is equal. It is frozen then, because two states share it. Returns whether it was kept. */
function keeps(metadata: Metadata, former: Metadata | null | undefined, field: 'labels' | 'annotations'): boolean {
  const map = metadata[field]
  const known = former?.[field]
  if (!isObject(map) || !isObject(known) || !isEqual(map, known) || Object.isFrozen(metadata)) return false
  metadata[field] = Object.freeze(known)
  return true
}

/** Whether two maps of texts are equal. Other values are equal only if they are the same. */
function isEqual(map: object, other: object): boolean {
  let left = 0
  for (const key in map) {
    if ((map as Readonly<Record<string, unknown>>)[key] !== (other as Readonly<Record<string, unknown>>)[key])
      return false
    left++
  }
  for (const _ in other) left--
  return left === 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
