import type { Environment } from '@wherry/client'
import type { Applied } from '@wherry/controller'
import { CopyNameTakenError } from './errors.ts'
import type { Reason } from './pending-copies.ts'

/** The activity since the start of the program, and the current failures. */
export interface CopiesActivity {
  /** Requests that changed copies, except for their statuses. */
  readonly writes: { readonly create: number; readonly update: number; readonly delete: number }
  /** Requests that changed the status of a copy. */
  readonly statusWrites: number
  /** Checks of copies that needed no apply, because the copy was correct, except maybe for its status. */
  readonly unchanged: number
  /** Requests that changed nothing, but showed the form in which the server stores a copy. */
  readonly learned: number
  /** Writes of copies, or of their statuses, that undid changes of other programs. */
  readonly repairs: number
  /** The number of failures. */
  readonly failures: number
  /** The errors of the last attempts, by the key of the copy; by `source KEY` if the source's copies have no valid name, or another source has it. */
  readonly failing: ReadonlyMap<string, Error>
  /** The keys of copies with a delayed write, in most cases because they were written again and again. */
  readonly delayed: readonly string[]
}

/** The numbers of sources and copies, the activity and the failures. */
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

  /** Counts an apply of a copy. {@link CopyCounts.succeeded} is called later, when the status is done too. */
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

  /** Counts an apply of the status of a copy. */
  statusApplied(reason: Reason | 'missing', isChanged: boolean): void {
    if (!isChanged) {
      this.#learned += 1
      return
    }
    this.#statusWrites += 1
    this.#metrics?.count('wherry_copies_writes_total', { ...this.#labels, verb: 'status', reason })
    if (reason === 'drift') this.#repaired()
  }

  /** Records that the next write of a copy or of its status is delayed. A failure of the copy remains. */
  delayed(key: string): void {
    this.#delayed.add(key)
  }

  /** @param reason `immutable`: the copy will be made again, because a field can't be changed */
  deleted(reason: 'unwanted' | 'immutable'): void {
    this.#wrote('delete', reason)
  }

  failed(key: string, error: Error): void {
    const before = this.failing.get(key)
    this.failing.set(key, error)
    this.#delayed.delete(key)
    // A name that is still taken is not a new failure.
    if (before instanceof CopyNameTakenError && error instanceof CopyNameTakenError) return
    this.#failures += 1
    this.#metrics?.count('wherry_copies_failures_total', this.#labels)
  }

  succeeded(key: string): void {
    this.failing.delete(key)
    this.#delayed.delete(key)
  }

  /** Forgets all keys that begin with `prefix`. */
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
