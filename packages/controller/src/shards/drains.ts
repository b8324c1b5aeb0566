import { type Client, isApiError, type ObjectKey, type PartialObjectMetadata, type View } from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import type { RingLabels } from './ring-names.ts'

/** A controller that has to give up an object before it is released. */
export interface Drained {
  /** Whether a key can belong to its primary objects. */
  accepts(key: string): boolean
  /** Notes that the object is being released. Returns a function that undoes this. */
  releasing(key: string): () => void
}

/**
 * Releases the objects of one resource, which several controllers may have as their primary objects: when all of them have given up a key, one
 * patch removes both labels from the object.
 */
export class Drains {
  readonly #labels: RingLabels
  readonly #controllers: Drained[] = []
  /** By key, the controllers that have given it up, and the version that was released. */
  readonly #keys = new Map<string, { readonly by: Set<Drained>; released: string | undefined }>()

  constructor(labels: RingLabels) {
    this.#labels = labels
  }

  add(controller: Drained): void {
    this.#controllers.push(controller)
  }

  /** Whether a controller has given up a key. */
  has(controller: Drained, key: string): boolean {
    return this.#keys.get(key)?.by.has(controller) === true
  }

  /** Forgets that a controller has given up a key. */
  forget(controller: Drained, key: string): void {
    const known = this.#keys.get(key)
    known?.by.delete(controller)
    if (known?.by.size === 0) this.#keys.delete(key)
  }

  /**
   * Notes that a controller gives up a key: it has no run of the key, and begins none. Releases the object once all controllers have given it up, and
   * resolves with whether it did. Rejects as the patch does; a version that is no longer the object's is a conflict.
   */
  async giveUp(
    controller: Drained,
    view: View<PartialObjectMetadata>,
    key: ObjectKey,
    version: string,
    client: Client,
    signal: AbortSignal,
  ): Promise<boolean> {
    const text = keyText(key)
    const known = this.#keys.get(text) ?? { by: new Set(), released: undefined }
    this.#keys.set(text, known)
    known.by.add(controller)
    const controllers = this.#controllers.filter(one => one.accepts(text))
    // The informer may still show the version that was released.
    if (known.released === version || controllers.some(one => !known.by.has(one))) return false
    const undo = controllers.map(one => one.releasing(text))
    const { shard, drain } = this.#labels
    try {
      const change = { metadata: { resourceVersion: version, labels: { [shard]: null, [drain]: null } } }
      await client.patch(view, key, change, { signal })
    } catch (error) {
      // Without an answer, the patch may have been carried out.
      if (isApiError(error) && error.status < 500) for (const takeBack of undo) takeBack()
      throw error
    }
    known.released = version
    return true
  }
}
