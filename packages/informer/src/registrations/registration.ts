import { abortSignal, checkOptions, watched } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { Journal } from '../journal/journal.ts'
import { SyncWaiters } from '../synced.ts'
import type { Handler, Registration } from './handler.ts'
import { ReplayIterator } from './replay-iterator.ts'

export interface RegistrationParts<C> {
  readonly journal: Journal<C>
  /** Whether an object has no value; `undefined`: it does not exist. */
  readonly isFailed: (key: string) => boolean | undefined
  /** Receives the error of a handler, or of its promise. */
  readonly onError: (error: unknown, key: string) => void
  readonly handler: Handler<C>
  readonly resyncMs: number | undefined
  /** Removes the registration from the store. */
  readonly remove: () => void
}

/**
 * Calls one handler (rules R25–R34). While the registration is behind, it delivers the objects that exist in the order of their addition, in slices;
 * events of objects that it has not reached yet are folded into their adds.
 */
export class HandlerRegistration<C> implements Registration {
  readonly resyncMs: number | undefined
  /** The place in the order of addition, while the registration is behind. */
  behind: ReplayIterator<C> | undefined
  readonly #parts: RegistrationParts<C>
  readonly #handler: Handler<C>
  /** The number of the last change before the registration: objects that were added by then are initial. */
  readonly #joined: number
  #hasSynced = false
  /** The reason of the end, if the registration has ended. */
  #why: Error | undefined
  /** The reported objects without a value, if the handler has `onTransformFailed`. */
  readonly #failed: Set<string> | undefined
  readonly #waiters = new SyncWaiters()

  constructor(parts: RegistrationParts<C>) {
    this.#parts = parts
    this.#handler = parts.handler
    this.resyncMs = parts.resyncMs
    this.#joined = parts.journal.head
    this.#failed = parts.handler.onTransformFailed === undefined ? undefined : new Set()
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  get isBehind(): boolean {
    return this.behind !== undefined
  }

  get isOver(): boolean {
    return this.#why !== undefined
  }

  whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions('whenSynced', options, { signal: abortSignal })
    if (this.#hasSynced) return Promise.resolve()
    if (this.#why !== undefined) return Promise.reject(this.#why)
    return this.#waiters.wait(options.signal)
  }

  remove(): void {
    this.#parts.remove()
  }

  /** Ends the registration: its handler is not called again. */
  end(why: Error): void {
    if (this.isOver) return
    this.#why = why
    this.behind = undefined
    this.#waiters.reject(why)
  }

  /** Delivers the objects that were added after the change `born` in slices, because they are too many to deliver at once. */
  fallBehind(born: number): void {
    if (!this.isOver) this.behind ??= new ReplayIterator(this.#parts.journal, born)
  }

  /** Delivers an add, unless a slice will deliver it. */
  add(key: string, born: number, object: C): void {
    if (this.#hasReached(born)) this.#add(key, born, object)
  }

  update(key: string, born: number, object: C, old: C): void {
    // If the add is still to come, it delivers the new value.
    if (this.#why !== undefined || (this.behind !== undefined && born > this.behind.at)) return
    try {
      const result = this.#handler.update?.(object, { old, key })
      if (result !== undefined) this.#watch(key, result)
    } catch (error) {
      this.#parts.onError(error, key)
    }
  }

  delete(key: string, born: number, object: C, finalStateUnknown: boolean): void {
    // If the add is still to come, the handler has not received the object, and never will.
    if (!this.#hasReached(born)) return this.failedChanged(key)
    this.#call(key, () => this.#handler.delete?.(object, { key, finalStateUnknown }))
  }

  /** Delivers that an object without a value exists, or does not exist any more, if that is news. */
  failedChanged(key: string): void {
    const failed = this.#failed
    if (failed === undefined || this.isOver) return
    const isFailed = this.#parts.isFailed(key)
    const wasFailed = failed.has(key)
    if (isFailed === true && !wasFailed) failed.add(key)
    else if (isFailed === undefined && wasFailed) failed.delete(key)
    else return
    this.#call(key, () => this.#handler.onTransformFailed?.({ key, isThere: !wasFailed }))
  }

  /** Forgets an object without a value that was removed without an event, so that it is reported if it appears again. */
  forgetFailed(key: string): void {
    this.#failed?.delete(key)
  }

  /** Delivers the next object of a slice. Returns false if there is none. */
  deliverNext(): boolean {
    const entry = this.behind?.peek()
    if (entry === undefined) return false
    this.behind?.pass(entry)
    this.#add(entry.key, entry.born, entry.value as C)
    return true
  }

  /** Delivers an object again, as an update to itself. */
  deliverAgain({ key, born, value }: Entry<C>): void {
    this.update(key, born, value as C, value as C)
  }

  /** Resolves the waiters, if all initial objects were delivered. Returns whether that is new. */
  settle(): boolean {
    if (this.#hasSynced || this.isOver) return false
    const { journal } = this.#parts
    if (journal.syncedAt > journal.head) return false
    const next = this.behind?.peek()
    if (next !== undefined && this.#isInitial(next.born)) return false
    this.#hasSynced = true
    this.#waiters.resolve()
    return true
  }

  #hasReached(born: number): boolean {
    return !this.isOver && (this.behind === undefined || born <= this.behind.at)
  }

  #isInitial(born: number): boolean {
    return born <= this.#joined || born <= this.#parts.journal.syncedAt
  }

  #add(key: string, born: number, object: C): void {
    this.#failed?.delete(key)
    const isInInitialList = this.#isInitial(born)
    this.#call(key, () => this.#handler.add?.(object, { key, isInInitialList }))
  }

  #call(key: string, call: () => unknown): void {
    try {
      this.#watch(key, call())
    } catch (error) {
      this.#parts.onError(error, key)
    }
  }

  /** A promise is not awaited; its rejection is reported. */
  #watch(key: string, result: unknown): void {
    watched(result, error => this.#parts.onError(error, key))
  }
}
