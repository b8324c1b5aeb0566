import type { Clock, Timer } from '@wherry/client'
import type { Entry } from '../entries/entry.ts'
import { HandlerRemovedError } from '../errors.ts'
import type { Handler } from './handler.ts'
import { HandlerRegistration, type RegistrationParts } from './registration.ts'
import { ReplayIterator } from './replay-iterator.ts'

export interface RegistrationsOptions<C> extends Pick<RegistrationParts<C>, 'journal' | 'isFailed' | 'onError'> {
  readonly clock: Clock
}

interface Added<C> {
  readonly key: string
  readonly born: number
  readonly object: C
}

interface Updated<C> extends Added<C> {
  readonly old: C
}

interface Deleted<C> extends Added<C> {
  readonly finalStateUnknown: boolean
}

/** More adds than this at once are delivered in slices. */
const sliceAbove = 1000
/** The longest time of a slice before it yields to the event loop, in milliseconds. */
const sliceMs = 10
/** The number of calls of a slice between two checks of its time. */
const sliceLeast = 64

/** Changes of one step, delivered in this order (rule R26). */
class Batch<C> {
  readonly deletes: Deleted<C>[] = []
  readonly adds: Added<C>[] = []
  readonly updates: Updated<C>[] = []
  /** Keys of objects without a value that were added or removed. */
  readonly failed = new Set<string>()
  /** The number of the change before the first of the adds. */
  addsFrom = 0

  get isEmpty(): boolean {
    return this.updates.length + this.deletes.length + this.adds.length + this.failed.size === 0
  }
}

/** When a registration is called next. */
interface Schedule {
  isInSlice: boolean
  /** Whether a slice comes in the next turn of the event loop. */
  isSliceDue: boolean
  timer: Timer | undefined
}

/**
 * The handlers of a store. The store collects changes here, and has them delivered when it is consistent again ({@link notify}). Changes that a
 * handler causes are delivered after all handlers received the change before (rule R25).
 */
export class Registrations<C> {
  readonly #options: RegistrationsOptions<C>
  /** Replaced, never changed: handlers may add and remove handlers. */
  #registrations: readonly HandlerRegistration<C>[] = []
  readonly #schedules = new Map<HandlerRegistration<C>, Schedule>()
  #batch = new Batch<C>()
  /** Batches that handlers caused while a batch was delivered. */
  #waiting: Batch<C>[] = []
  #isNotifying = false

  constructor(options: RegistrationsOptions<C>) {
    this.#options = options
  }

  get size(): number {
    return this.#registrations.length
  }

