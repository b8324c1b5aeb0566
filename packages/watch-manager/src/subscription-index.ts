import type { View } from '@wherry/client'
import type { Subscription } from './subscription.ts'

/** All subscriptions of a manager's registrars, by view. */
export class SubscriptionIndex {
  readonly #byKey = new Map<string, Set<Subscription>>()
  readonly #moves = new Map<string, Promise<unknown>>()

  add(subscription: Subscription): void {
    const { key } = subscription.view
    const subscriptions = this.#byKey.get(key)
    if (subscriptions === undefined) this.#byKey.set(key, new Set([subscription]))
    else subscriptions.add(subscription)
  }

  delete(subscription: Subscription): void {
    const { key } = subscription.view
    const subscriptions = this.#byKey.get(key)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) this.#byKey.delete(key)
  }

  /** Records the move of an informer from one view to another: neither view is held again before the move ends. */
  moving(from: string, to: string, moved: Promise<unknown>): void {
    for (const key of [from, to]) this.#moves.set(key, moved)
    moved.then(() => {
      for (const key of [from, to]) if (this.#moves.get(key) === moved) this.#moves.delete(key)
    })
  }

  /** Settles when the view may be held; `undefined`: now. */
  moveOf(key: string): Promise<unknown> | undefined {
    return this.#moves.get(key)
  }

  /** The subscriptions of one view. */
  of(key: string): ReadonlySet<Subscription> {
    return this.#byKey.get(key) ?? none
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of [...this.#byKey.values()]) yield* [...subscriptions]
  }

  /** Each view once. */
  intended(): View[] {
    return [...this.#byKey.values()].map(subscriptions => first(subscriptions).view)
  }

  /** Each watched view once. */
  watched(): View[] {
    // One informer serves all subscriptions of a view, so all of them have started, or none.
    return [...this.#byKey.values()]
      .filter(subscriptions => some(subscriptions, subscription => subscription.watched))
      .map(subscriptions => first(subscriptions).view)
  }
}

const none: ReadonlySet<Subscription> = new Set()

function first(subscriptions: ReadonlySet<Subscription>): Subscription {
  for (const subscription of subscriptions) return subscription
  throw new Error('an empty set of subscriptions')
}

function some(subscriptions: ReadonlySet<Subscription>, holds: (subscription: Subscription) => boolean): boolean {
  for (const subscription of subscriptions) if (holds(subscription)) return true
  return false
}
