import type { Environment } from '../environment.ts'
import { asError } from '../errors/as-error.ts'
import { isConnectionError } from '../errors/connection-error.ts'
import { isApiError, isForbidden } from '../errors/guards.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import type { KubernetesObject, ObjectKey } from '../views/object.ts'
import { projector, unprojected } from '../views/read.ts'
import type { View } from '../views/resource.ts'

/** Receives the writes of a client (`client.withWriteListeners(listener)`), for caches that must return nothing older. */
export interface WriteListener {
  /** Called when an object was written. `answer` is the server's object, or its metadata for a metadata view. */
  wrote(view: View, answer: object): void
  /** Called when an object is gone. @param uid of that object; `undefined`: unknown */
  deleted(view: View, key: ObjectKey, uid?: string | undefined): void
  /**
   * The uids of the objects that the listener has by that key. It is called before a delete is sent, because the answer may have no uid: after the delete,
   * each of these objects is gone, and an object of that name is a new one.
   */
  uids?(view: View, key: ObjectKey): Iterable<string>
  /** Called when a write of the object with this key got no answer, so that it is unknown whether the server did it. */
  unanswered?(view: View, key: string): void
}

/** Reports the outcome of a delete: the object is gone. @param uid of that object; `undefined`: unknown */
type Gone = (uid: string | undefined) => void

interface Dry {
  readonly dryRun?: boolean | undefined
}

/** The object to write. Without a key the server makes its name. */
interface Named {
  readonly key?: string | undefined
}

/** All write listeners of a client. */
export class WriteListeners {
  readonly #listeners: readonly WriteListener[]

  constructor(listeners: readonly WriteListener[]) {
    this.#listeners = listeners
  }

  /** These listeners and more. */
  and(more: readonly WriteListener[]): WriteListeners {
    return new WriteListeners([...this.#listeners, ...more])
  }

  get #isEmpty(): boolean {
    return this.#listeners.length === 0
  }

  /** @param options of the call: a dry run writes nothing */
  wrote(view: View, answer: KubernetesObject, options: Dry = {}): void {
    if (this.#isEmpty || options.dryRun === true || answer.metadata?.resourceVersion === undefined) return
    const object = projector(unprojected(view))(answer)
    for (const listener of this.#listeners) listener.wrote(view, object)
  }

  deleted(view: View, key: ObjectKey, uid: string | undefined): void {
    for (const listener of this.#listeners) listener.deleted(view, key, uid)
  }

  /** Called before a delete is sent. Returns a function that reports that the object is gone. */
  deleting(view: View, key: ObjectKey, { dryRun }: Dry = {}): Gone {
    if (this.#isEmpty || dryRun === true) return () => {}
    const before = this.#uids(view, key)
    return uid => {
      const uids = uid === undefined ? before : new Set([...before, uid])
      for (const listener of this.#listeners) {
        if (listener.uids === undefined) listener.deleted(view, key, uid)
        else for (const one of uids) listener.deleted(view, key, one)
      }
    }
  }

  /** Reports the outcome of a write that `send` sends, and returns its answer. */
  async during<T extends object>(view: View, of: Named, options: Dry, send: () => Promise<T>): Promise<T> {
    const answer = await this.unlessLost(view, of, options, send)
    this.wrote(view, answer, options)
    return answer
  }

  /** As {@link WriteListeners.during}, if the caller reports the answer itself. */
  async unlessLost<T>(view: View, { key }: Named, { dryRun }: Dry, send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      if (key !== undefined && dryRun !== true && !isAnswered(error)) {
        for (const listener of this.#listeners) listener.unanswered?.(view, key)
      }
      throw error
    }
  }

  /** Reads the object after a write if the answer does not contain it. If that fails, `onError` gets the error. */
  async askAfter(
    about: RequestInfo,
    { dryRun }: Dry,
    { onError }: Environment,
    ask: () => Promise<void>,
  ): Promise<void> {
    if (this.#isEmpty || dryRun === true) return
    try {
      await ask()
    } catch (error) {
      // A client that may not read these objects has none of them in a cache.
      if (isForbidden(error)) return
      const { resource, key } = about
      onError(asError(error), { phase: 'read what was written', resource, ...(key !== undefined && { key }) })
    }
  }

  #uids(view: View, key: ObjectKey): ReadonlySet<string> {
    const uids = new Set<string>()
    for (const listener of this.#listeners) {
      try {
        for (const uid of listener.uids?.(view, key) ?? []) uids.add(uid)
      } catch {
        // A wrong view or key is an error of the request itself. The other listeners are asked too.
      }
    }
    return uids
  }
}

/** Whether the outcome of a failed write is known: the server refused it, or it was not sent. */
function isAnswered(error: unknown): boolean {
  if (isApiError(error) || error instanceof TypeError || error instanceof RangeError) return true
  return isConnectionError(error) && error.unprocessed
}
