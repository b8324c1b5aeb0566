import { type MigrationCounts, noCounts } from './counts.ts'
import type { StorageTarget } from './definition.ts'
import type { ObjectFailure } from './failure.ts'
import type { MigrationState } from './state/migration-state.ts'

/** What a migration came to. */
export interface MigrationReport {
  /** The definition's name. */
  readonly definition: string
  /**
   * - `migrated`: every object is stored at the storage version, and `status.storedVersions` says so.
   * - `nothing-to-do`: it said so before.
   * - `failed`: some objects could not be rewritten; `status.storedVersions` was not touched.
   */
  readonly outcome: 'migrated' | 'nothing-to-do' | 'failed'
  readonly storageVersion: string
  /** `status.storedVersions` when the migration began. */
  readonly storedVersionsBefore: readonly string[]
  /** `status.storedVersions` as it was read last. */
  readonly storedVersions: readonly string[]
  /** Versions that the definition can lose now: no object is stored at them. Those still served are among them. */
  readonly removableVersions: readonly string[]
  /** Of a run that was resumed, those of the earlier runs too. */
  readonly counts: MigrationCounts
  /** The objects that may still be stored at an old version. */
  readonly failures: readonly ObjectFailure[]
  /** False where the run ended before it had seen all objects, because of too many failures. */
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

/** The definition's versions that `status.storedVersions` does not hold. */
export function removableVersions({ storedVersions, versions }: StorageTarget): string[] {
  return versions.filter(version => !storedVersions.includes(version))
}
