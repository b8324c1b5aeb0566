import type { Clock } from '@wherry/client'
import type { Journal } from '../journal/journal.ts'
import type { Handler } from './handler.ts'
import { HandlerRegistration } from './registration.ts'

/** What handlers are to hear of one object. */
export type Told<C> = { readonly key: string; readonly born: number; readonly object: C } & (
  | { readonly type: 'add' }
  | { readonly type: 'update'; readonly old: C }
  | { readonly type: 'delete'; readonly finalStateUnknown: boolean }
)

export interface RegistrationsOptions<C> {
  readonly journal: Journal<C>
  readonly clock: Clock
  /** Whether what is there has no value; `undefined`: it is not there. */
  readonly isUntold: (key: string) => boolean | undefined
  /** What a handler threw, or its promise rejected with. */
  readonly onError: (error: unknown, key: string) => void
}

/** More adds than this at once are told in slices. */
const sliceAbove = 1000

/** What has come together, and is told in this order (rule R26). */
class Batch<C> {
  readonly deletes: Told<C>[] = []
  readonly adds: Told<C>[] = []
  readonly updates: Told<C>[] = []
  /** Keys of what has appeared without a value, or is gone without ever having had one. */
  readonly untold = new Set<string>()
  /** The number of the change before the first of the adds. */
  addsFrom = 0

  get isEmpty(): boolean {
    return this.updates.length + this.deletes.length + this.adds.length + this.untold.size === 0
  }
}

/** The handlers of a store, and what they have not been told yet. */
export class Registrations<C> {
  readonly options: RegistrationsOptions<C>
  #registrations: readonly HandlerRegistration<C>[] = []
  #batch = new Batch<C>()
  /** What handlers brought about while they were told of something: each to be told after the one before it (rule R25). */
  #waiting: Batch<C>[] = []
  #isTelling = false

  constructor(options: RegistrationsOptions<C>) {
    this.options = options
  }

  get size(): number {
    return this.#registrations.length
  }

  /** Nothing has happened that is still to be told. */
  get isAllTold(): boolean {
    return this.#waiting.length === 0 && this.#batch.isEmpty
  }

  add(handler: Handler<C>, resyncMs: number | undefined): HandlerRegistration<C> {
    const registration = new HandlerRegistration(this, handler, resyncMs)
    this.#registrations = [...this.#registrations, registration]
    registration.begin()
    return registration
  }

  remove(registration: HandlerRegistration<C>): void {
    this.#registrations = this.#registrations.filter(other => other !== registration)
  }

  /** This, {@link updated} and {@link deleted}: only where there are handlers, since objects may cost. */
  added(key: string, born: number, object: C): void {
    // So many are told of in slices, by the order of birth.
    const batch = this.#batch
    if (batch.adds.length > sliceAbove) return
    if (batch.adds.length === 0) batch.addsFrom = born - 1
    batch.adds.push({ type: 'add', key, born, object })
  }

  updated(key: string, born: number, object: C, old: C): void {
    this.#batch.updates.push({ type: 'update', key, born, object, old })
  }

  deleted(about: { key: string; born: number; object: C; finalStateUnknown: boolean }): void {
    this.#batch.deletes.push({ type: 'delete', ...about })
  }

  /** What has no value has appeared, or is gone. */
  untold(key: string): void {
    if (this.#registrations.length > 0) this.#batch.untold.add(key)
  }

  /** What has no value is let go of without a word: where it appears again, that is news. */
  forget(key: string): void {
    for (const registration of this.#registrations) registration.forget(key)
  }

  /** Tells of one update at once; what a handler brings about is told after it. If a handler has caused the update, it waits its turn. */
  tellUpdate(key: string, born: number, object: C, old: C): void {
    const registrations = this.#registrations
    if (registrations.length === 0) return
    if (this.#isTelling || !this.#batch.isEmpty) {
      this.updated(key, born, object, old)
      this.tell()
      return
    }
    this.#isTelling = true
    try {
      for (const registration of registrations) registration.update(key, born, object, old)
    } finally {
      this.#finish()
    }
  }

  /** Tells what has come together (rule R26), and what there is no object to tell with. What a handler brings about is told after it. */
  tell(): void {
    if (!this.#isTelling) {
      this.#isTelling = true
      return this.#finish()
    }
    if (this.#batch.isEmpty) return
    this.#waiting.push(this.#batch)
    this.#batch = new Batch()
  }

  /** Makes calls of handlers. */
  telling(call: () => void): void {
    this.#isTelling = true
    try {
      call()
    } finally {
      this.#finish()
    }
  }

  /** Tells what handlers have brought about. */
  #finish(): void {
    try {
      if (this.#waiting.length > 0 || !this.#batch.isEmpty) this.interleave()
    } finally {
      this.#isTelling = false
    }
    for (const registration of this.#registrations) registration.settle()
  }

  /** Between two calls of handlers: tells what the former brought about. */
  interleave(): void {
    let inSlices = false
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      inSlices = this.#tellBatch(batch) || inSlices
    }
    // Only now: a slice tells of objects as they are, and so must be told after what made them so.
    if (inSlices) for (const registration of this.#registrations) registration.slice()
  }

  close(why: Error): void {
    for (const registration of this.#registrations) registration.end(why)
    this.#registrations = []
    this.#batch = new Batch()
    this.#waiting = []
  }

  /** What is to be told next; `undefined` where all was told. */
  #next(): Batch<C> | undefined {
    const batch = this.#waiting.shift() ?? this.#batch
    if (batch.isEmpty) return undefined
    if (batch === this.#batch) this.#batch = new Batch()
    return batch
  }

  /** Gives whether adds are left to be told in slices. */
  #tellBatch({ deletes, adds, updates, untold, addsFrom }: Batch<C>): boolean {
    const registrations = this.#registrations
    const inSlices = adds.length > sliceAbove
    if (inSlices) for (const registration of registrations) registration.rewind(addsFrom)
    for (const told of [deletes, adds, updates]) {
      for (const one of told) for (const registration of registrations) registration.hear(one)
    }
    for (const key of untold) for (const registration of registrations) registration.look(key)
    return inSlices
  }
}
