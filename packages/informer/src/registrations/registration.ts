import type { Timer } from '@wherry/client/internal'
import { abortSignal, checkOptions } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import { HandlerRemovedError } from '../errors.ts'
import { SyncWaiters } from '../synced.ts'
import { watched } from '../watched.ts'
import type { Handler, Registration } from './handler.ts'
import type { Registrations, Told } from './registrations.ts'
import { ReplayIterator } from './replay-iterator.ts'

/** How long handlers are called before the event loop is given back, and how many calls are made at least. */
const sliceMs = 10
const sliceLeast = 64

/**
 * One handler (rules R25–R34). It is told of events as they come, or, while there are objects that it has not been told
 * of, of these in the order of birth and in slices: events of what it has not come to are folded into that.
 */
export class HandlerRegistration<C> implements Registration {
  readonly #owner: Registrations<C>
  readonly #handler: Handler<C>
  readonly #resyncMs: number | undefined
  /** What was there when it joined had been born by then. */
  readonly #joined: number
  /** While it is behind: what it has been told of. */
  #behind: ReplayIterator<C> | undefined
  #isInSlice = false
  /** The next slice comes with the next turn of the event loop. */
  #isSliceDue = false
  #hasSynced = false
  /** Why it is over, if it is. */
  #why: Error | undefined
  #timer: Timer | undefined
  /** A resync under way, of what had been born when it began. */
  #resync: ReplayIterator<C> | undefined
  #resyncUntil = 0
  /** What it was told to be there without a value, if it hears of such. */
  readonly #untold: Set<string> | undefined
  readonly #waiters = new SyncWaiters()

  constructor(owner: Registrations<C>, handler: Handler<C>, resyncMs: number | undefined) {
    this.#owner = owner
    this.#handler = handler
    this.#resyncMs = resyncMs
    this.#joined = owner.options.journal.head
    this.#untold = handler.onTransformFailed === undefined ? undefined : new Set()
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  get #isOver(): boolean {
    return this.#why !== undefined
  }

  get isBehind(): boolean {
    return this.#behind !== undefined
  }

  whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions('whenSynced', options, { signal: abortSignal })
    if (this.#hasSynced) return Promise.resolve()
    if (this.#why !== undefined) return Promise.reject(this.#why)
    return this.#waiters.wait(options.signal)
  }

  remove(): void {
    this.#owner.remove(this)
    this.end(new HandlerRemovedError(this.#owner.options.journal.view.key))
  }

  /** It hears nothing from now on. */
  end(why: Error): void {
    if (this.#isOver) return
    this.#why = why
    this.#behind = undefined
    this.#resync = undefined
    this.#timer?.cancel()
    this.#waiters.reject(why)
  }

  /** Has joined: it will be told of all that is there, from the next turn of the event loop on. */
  begin(): void {
    const { journal } = this.#owner.options
    // What is still to be told happened before it joined: none of that is for it, even where nothing is left.
    if (journal.births.size > 0 || !this.#owner.isAllTold) {
      this.#behind = new ReplayIterator(journal, 0)
      this.#sliceLater()
    }
    if (this.#untold !== undefined) this.#lookLater()
    this.settle()
  }

  /** There is more to be told than in one go. */
  rewind(born: number): void {
    if (this.#isOver) return
    this.#behind ??= new ReplayIterator(this.#owner.options.journal, born)
  }

  hear(told: Told<C>): void {
    const { key, born, object } = told
    if (told.type === 'update') return this.update(key, born, object, told.old)
    if (this.#isOver) return
    if (this.#behind !== undefined && born > this.#behind.at) {
      // It was never told that this had a value, and never will be.
      if (told.type === 'delete') this.look(key)
    } else if (told.type === 'add') this.#add(key, born, object)
    else this.#delete(key, object, told.finalStateUnknown)
  }

  /** An object has another value. If its add is still to come, that tells the new one. */
  update(key: string, born: number, object: C, old: C): void {
    if (this.#why === undefined && (this.#behind === undefined || born <= this.#behind.at))
      this.#update(key, object, old)
  }

  /** Tells whether one is there without a value, where that is news. Of one with a value it is told as of any. */
  look(key: string): void {
    const untold = this.#untold
    if (this.#isOver || untold === undefined) return
    const isThere = this.#owner.options.isUntold(key)
    const wasThere = untold.has(key)
    if (isThere === true && !wasThere) untold.add(key)
    else if (isThere === undefined && wasThere) untold.delete(key)
    else return
    try {
      this.#returned(key, this.#handler.onTransformFailed?.({ key, isThere: !wasThere }))
    } catch (error) {
      this.#owner.options.onError(error, key)
    }
  }

  /** One without a value is let go of: it hears anew when that appears again. */
  forget(key: string): void {
    this.#untold?.delete(key)
  }

  /** Tells of objects that it has not been told of, for a while. */
  slice(): void {
    const iterator = this.#behind
    if (this.#isInSlice || this.#isSliceDue || iterator === undefined) return
    this.#isInSlice = true
    const isDone = this.#inSlice(iterator, Number.POSITIVE_INFINITY, ({ key, born, value }) =>
      this.#add(key, born, value as C),
    )
    this.#isInSlice = false
    if (isDone) this.#behind = undefined
    else this.#sliceLater()
  }

  /** Looks whether it has been told of all that was there at first. */
  settle(): void {
    if (this.#hasSynced || this.#isOver) return
    const { journal } = this.#owner.options
    if (journal.syncedAt > journal.head) return
    const next = this.#behind?.peek()
    if (next !== undefined && this.#isInitial(next.born)) return
    this.#hasSynced = true
    this.#waiters.resolve()
    this.#armResync()
  }

  #isInitial(born: number): boolean {
    return born <= this.#joined || born <= this.#owner.options.journal.syncedAt
  }

  #sliceLater(): void {
    this.#isSliceDue = true
    this.#owner.options.clock.turn().then(() => {
      this.#isSliceDue = false
      if (this.#behind !== undefined) this.#owner.telling(() => this.slice())
    })
  }

  /** Tells of what is there without a value, in the next turn of the event loop. */
  #lookLater(): void {
    const { journal, clock } = this.#owner.options
    if ([...journal.failed()].length === 0) return
    clock.turn().then(() => {
      if (this.#isOver) return
      this.#owner.telling(() => {
        for (const { key } of [...journal.failed()]) this.look(key)
      })
    })
  }

  #armResync(): void {
    if (this.#resyncMs === undefined || this.#isOver) return
    this.#timer = this.#owner.options.clock.timer(this.#resyncMs, () => {
      this.#resync = new ReplayIterator(this.#owner.options.journal, 0)
      this.#resyncUntil = this.#owner.options.journal.head
      this.#resyncSlice()
    })
  }

  #resyncSlice(): void {
    const iterator = this.#resync
    if (iterator === undefined) return
    let isDone = false
    this.#owner.telling(() => {
      isDone = this.#inSlice(iterator, this.#resyncUntil, ({ key, born, value }) => {
        if (this.#behind === undefined || born <= this.#behind.at) this.#update(key, value as C, value as C)
      })
    })
    if (isDone) {
      this.#resync = undefined
      this.#armResync()
    } else {
      this.#owner.options.clock.turn().then(() => this.#resyncSlice())
    }
  }

  /** Calls for what the iterator comes to, for a while. Gives whether it came to the end. */
  #inSlice(iterator: ReplayIterator<C>, until: number, call: (entry: Entry<C>) => void): boolean {
    const { clock } = this.#owner.options
    const begin = clock.monotonic()
    for (let calls = 1; !this.#isOver; calls++) {
      const entry = iterator.peek()
      if (entry === undefined || entry.born > until) return true
      iterator.pass(entry)
      call(entry)
      this.#owner.interleave()
      if (calls % sliceLeast === 0 && clock.monotonic() - begin >= sliceMs) return false
    }
    return true
  }

  #add(key: string, born: number, object: C): void {
    this.#untold?.delete(key)
    try {
      this.#returned(key, this.#handler.add?.(object, { key, isInInitialList: this.#isInitial(born) }))
    } catch (error) {
      this.#owner.options.onError(error, key)
    }
  }

  #update(key: string, object: C, old: C): void {
    try {
      this.#returned(key, this.#handler.update?.(object, { old, key }))
    } catch (error) {
      this.#owner.options.onError(error, key)
    }
  }

  #delete(key: string, object: C, finalStateUnknown: boolean): void {
    try {
      this.#returned(key, this.#handler.delete?.(object, { key, finalStateUnknown }))
    } catch (error) {
      this.#owner.options.onError(error, key)
    }
  }

  /** A promise is watched for rejection, and not waited for. */
  #returned(key: string, result: unknown): void {
    if (result !== undefined) watched(result, error => this.#owner.options.onError(error, key))
  }
}
