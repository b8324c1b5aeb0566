import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { controllerOf, identity, isDeleted } from './played-kind.ts'

/** The objects of a kind, in the newest state that lists, the watch and answers to writes have shown. */
export class ObjectCache {
  readonly #objects = new Map<string, JsonObject>()
  readonly #owned = new Map<string, Map<string, JsonObject>>()
  readonly #changed: (key: string, object: JsonObject, isGone: boolean) => void
  /** The revision up to which all objects are known. */
  #floor = 0
  /** The last revision that the watch sent. */
  #watched = 0

  /** @param changed called for each object that was added, changed or deleted, with its last state */
  constructor(changed: (key: string, object: JsonObject, isGone: boolean) => void) {
    this.#changed = changed
  }

  get(key: string): JsonObject | undefined {
    return this.#objects.get(key)
  }

  all(): readonly JsonObject[] {
    return [...this.#objects.values()]
  }

  /** The objects that the controller with this uid owns. */
  ownedBy(uid: string): readonly JsonObject[] {
    return [...(this.#owned.get(uid)?.values() ?? [])]
  }

  /** Replaces all objects by a list, after which a new watch may begin. */
  replace(list: JsonObject, { isWatched }: { readonly isWatched: boolean }): void {
    const revision = Number(stringAt(objectAt(list, 'metadata'), 'resourceVersion'))
    // Without a watch no object is newer than the list, so an older revision means that the server's storage was restored from a backup.
    if (!isWatched && revision < Math.max(this.#floor, this.#watched)) this.#forget()
    const items = objectsAt(list, 'items')
    const listed = new Set(items.map(keyOf))
    for (const item of items) this.#put(item)
    for (const [key, object] of [...this.#objects])
      if (!listed.has(key) && revisionOf(object) <= revision) this.#remove(key, object)
    this.#floor = Math.max(this.#floor, revision)
  }

  /** Applies an event of the watch. */
  event(type: string, object: JsonObject): void {
    const revision = revisionOf(object)
    this.#watched = Math.max(this.#watched, revision)
    if (revision <= this.#floor) return
    const key = keyOf(object)
    const known = this.#objects.get(key)
    if (type !== 'DELETED') return this.#put(object)
    if (known !== undefined && revisionOf(known) <= revision) this.#remove(key, object)
  }

  /** Applies the answer to a write of the player, unless the watch has passed that revision already. */
  wrote(object: JsonObject): void {
    if (revisionOf(object) > Math.max(this.#floor, this.#watched)) this.#put(object)
  }

  /** Marks an object as deleted until the watch delivers its deletion. */
  deleted(key: string, uid: string, deletionTimestamp: string): void {
    const object = this.#objects.get(key)
    if (object === undefined || identity(object).uid !== uid || isDeleted(object)) return
    const noted = { ...object, metadata: { ...objectAt(object, 'metadata'), deletionTimestamp } }
    this.#objects.set(key, noted)
    this.#owned.get(stringAt(controllerOf(object), 'uid') ?? '')?.set(key, noted)
  }

  #put(object: JsonObject): void {
    const key = keyOf(object)
    const known = this.#objects.get(key)
    if (known !== undefined && revisionOf(known) >= revisionOf(object)) return
    if (known !== undefined) this.#disown(key, known)
    if (known !== undefined && identity(known).uid !== identity(object).uid) this.#changed(key, known, true)
    this.#objects.set(key, object)
    const owner = stringAt(controllerOf(object), 'uid')
    if (owner !== undefined) {
      const owned = this.#owned.get(owner) ?? new Map<string, JsonObject>()
      this.#owned.set(owner, owned.set(key, object))
    }
    this.#changed(key, object, false)
  }

  #forget(): void {
    for (const [key, object] of [...this.#objects]) this.#remove(key, object)
    this.#floor = 0
    this.#watched = 0
  }

  #remove(key: string, object: JsonObject): void {
    this.#disown(key, this.#objects.get(key) ?? object)
    this.#objects.delete(key)
    this.#changed(key, object, true)
  }

  #disown(key: string, object: JsonObject): void {
    const owner = stringAt(controllerOf(object), 'uid') ?? ''
    const owned = this.#owned.get(owner)
    owned?.delete(key)
    if (owned?.size === 0) this.#owned.delete(owner)
  }
}

/** `namespace/name` of an object. */
export function keyOf(object: JsonObject): string {
  const { namespace, name } = identity(object)
  return `${namespace}/${name}`
}

function revisionOf(object: JsonObject): number {
  return Number(stringAt(objectAt(object, 'metadata'), 'resourceVersion') ?? 0)
}
