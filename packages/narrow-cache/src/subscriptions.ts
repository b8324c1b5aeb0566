import { type Environment, resourceName, type View } from '@wherry/client'
import { type Store, TransformError } from '@wherry/informer'
import type { NarrowHandler } from './handler.ts'
import { Subscriber } from './subscriber.ts'

/** The handlers of a view's objects. */
export class Subscriptions {
  readonly #view: View
  readonly #store: Store<unknown>
  readonly #environment: Environment
  /** By the key of the object. */
  readonly #subscribers = new Map<string, readonly Subscriber<unknown>[]>()

  constructor(view: View, store: Store<unknown>, environment: Environment) {
    this.#view = view
    this.#store = store
    this.#environment = environment
    store.register({
      add: (object, { key }) => this.#tell(key, one => one.added(object, false)),
      update: (object, old, { key }) => this.#tell(key, one => one.updated(object, old)),
      delete: (object, { key, finalStateUnknown }) => this.#tell(key, one => one.deleted(object, finalStateUnknown)),
      untold: ({ key, isThere }) => this.#tell(key, one => one.untold(isThere)),
    })
  }

  get size(): number {
    let sum = 0
    for (const all of this.#subscribers.values()) sum += all.length
    return sum
  }

  /**
   * Tells a handler the present state, which must be there, and from now on each change. Returns a function that ends that.
   * @throws NarrowClosedError
   */
  add(handler: NarrowHandler<unknown>, key: string): () => void {
    let object: unknown
    let isKnown = true
    try {
      object = this.#store.lister.get(key)
    } catch (error) {
      // The object is there, and the error was told to `onError`: it is told as an add when it can be.
      if (!(error instanceof TransformError)) throw error
      isKnown = false
    }
    const subscriber = new Subscriber<unknown>(handler, key, error => this.#report(error, key))
    this.#subscribers.set(key, [...(this.#subscribers.get(key) ?? []), subscriber])
    if (object !== undefined) subscriber.added(object, true)
    else if (isKnown) subscriber.absent()
    else subscriber.untold(true)
    return () => {
      subscriber.end()
      const left = (this.#subscribers.get(key) ?? []).filter(other => other !== subscriber)
      if (left.length === 0) this.#subscribers.delete(key)
      else this.#subscribers.set(key, left)
    }
  }

  close(): void {
    for (const all of this.#subscribers.values()) for (const one of all) one.end()
    this.#subscribers.clear()
  }

  #tell(key: string, call: (one: Subscriber<unknown>) => void): void {
    // A handler that joins or leaves meanwhile makes another list.
    for (const one of this.#subscribers.get(key) ?? []) call(one)
  }

  #report(error: unknown, key: string): void {
    const known = error instanceof Error ? error : new Error(`a handler of ${this.#view.key} failed`, { cause: error })
    this.#environment.onError(known, { resource: resourceName(this.#view.resource), phase: 'handler', key })
  }
}
