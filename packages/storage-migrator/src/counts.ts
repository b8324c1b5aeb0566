/** What became of the objects that a migration has listed. */
export interface MigrationCounts {
  /** Objects on the pages that were worked through. */
  readonly listed: number
  /** Rewritten by the migration: they were stored at an old version. */
  readonly rewritten: number
  /** Already stored at the storage version: the write changed nothing. */
  readonly unchanged: number
  /** Written by others since they were listed, and thereby stored at the storage version. */
  readonly changed: number
  /** Deleted since they were listed. */
  readonly gone: number
}

export const noCounts: MigrationCounts = { listed: 0, rewritten: 0, unchanged: 0, changed: 0, gone: 0 }
