import type { View } from '@wherry/client'
import type { Store, StoreWriter } from '@wherry/informer'
import type { SharedWatch } from './sharing/shared-watch.ts'

export interface RescopingOptions {
  readonly store: Store<unknown>
  readonly from: SharedWatch
  readonly to: View
  /** The watch of the other scope. */
  readonly watch: SharedWatch
  /** Whether the view belongs to one holder, so that another request for it cancels the move. */
  readonly isHolders: boolean
  readonly signal: AbortSignal | undefined
  readonly on: {
    /** Called when the store changes to the other scope; the difference is delivered next. */
    arriving(): void
    /** Called if the move failed, and the store keeps its former scope. */
    failed(): void
  }
}

/** The move of a store to the watch of another scope (rule D9): the store joins that watch, and waits until the watch has taken over. */
export class Rescoping {
  readonly to: View
  readonly watch: SharedWatch
  readonly isHolders: boolean
  /** Resolves when the difference was delivered. Rejects with the reason why the store keeps its former scope, or was closed. */
  readonly done: Promise<void>
  /** Resolves at the end of the move, successful or not. */
  readonly over: Promise<void>
  readonly #options: RescopingOptions
  #resolve: () => void = () => {}
  #reject: (reason: unknown) => void = () => {}
  /** Whether the move can still be cancelled. */
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

  /** Cancels the move without a change. Does nothing if the store has arrived. */
  fail(reason: unknown): void {
    if (!this.#isWaiting) return
    this.#leave()
    this.watch.leave(this.#options.store)
    this.#options.on.failed()
    this.#reject(reason)
  }

  /** Ends the move, because the store is closed. */
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
