import type { List, PartialObjectMetadata } from '@wherry/client'
import { isMigrated, readTarget } from './definition.ts'
import { checkPlanOptions, type DefinitionOptions } from './options.ts'
import { permitted } from './retry.ts'

/** Options of {@link plan}. */
export interface PlanOptions extends DefinitionOptions {
  /** The number of objects on a page of the migration. @default 500 */
  readonly chunkSize?: number | undefined
}

/** The planned work of a migration. */
export interface MigrationPlan {
  /** The definition's name. */
  readonly definition: string
  readonly storageVersion: string
  /** `status.storedVersions`: the versions at which objects may be stored. */
  readonly storedVersions: readonly string[]
  readonly servedVersions: readonly string[]
  /** Whether `status.storedVersions` has only the storage version, so that the migration has nothing to do. */
  readonly nothingToDo: boolean
  /** The number of objects. No request shows which of them are stored at an old version. */
  readonly objects: number
  /** The number of requests of the migration if nothing fails: one for each object, the pages, and four for the definition; without those of a state store. */
  readonly requests: number
  /** Whether the server has a migration API of its own (`storagemigration.k8s.io`). */
  readonly serverMigrates: boolean
}

/**
 * Returns the work that {@link migrateStorage} would do, and writes nothing. Needs two requests, and those of discovery.
 *
 * @throws MigrationError as the migration does.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { plan } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const { objects, requests } = await plan({ client, definition })
 * console.log(`${objects} objects, ${requests} requests`)
 * ```
 */
export async function plan(options: PlanOptions): Promise<MigrationPlan> {
  checkPlanOptions(options)
  const { client, definition, signal, chunkSize = 500 } = options
  const target = await readTarget(client, definition, signal)
  const list = (): Promise<List<PartialObjectMetadata>> => client.list(target.view, { limit: 1, signal })
  const page = await permitted(client.environment, definition, `list ${definition}`, list, signal)
  const objects = page.items.length + (page.remainingItemCount ?? 0)
  const nothingToDo = isMigrated(target)
  const query = { group: 'storagemigration.k8s.io', kind: 'StorageVersionMigration' }
  const found = await client.discover(query, { signal })
  const { storageVersion, storedVersions, servedVersions } = target
  return {
    ...{ definition, storageVersion, storedVersions, servedVersions, nothingToDo, objects },
    requests: nothingToDo ? 1 : objects + Math.max(1, Math.ceil(objects / chunkSize)) + 4,
    serverMigrates: found !== undefined,
  }
}
