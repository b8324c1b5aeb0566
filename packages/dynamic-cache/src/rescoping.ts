import type { View } from '@wherry/client'
import type { Store, StoreWriter } from '@wherry/informer'
import type { SharedWatch } from './sharing/shared-watch.ts'

export interface RescopingOptions {
  readonly store: Store<unknown>
  readonly from: SharedWatch
  readonly to: View
  /** The watch of the other scope. */
  readonly watch: SharedWatch
  /** It is a holder's own: nobody else may come to want the view that moves. */
  readonly isHolders: boolean
  readonly signal: AbortSignal | undefined
  readonly on: {
    /** The store is of the other scope from now on; the difference is delivered next. */
    arriving(): void
    /** It stays where it was. */
    failed(): void
  }
}

/** A store's way to the watch of another scope (rule D9): it joins that, and waits until that has taken over. */
export class Rescoping {
  readonly to: View
  readonly watch: SharedWatch
  readonly isHolders: boolean
  /** Resolves when the difference was delivered. Rejects with why the store stays where it was, or is no more. */
  readonly done: Promise<void>
  /** Resolves when it is over, whatever came of it. */
  readonly over: Promise<void>
  readonly #options: RescopingOptions
  #resolve: () => void = () => {}
  #reject: (reason: unknown) => void = () => {}
  /** It may be called off still. */
  #isWaiting = true
  readonly #aborted = (): void => this.fail(this.#options.signal?.reason)

  constructor(options: RescopingOptions) {
    const { store, to, watch, isHolders, signal } = options
    this.#options = options
    this.to = to
    this.watch = watch
    this.isHolders = isHolders
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.over = this.done.catch(() => {})
    signal?.addEventListener('abort', this.#aborted)
    watch.join(store, { view: to, retire: () => this.#arrive(), done: () => this.#resolve() })
  }

  /** Calls it off: nothing has changed. Does nothing where the store is there already. */
  fail(reason: unknown): void {
    if (!this.#isWaiting) return
    this.#leave()
    this.watch.leave(this.#options.store)
    this.#options.on.failed()
    this.#reject(reason)
  }

  /** The store is no more. */
  end(reason: unknown): void {
    this.fail(reason)
    this.#reject(reason)
  }

  #arrive(): readonly StoreWriter[] {
    this.#leave()
    const writers = this.#options.from.leave(this.#options.store)
    this.#options.on.arriving()
    return writers
  }

  #leave(): void {
    this.#isWaiting = false
    this.#options.signal?.removeEventListener('abort', this.#aborted)
  }
}
