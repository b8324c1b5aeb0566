import { type MigrationCounts, noCounts } from './counts.ts'
import type { StorageTarget } from './definition.ts'
import type { ObjectFailure } from './failure.ts'
import type { MigrationState } from './state/migration-state.ts'

/** The result of a migration. */
export interface MigrationReport {
  /** The definition's name. */
  readonly definition: string
  /**
   * - `migrated`: every object is stored at the storage version, and `status.storedVersions` has only that version.
   * - `nothing-to-do`: `status.storedVersions` had only that version before.
   * - `failed`: some objects could not be rewritten; `status.storedVersions` is unchanged.
   */
  readonly outcome: 'migrated' | 'nothing-to-do' | 'failed'
  readonly storageVersion: string
  /** `status.storedVersions` when the migration began. */
  readonly storedVersionsBefore: readonly string[]
  /** `status.storedVersions` when it was last read. */
  readonly storedVersions: readonly string[]
  /** The versions that can be removed from the definition now, because no object is stored at them. They include versions that are still served. */
  readonly removableVersions: readonly string[]
  /** The numbers of objects by outcome, including those of earlier runs if the run was resumed. */
  readonly counts: MigrationCounts
  /** The objects that may still be stored at an old version. */
  readonly failures: readonly ObjectFailure[]
  /** False if the run ended before it had listed all objects, because of too many failures. */
  readonly complete: boolean
}

export function reportOf(
  outcome: MigrationReport['outcome'],
  before: StorageTarget,
  after: StorageTarget,
  state: MigrationState | undefined,
): MigrationReport {
  const { definition, storageVersion, storedVersions } = after
  return {
    ...{ definition, outcome, storageVersion },
    storedVersionsBefore: before.storedVersions,
    storedVersions,
    removableVersions: removableVersions(after),
    counts: state?.counts ?? noCounts,
    failures: state?.failures ?? [],
    complete: state?.listed ?? true,
  }
}

/** The definition's versions that `status.storedVersions` does not contain. */
export function removableVersions({ storedVersions, versions }: StorageTarget): string[] {
  return versions.filter(version => !storedVersions.includes(version))
}
