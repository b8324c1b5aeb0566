import type { MigrationCounts } from './counts.ts'

/** How far a migration is. */
export interface MigrationProgress {
  readonly definition: string
  readonly storageVersion: string
  /** All objects there are, as far as the server has said; `undefined` before the first page. */
  readonly total: number | undefined
  readonly counts: MigrationCounts
  /** Objects that could not be rewritten so far. */
  readonly failed: number
  /** How long this run has taken, in milliseconds. */
  readonly elapsedMs: number
  /** Objects that an earlier run had worked through. */
  readonly resumedAt: number
}
