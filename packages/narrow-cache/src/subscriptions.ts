import { asError, callGuarded } from '@wherry/client/internal'
import { TransformError } from '@wherry/informer'
import type { NarrowHandler } from './handler.ts'
import type { ViewContext } from './view-context.ts'

/** One handler of one object. */
interface Subscriber {
  readonly handler: NarrowHandler<unknown>
  /** Whether the handler has received an object, or its absence. */
  isReported: boolean
}

/** The handlers of a view's objects. */
export class Subscriptions {
  readonly #of: ViewContext
  /** By the key of the object. */
  readonly #subscribers = new Map<string, Set<Subscriber>>()

  constructor(of: ViewContext) {
    this.#of = of
    of.store.register({
      add: (object, { key }) => this.#each(key, one => added(one, key, object, false)),
      update: (object, about) => this.#each(about.key, ({ handler }) => handler.update?.(object, about)),
      delete: (object, about) => this.#each(about.key, ({ handler }) => handler.delete?.(object, about)),
      onTransformFailed: ({ key, isThere }) => this.#each(key, one => changedWithoutValue(one, key, isThere)),
    })
  }

  get size(): number {
    return [...this.#subscribers.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Calls a handler with the present state, which must be known, and then with each change. Returns a function that ends the subscription,
   * and returns false if it had ended before.
   * @throws NarrowClosedError
   */
  add(handler: NarrowHandler<unknown>, key: string): () => boolean {
    let object: unknown
    let isThere = false
    try {
      object = this.#of.store.get(key)
    } catch (error) {
      // The object exists, and `onError` has received the error. It is delivered as an add when it can be transformed.
      if (!(error instanceof TransformError)) throw error
      isThere = true
    }
    const one = { handler, isReported: false }
    const all = this.#subscribers.get(key) ?? new Set()
    this.#subscribers.set(key, all.add(one))
    this.#call(key, () =>
      object === undefined ? changedWithoutValue(one, key, isThere) : added(one, key, object, true),
    )
    return () => {
      const wasThere = all.delete(one)
      if (wasThere && all.size === 0) this.#subscribers.delete(key)
      return wasThere
    }
  }

  close(): void {
    for (const all of this.#subscribers.values()) all.clear()
    this.#subscribers.clear()
  }

  #each(key: string, report: (one: Subscriber) => unknown): void {
    const all = this.#subscribers.get(key)
    if (all === undefined) return
    // A callback may add a handler, which has received the present state already, or remove one.
    for (const one of [...all]) if (all.has(one)) this.#call(key, () => report(one))
  }

  #call(key: string, call: () => unknown): void {
    const { view, resource, shared } = this.#of
    callGuarded(call, thrown => {
      const error = asError(thrown, `a handler of ${view.key} failed`)
      shared.environment.onError(error, { resource, phase: 'handler', key })
    })
  }
}

function added(one: Subscriber, key: string, object: unknown, isInInitialList: boolean): unknown {
  one.isReported = true
  return one.handler.add?.(object, { key, isInInitialList })
}

/** Reports an object that can't be transformed, or an object without a known value that is absent or gone. The first absence is reported as `absent`. */
function changedWithoutValue(one: Subscriber, key: string, isThere: boolean): unknown {
  if (isThere || one.isReported) return one.handler.onTransformFailed?.({ key, isThere })
  one.isReported = true
  return one.handler.absent?.({ key })
}
