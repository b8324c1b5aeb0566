import type { MigrationCounts } from './counts.ts'

/** How far a migration is. */
export interface MigrationProgress {
  readonly definition: string
  readonly storageVersion: string
  /** The number of all objects, as the server reported it; `undefined` before the first page. */
  readonly total: number | undefined
  readonly counts: MigrationCounts
  /** The number of objects so far that could not be rewritten. */
  readonly failed: number
  /** How long this run has taken, in milliseconds. */
  readonly elapsedMs: number
  /** The number of objects on the pages that an earlier run had completed. */
  readonly resumedAt: number
}
