import type { NarrowHandler } from './handler.ts'

/** One handler of one object, and what it was told. */
export class Subscriber<C> {
  readonly #handler: NarrowHandler<C>
  readonly #key: string
  readonly #onError: (error: unknown, key: string) => void
  #isOver = false

  constructor(handler: NarrowHandler<C>, key: string, onError: (error: unknown, key: string) => void) {
    this.#handler = handler
    this.#key = key
    this.#onError = onError
  }

  end(): void {
    this.#isOver = true
  }

  absent(): void {
    this.#call(() => this.#handler.absent?.({ key: this.#key }))
  }

  added(object: C, isInInitialList: boolean): void {
    this.#call(() => this.#handler.add?.(object, { key: this.#key, isInInitialList }))
  }

  updated(object: C, old: C): void {
    this.#call(() => this.#handler.update?.(object, old, { key: this.#key }))
  }

  deleted(object: C, finalStateUnknown: boolean): void {
    this.#call(() => this.#handler.delete?.(object, { key: this.#key, finalStateUnknown }))
  }

  #call(call: () => unknown): void {
    if (this.#isOver) return
    try {
      const result = call()
      if (typeof result !== 'object' || result === null) return
      const { then } = result as { readonly then?: unknown }
      if (typeof then === 'function') then.call(result, undefined, (error: unknown) => this.#onError(error, this.#key))
    } catch (error) {
      this.#onError(error, this.#key)
    }
  }
}
