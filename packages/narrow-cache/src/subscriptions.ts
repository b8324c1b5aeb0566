import { type Environment, resourceName, type View } from '@wherry/client'
import { asError } from '@wherry/client/checks'
import { type Store, TransformError } from '@wherry/informer'
import { callGuarded } from '@wherry/informer/parts'
import type { NarrowHandler } from './handler.ts'

/** One handler of one object. */
interface Subscriber {
  readonly handler: NarrowHandler<unknown>
  isOver: boolean
  /** It has been told that there is an object, or that there is none. */
  isTold: boolean
}

/** The handlers of a view's objects. */
export class Subscriptions {
  readonly #view: View
  readonly #store: Store<unknown>
  readonly #environment: Environment
  /** By the key of the object. */
  readonly #subscribers = new Map<string, readonly Subscriber[]>()

  constructor(view: View, store: Store<unknown>, environment: Environment) {
    this.#view = view
    this.#store = store
    this.#environment = environment
    store.register({
      add: (object, { key }) => this.#each(key, one => this.#added(one, key, object, false)),
      update: (object, old, { key }) =>
        this.#each(key, one => this.#call(one, key, handler => handler.update?.(object, old, { key }))),
      delete: (object, { key, finalStateUnknown }) =>
        this.#each(key, one => this.#call(one, key, handler => handler.delete?.(object, { key, finalStateUnknown }))),
      untold: ({ key, isThere }) => this.#each(key, one => this.#untold(one, key, isThere)),
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
    const subscriber = { handler, isOver: false, isTold: false }
    this.#subscribers.set(key, [...(this.#subscribers.get(key) ?? []), subscriber])
    if (object !== undefined) this.#added(subscriber, key, object, true)
    else this.#untold(subscriber, key, !isKnown)
    return () => {
      subscriber.isOver = true
      const left = (this.#subscribers.get(key) ?? []).filter(other => other !== subscriber)
      if (left.length === 0) this.#subscribers.delete(key)
      else this.#subscribers.set(key, left)
    }
  }

  close(): void {
    for (const all of this.#subscribers.values()) for (const one of all) one.isOver = true
    this.#subscribers.clear()
  }

  #each(key: string, tell: (one: Subscriber) => void): void {
    // A handler that joins or leaves meanwhile makes another list.
    for (const one of this.#subscribers.get(key) ?? []) tell(one)
  }

  #added(one: Subscriber, key: string, object: unknown, isInInitialList: boolean): void {
    one.isTold = true
    this.#call(one, key, handler => handler.add?.(object, { key, isInInitialList }))
  }

  /** An object of which there is no value has appeared, or is gone. A handler hears first whether there is an object or not. */
  #untold(one: Subscriber, key: string, isThere: boolean): void {
    const isFirst = !isThere && !one.isTold
    one.isTold ||= isFirst
    this.#call(one, key, handler => (isFirst ? handler.absent?.({ key }) : handler.untold?.({ key, isThere })))
  }

  #call({ handler, isOver }: Subscriber, key: string, call: (handler: NarrowHandler<unknown>) => unknown): void {
    if (isOver) return
    callGuarded(
      () => call(handler),
      thrown => {
        const error = asError(thrown, `a handler of ${this.#view.key} failed`)
        this.#environment.onError(error, { resource: resourceName(this.#view.resource), phase: 'handler', key })
      },
    )
  }
}
