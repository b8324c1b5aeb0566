/** The numbers of listed objects by outcome. */
export interface MigrationCounts {
  /** Objects on the pages that are complete. */
  readonly listed: number
  /** Objects that the migration has rewritten, because they were stored at an old version. */
  readonly rewritten: number
  /** Objects that were stored at the storage version already: the write changed nothing. */
  readonly unchanged: number
  /** Objects that others have written since the list, so they are stored at the storage version. */
  readonly changed: number
  /** Objects that were deleted since the list. */
  readonly gone: number
}

export const noCounts: MigrationCounts = { listed: 0, rewritten: 0, unchanged: 0, changed: 0, gone: 0 }
