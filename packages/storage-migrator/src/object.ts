import {
  type Client,
  isApiError,
  isConflict,
  isNotFound,
  isResourceNotFound,
  type PartialObjectMetadata,
} from '@wherry/client'
import type { StorageTarget } from './definition.ts'
import { failureOf, type ObjectFailure } from './failure.ts'
import type { RequestPacer } from './request-pacer.ts'
import { isAccessDenied, isPassing, noAccess, retried } from './retry.ts'

/** The outcome for an object. A failure has the reason why the object may still be stored at an old version. */
export type ObjectOutcome = 'rewritten' | 'unchanged' | 'changed' | 'gone' | ObjectFailure

/** The identity and the resourceVersion of a listed object. */
export interface ListedObject {
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export function listed({ metadata }: PartialObjectMetadata): ListedObject {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata
  return { namespace, name, uid, resourceVersion }
}

/**
 * Makes the server store an object at its storage version, by a merge patch that changes nothing. An unchanged
 * resourceVersion in the answer proves that the object was stored at that version already.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/storage-version-migration/
 */
export class ObjectMigration {
  readonly #client: Client
  readonly #target: StorageTarget
  readonly #pacer: RequestPacer
  readonly #signal: AbortSignal

  constructor(client: Client, target: StorageTarget, pacer: RequestPacer, signal: AbortSignal) {
    this.#client = client
    this.#target = target
    this.#pacer = pacer
    this.#signal = signal
  }

  /** Rewrites an object. Throws only errors that are not about the object: no access, a missing resource, an abort, or an unexpected error. */
  async migrate(object: ListedObject): Promise<ObjectOutcome> {
    try {
      return await this.#patched(object)
    } catch (error) {
      this.#signal.throwIfAborted()
      const { definition } = this.#target
      if (isAccessDenied(error)) throw noAccess(definition, `patch ${definition}`, error)
      // A webhook may refuse with any status, 404 and 409 too, so the object is read to find the cause.
      if (isConflict(error) || isNotFound(error)) return this.#since(object, error)
      if (!isRefusal(error)) throw error
      return failureOf(object, error)
    }
  }

  /** Tries again to rewrite an object that has failed before, in its present state. */
  async again(failure: ObjectFailure): Promise<ObjectOutcome> {
    try {
      const now = await this.#read(failure)
      return now === undefined ? 'gone' : await this.migrate(now)
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!isRefusal(error)) throw error
      return failureOf(failure, error)
    }
  }

  async #patched(object: ListedObject): Promise<ObjectOutcome> {
    const { uid, resourceVersion } = object
    const change = { metadata: { uid, resourceVersion } }
    const patch = async (): Promise<PartialObjectMetadata> => {
      await this.#pacer.turn(this.#signal)
      return this.#client.patch(this.#target.view, keyOf(object), change, { signal: this.#signal })
    }
    const after = await retried(this.#client.environment, patch, this.#signal)
    return after.metadata.resourceVersion === resourceVersion ? 'unchanged' : 'rewritten'
  }

  /** The outcome after a conflict or a 404: the object was deleted, written by others since the list, or is unchanged and refused. */
  async #since(object: ListedObject, refusal: unknown): Promise<ObjectOutcome> {
    try {
      const now = await this.#read(object)
      if (now === undefined) return 'gone'
      return now.resourceVersion === object.resourceVersion ? failureOf(object, refusal) : 'changed'
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!isRefusal(error)) throw error
      return failureOf(object, error)
    }
  }

  async #read(key: {
    readonly namespace?: string | undefined
    readonly name: string
  }): Promise<ListedObject | undefined> {
    const { definition, view } = this.#target
    const read = (): Promise<PartialObjectMetadata | undefined> =>
      this.#client.get(view, keyOf(key), { signal: this.#signal })
    try {
      const found = await retried(this.#client.environment, read, this.#signal)
      return found === undefined ? undefined : listed(found)
    } catch (error) {
      throw isAccessDenied(error) ? noAccess(definition, `get ${definition}`, error) : error
    }
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): {
  readonly namespace: string
  readonly name: string
} {
  // A cluster-scoped object has no namespace, which the type of a view of any scope can't express.
  return { namespace, name } as { readonly namespace: string; readonly name: string }
}

/** Whether an error is about a single object: the server refuses the object, or all attempts have failed. */
function isRefusal(error: unknown): boolean {
  return (isApiError(error) && !isResourceNotFound(error)) || isPassing(error)
}
