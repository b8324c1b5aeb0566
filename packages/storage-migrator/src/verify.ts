import type { MigrationCounts } from './counts.ts'
import { isMigrated, isSameTarget, readTarget } from './definition.ts'
import type { ObjectFailure } from './failure.ts'
import { checkVerifyOptions, type RewriteOptions } from './options.ts'
import { freshState, Pass } from './pass.ts'
import { removableVersions } from './report.ts'

/** The result of a check of the versions at which objects are stored. */
export interface Verification {
  /** The definition's name. */
  readonly definition: string
  readonly storageVersion: string
  /** `status.storedVersions`: the versions at which objects may be stored, by the API server's record. */
  readonly storedVersions: readonly string[]
  /**
   * Whether `storedVersions` has only the storage version, and each object was proved to be stored at it already. `false`
   * if an object was rewritten or could not be rewritten, or the definition changed meanwhile.
   */
  readonly proven: boolean
  /** The versions that can be removed from the definition now. */
  readonly removableVersions: readonly string[]
  /** The numbers of objects by outcome. `rewritten`: objects that were stored at an old version until now. */
  readonly counts: MigrationCounts
  readonly failures: readonly ObjectFailure[]
}

/**
 * Proves that every object of a definition is stored at its storage version. No read shows the stored version of an object,
 * but a write that changes nothing does: the resourceVersion stays the same if the object is stored at the storage
 * version, and otherwise the write stores the object at that version. Needs a request for each object. Writes no status.
 *
 * @throws MigrationError as the migration does.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { verify } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const { counts, failures } = await verify({ client, definition })
 * console.log(counts.rewritten, failures.length) // 0 0: all objects were at the storage version
 * ```
 */
export async function verify(options: RewriteOptions): Promise<Verification> {
  checkVerifyOptions(options)
  const { client, definition, signal } = options
  const target = await readTarget(client, definition, signal)
  const { counts, failures, listed } = await new Pass(
    options,
    { target, save: async () => {} },
    freshState(target),
  ).run()
  const after = await readTarget(client, definition, signal)
  const { storageVersion, storedVersions } = after
  const stored = listed && failures.length === 0 && counts.rewritten === 0
  return {
    ...{ definition, storageVersion, storedVersions },
    proven: stored && isMigrated(after) && isSameTarget(after, target),
    removableVersions: removableVersions(after),
    counts,
    failures,
  }
}
