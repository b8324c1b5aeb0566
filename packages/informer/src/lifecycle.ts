import { asError, callGuarded } from '@wherry/client/internal'
import { EventEmitter } from 'eventemitter3'
import type { InformerState } from './informer-state.ts'

/** The events of an informer itself; handlers and cursors receive its objects. */
export interface LifecycleEvents {
  /** Its state has changed. Not called for the end. */
  state: (state: InformerState) => void
  /** The first state is in the store. */
  synced: () => void
  /** A list or a watch failed, and is tried again. */
  error: (error: Error) => void
  /** The informer was closed, and nothing of it runs any more. The last event. */
  closed: () => void
}

/** Emits lifecycle events. If a listener throws, or its promise rejects, `failed` receives the error, and the others are called. */
export class Lifecycle {
  readonly #emitter = new EventEmitter()
  readonly #failed: (error: Error) => void
  #isQuiet = false

  constructor(failed: (error: Error) => void) {
    this.#failed = failed
  }

  /** Adds a listener, even if the same function is added twice. Returns a function that removes it. */
  on<E extends keyof LifecycleEvents>(event: E, listener: LifecycleEvents[E]): () => void {
    let isOver = false
    const guarded = (...about: unknown[]): void => {
      // An earlier listener of this event may have removed this one, or closed the informer.
      if (isOver || (this.#isQuiet && event !== 'closed')) return
      const call = (): unknown => (listener as (...about: unknown[]) => unknown)(...about)
      callGuarded(call, error => this.#failed(asError(error, 'a listener threw')))
    }
    this.#emitter.on(event, guarded)
    return () => {
      isOver = true
      this.#emitter.off(event, guarded)
    }
  }

  emit<E extends keyof LifecycleEvents>(event: E, ...about: Parameters<LifecycleEvents[E]>): void {
    this.#emitter.emit(event, ...about)
  }

  /** After this, only listeners of `closed` are called. */
  quiet(): void {
    this.#isQuiet = true
  }

  /** No listener is called from now on. */
  end(): void {
    this.#emitter.removeAllListeners()
  }
}
