import { watched } from '@wherry/informer/parts'
import type { NarrowHandler } from './handler.ts'

/** One handler of one object, and what it was told. */
export class Subscriber<C> {
  readonly #handler: NarrowHandler<C>
  readonly #key: string
  readonly #onError: (error: unknown, key: string) => void
  #isOver = false
  /** It has been told that there is an object, or that there is none. */
  #isTold = false

  constructor(handler: NarrowHandler<C>, key: string, onError: (error: unknown, key: string) => void) {
    this.#handler = handler
    this.#key = key
    this.#onError = onError
  }

  end(): void {
    this.#isOver = true
  }

  absent(): void {
    this.#isTold = true
    this.#call(() => this.#handler.absent?.({ key: this.#key }))
  }

  added(object: C, isInInitialList: boolean): void {
    this.#isTold = true
    this.#call(() => this.#handler.add?.(object, { key: this.#key, isInInitialList }))
  }

  updated(object: C, old: C): void {
    this.#call(() => this.#handler.update?.(object, old, { key: this.#key }))
  }

  deleted(object: C, finalStateUnknown: boolean): void {
    this.#call(() => this.#handler.delete?.(object, { key: this.#key, finalStateUnknown }))
  }

  /** An object of which there is no value has appeared, or is gone. */
  untold(isThere: boolean): void {
    // What a handler without this function hears first is whether there is an object or not.
    if (!isThere && !this.#isTold) this.absent()
    else this.#call(() => this.#handler.untold?.({ key: this.#key, isThere }))
  }

  #call(call: () => unknown): void {
    if (this.#isOver) return
    try {
      watched(call(), error => this.#onError(error, this.#key))
    } catch (error) {
      this.#onError(error, this.#key)
    }
  }
}
