import { asError } from '@wherry/client/internal'
import { EventEmitter } from 'eventemitter3'
import type { InformerState } from './informer-state.ts'
import { callGuarded } from './watched.ts'

/** What an informer tells of itself; its objects are told to handlers and cursors. */
export interface LifecycleEvents {
  /** It does something else now. Not told of the end. */
  state: (state: InformerState) => void
  /** The first state is in the store. */
  synced: () => void
  /** A list or a watch failed, and is tried again. */
  error: (error: Error) => void
  /** It was closed: nothing of it runs any more. The last event. */
  closed: () => void
}

/** Tells lifecycle events. What a listener throws, or its promise rejects with, is told to `failed`, and keeps nothing from the others. */
export class Lifecycle {
  readonly #emitter = new EventEmitter()
  readonly #failed: (error: Error) => void
  #isQuiet = false

  constructor(failed: (error: Error) => void) {
    this.#failed = failed
  }

  /** Each call is a listener of its own. Returns what takes it back. */
  on<E extends keyof LifecycleEvents>(event: E, listener: LifecycleEvents[E]): () => void {
    let isOver = false
    const guarded = (...about: unknown[]): void => {
      // A listener before it, of this very event, may have taken it back, or have closed the informer.
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

  /** From now on nobody hears of anything but that it is closed. */
  quiet(): void {
    this.#isQuiet = true
  }

  /** Nobody hears anything from now on. */
  end(): void {
    this.#emitter.removeAllListeners()
  }
}
