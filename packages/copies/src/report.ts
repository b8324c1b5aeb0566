import type { Environment } from '@wherry/client'
import type { Applied } from '@wherry/controller'
import { CopyNameTakenError } from './errors.ts'
import type { Reason } from './pending-copies.ts'

/** What was done with copies since the program began, and what fails now. */
export interface CopiesActivity {
  /** Requests that changed copies, but for their statuses. */
  readonly writes: { readonly create: number; readonly update: number; readonly delete: number }
  /** Requests that changed the status of a copy. */
  readonly statusWrites: number
  /** Copies that were looked at and were as they should be, without a request. */
  readonly unchanged: number
  /** Requests that changed nothing, and taught what the server makes of a copy. */
  readonly learned: number
  /** Copies that somebody else had changed, and that were written again. */
  readonly repairs: number
  /** How often something failed. */
  readonly failures: number
  /** What failed when it was tried last: keys of copies, and `source KEY` for sources with copies that can have no name. */
  readonly failing: ReadonlyMap<string, Error>
  /** Copies with a next write that waits, because they were written again and again. */
  readonly delayed: readonly string[]
}

/** What copies there are, what was done, and what fails. */
export interface CopiesReport extends CopiesActivity {
  readonly name: string
  readonly isEnabled: boolean
  readonly sources: number
  /** Objects with the set's label that the cache shows. */
  readonly copies: number
}

/** Counts writes and failures, for people and as metrics. */
export class CopyCounts {
  readonly failing: Map<string, Error> = new Map<string, Error>()
  readonly #labels: { readonly set: string }
  readonly #delayed = new Set<string>()
  readonly #writes = { create: 0, update: 0, delete: 0 }
  #statusWrites = 0
  #unchanged = 0
  #learned = 0
  #repairs = 0
  #failures = 0
  #metrics: Environment['metrics'] | undefined

  constructor(set: string) {
    this.#labels = { set }
  }

  measureWith(metrics: Environment['metrics']): void {
    this.#metrics = metrics
  }

  /** An apply of a copy has returned. That it succeeded is said by {@link CopyCounts.succeeded}, when its status is done too. */
  applied(reason: Reason, { outcome, object }: Applied<unknown>): void {
    if (outcome === 'created') this.#wrote('create', 'missing')
    else if (outcome === 'updated') {
      this.#wrote('update', reason)
      if (reason === 'drift') this.#repaired()
    } else if (outcome === 'unchanged' && object !== undefined) this.#learned += 1
    else if (outcome === 'unchanged') {
      this.#unchanged += 1
      this.#metrics?.count('wherry_copies_skipped_writes_total', this.#labels)
    }
  }

  /** An apply of the status of a copy has returned. */
  statusApplied(reason: Reason | 'missing', isChanged: boolean): void {
    if (!isChanged) {
      this.#learned += 1
      return
    }
    this.#statusWrites += 1
    this.#metrics?.count('wherry_copies_writes_total', { ...this.#labels, verb: 'status', reason })
    if (reason === 'drift') this.#repaired()
  }

  /** The next write of a copy, or of its status, waits. It fails still, if it did. */
  delayed(key: string): void {
    this.#delayed.add(key)
  }

  /** @param reason `immutable`: the copy is to be made again, since a field of it can't be changed */
  deleted(reason: 'unwanted' | 'immutable'): void {
    this.#wrote('delete', reason)
  }

  failed(key: string, error: Error): void {
    const before = this.failing.get(key)
    this.failing.set(key, error)
    this.#delayed.delete(key)
    // That a name is taken still is no new failure.
    if (before instanceof CopyNameTakenError && error instanceof CopyNameTakenError) return
    this.#failures += 1
    this.#metrics?.count('wherry_copies_failures_total', this.#labels)
  }

  succeeded(key: string): void {
    this.failing.delete(key)
    this.#delayed.delete(key)
  }

  /** Forgets all keys that begin so. */
  forget(prefix: string): void {
    for (const keys of [this.failing, this.#delayed]) {
      for (const key of keys.keys()) if (key.startsWith(prefix)) keys.delete(key)
    }
  }

  report(): CopiesActivity {
    return {
      writes: { ...this.#writes },
      statusWrites: this.#statusWrites,
      unchanged: this.#unchanged,
      learned: this.#learned,
      repairs: this.#repairs,
      failures: this.#failures,
      failing: new Map(this.failing),
      delayed: [...this.#delayed],
    }
  }

  #repaired(): void {
    this.#repairs += 1
    this.#metrics?.count('wherry_copies_drift_repairs_total', this.#labels)
  }

  #wrote(verb: 'create' | 'update' | 'delete', reason: Reason | 'missing' | 'unwanted' | 'immutable'): void {
    this.#writes[verb] += 1
    this.#metrics?.count('wherry_copies_writes_total', { ...this.#labels, verb, reason })
  }
}