  add(handler: Handler<C>, resyncMs: number | undefined): HandlerRegistration<C> {
    const { journal, isFailed, onError, clock } = this.#options
    const remove = (): void => this.#remove(registration)
    const registration = new HandlerRegistration<C>({ journal, isFailed, onError, handler, resyncMs, remove })
    this.#registrations = [...this.#registrations, registration]
    this.#schedules.set(registration, { isInSlice: false, isSliceDue: false, timer: undefined })
    // Changes that wait for delivery happened before the handler was added, so it must not receive them, even if no object is left.
    if (journal.births.size > 0 || this.#waiting.length > 0 || !this.#batch.isEmpty) {
      registration.fallBehind(0)
      this.#sliceLater(registration)
    }
    if (handler.onTransformFailed !== undefined && [...journal.failed()].length > 0) {
      clock.turn().then(() => {
        if (registration.isOver) return
        this.#notifying(() => {
          for (const { key } of [...journal.failed()]) registration.failedChanged(key)
        })
      })
    }
    this.#settle(registration)
    return registration
  }

  // Changes, collected until `notify`. Without handlers nothing is collected.

  added(key: string, born: number, object: C): void {
    const { adds } = this.#batch
    // If there are more, slices deliver them, which do not need the list.
    if (this.#registrations.length === 0 || adds.length > sliceAbove) return
    if (adds.length === 0) this.#batch.addsFrom = born - 1
    adds.push({ key, born, object })
  }

  addedAll(entries: readonly Entry<C>[]): void {
    if (this.#registrations.length === 0) return
    for (const { key, born, value } of entries.slice(0, sliceAbove + 1)) this.added(key, born, value as C)
  }

  updated(key: string, born: number, object: C, old: C): void {
    if (this.#registrations.length > 0) this.#batch.updates.push({ key, born, object, old })
  }

  deleted(about: Deleted<C>): void {
    if (this.#registrations.length > 0) this.#batch.deletes.push(about)
  }

  /** An object without a value was added or removed. */
  failedChanged(key: string): void {
    if (this.#registrations.length > 0) this.#batch.failed.add(key)
  }

  /** An object without a value was removed without an event. */
  forgetFailed(key: string): void {
    for (const registration of this.#registrations) registration.forgetFailed(key)
  }

  /** Delivers one update at once, or in its turn if a handler caused it. */
  notifyUpdate(key: string, born: number, object: C, old: C): void {
    const registrations = this.#registrations
    if (registrations.length === 0) return
    if (this.#isNotifying || !this.#batch.isEmpty) {
      this.updated(key, born, object, old)
      return this.notify()
    }
    this.#isNotifying = true
    try {
      for (const registration of registrations) registration.update(key, born, object, old)
    } finally {
      this.#finish()
    }
  }

  /** Delivers the collected changes (rule R26). */
  notify(): void {
    if (!this.#isNotifying) {
      this.#isNotifying = true
      return this.#finish()
    }
    if (this.#batch.isEmpty) return
    this.#waiting.push(this.#batch)
    this.#batch = new Batch()
  }

  close(why: Error): void {
    for (const registration of this.#registrations) this.#end(registration, why)
    this.#registrations = []
    this.#batch = new Batch()
    this.#waiting = []
  }

  #remove(registration: HandlerRegistration<C>): void {
    this.#registrations = this.#registrations.filter(other => other !== registration)
    this.#end(registration, new HandlerRemovedError(this.#options.journal.view.key))
  }

  #end(registration: HandlerRegistration<C>, why: Error): void {
    registration.end(why)
    this.#schedules.get(registration)?.timer?.cancel()
    this.#schedules.delete(registration)
  }

  #notifying(call: () => void): void {
    this.#isNotifying = true
    try {
      call()
    } finally {
      this.#finish()
    }
  }

  /** Delivers the collected changes, and those that handlers cause meanwhile. */
  #finish(): void {
    try {
      if (this.#waiting.length > 0 || !this.#batch.isEmpty) this.#deliver()
    } finally {
      this.#isNotifying = false
    }
    for (const registration of this.#registrations) this.#settle(registration)
  }

  #settle(registration: HandlerRegistration<C>): void {
    if (registration.settle()) this.#resyncLater(registration)
  }

  #deliver(): void {
    let inSlices = false
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      inSlices = this.#deliverBatch(batch) || inSlices
    }
    // The slices come last: they deliver present objects, so the changes of these objects must be delivered before.
    if (inSlices) for (const registration of this.#registrations) this.#slice(registration)
  }

  #next(): Batch<C> | undefined {
    const batch = this.#waiting.shift() ?? this.#batch
    if (batch.isEmpty) return undefined
    if (batch === this.#batch) this.#batch = new Batch()
    return batch
  }

  /** Returns whether adds are left for slices. */
  #deliverBatch({ deletes, adds, updates, failed, addsFrom }: Batch<C>): boolean {
    const registrations = this.#registrations
    const inSlices = adds.length > sliceAbove
    if (inSlices) for (const one of registrations) one.fallBehind(addsFrom)
    for (const { key, born, object, finalStateUnknown } of deletes) {
      for (const one of registrations) one.delete(key, born, object, finalStateUnknown)
    }
    for (const { key, born, object } of adds) for (const one of registrations) one.add(key, born, object)
    for (const { key, born, object, old } of updates)
      for (const one of registrations) one.update(key, born, object, old)
    for (const key of failed) for (const one of registrations) one.failedChanged(key)
    return inSlices
  }

  #sliceLater(registration: HandlerRegistration<C>): void {
    const schedule = this.#schedules.get(registration)
    if (schedule === undefined) return
    schedule.isSliceDue = true
    this.#options.clock.turn().then(() => {
      schedule.isSliceDue = false
      if (registration.isBehind) this.#notifying(() => this.#slice(registration))
    })
  }

  /** Delivers objects that the registration has not reached yet, for a while. */
  #slice(registration: HandlerRegistration<C>): void {
    const schedule = this.#schedules.get(registration)
    if (schedule === undefined || !registration.isBehind || schedule.isInSlice || schedule.isSliceDue) return
    schedule.isInSlice = true
    const isDone = this.#inSlice(() => registration.deliverNext())
    schedule.isInSlice = false
    if (isDone) registration.behind = undefined
    else this.#sliceLater(registration)
  }

  #resyncLater(registration: HandlerRegistration<C>): void {
    const { resyncMs } = registration
    const schedule = this.#schedules.get(registration)
    if (resyncMs === undefined || schedule === undefined) return
    const { clock, journal } = this.#options
    schedule.timer = clock.timer(resyncMs, () => {
      this.#resync(registration, new ReplayIterator(journal, 0), journal.head)
    })
  }

  /** Delivers every object that was added up to the change `until` again, in slices. */
  #resync(registration: HandlerRegistration<C>, iterator: ReplayIterator<C>, until: number): void {
    const deliverAgain = (): boolean => {
      const entry = registration.isOver ? undefined : iterator.peek()
      if (entry === undefined || entry.born > until) return false
      iterator.pass(entry)
      registration.deliverAgain(entry)
      return true
    }
    this.#notifying(() => {
      if (this.#inSlice(deliverAgain)) this.#resyncLater(registration)
      else this.#options.clock.turn().then(() => this.#resync(registration, iterator, until))
    })
  }

  /**
   * Calls `deliver` until it returns false, or for a limited time. After each call it delivers the changes that handlers caused. Returns whether
   * `deliver` returned false.
   */
  #inSlice(deliver: () => boolean): boolean {
    const { clock } = this.#options
    const begin = clock.monotonic()
    for (let calls = 1; deliver(); calls++) {
      this.#deliver()
      if (calls % sliceLeast === 0 && clock.monotonic() - begin >= sliceMs) return false
    }
    return true
  }
}
