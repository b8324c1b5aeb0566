import type { Metrics } from '@wherry/client'
import type { CopyWrite, WriteReason } from './copy-event.ts'

/** What a copy reconciler has done since it was made. */
export interface CopyCounts {
  /** Writes that were made, by verb: `create`, `update`, `apply`, `status`, `annotate`, `delete`. */
  readonly writes: Readonly<Record<CopyWrite | 'delete', number>>
  /** Copies that were looked at and needed no write. */
  readonly skipped: number
  /** Copies that were written because somebody else had changed them. */
  readonly repairs: number
  readonly conflicts: number
  readonly failures: number
  readonly dryRuns: number
}

/** Counts what is done, for the report and as metrics (rule H9), each with the label `set`. */
export class Meter {
  readonly #metrics: Metrics
  readonly #set: string
  readonly #writes: Record<CopyWrite | 'delete', number> = {
    create: 0,
    update: 0,
    apply: 0,
    status: 0,
    annotate: 0,
    delete: 0,
  }
  #skipped = 0
  #repairs = 0
  #conflicts = 0
  #failures = 0
  #dryRuns = 0

  constructor(metrics: Metrics, set: string) {
    this.#metrics = metrics
    this.#set = set
  }

  wrote(verb: CopyWrite | 'delete', reason: WriteReason | 'unwanted'): void {
    this.#writes[verb] += 1
    this.#metrics.count('wherry_copies_writes_total', { set: this.#set, verb, reason })
  }

  skipped(): void {
    this.#skipped += 1
    this.#metrics.count('wherry_copies_skipped_writes_total', { set: this.#set })
  }

  repaired(): void {
    this.#repairs += 1
    this.#metrics.count('wherry_copies_drift_repairs_total', { set: this.#set })
  }

  conflict(): void {
    this.#conflicts += 1
    this.#metrics.count('wherry_copies_conflicts_total', { set: this.#set })
  }

  failed(): void {
    this.#failures += 1
    this.#metrics.count('wherry_copies_failures_total', { set: this.#set })
  }

  dryRun(): void {
    this.#dryRuns += 1
    this.#metrics.count('wherry_copies_dry_runs_total', { set: this.#set })
  }

  flapping(): void {
    this.#metrics.count('wherry_copies_flapping_total', { set: this.#set })
  }

  get counts(): CopyCounts {
    return {
      writes: { ...this.#writes },
      skipped: this.#skipped,
      repairs: this.#repairs,
      conflicts: this.#conflicts,
      failures: this.#failures,
      dryRuns: this.#dryRuns,
    }
  }
}
