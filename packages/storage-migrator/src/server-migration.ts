import { createHash } from 'node:crypto'
import { type Client, defineResource, isAlreadyExists, isNotFound, type Resource } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import type { Condition } from '@wherry/client/resources/meta'
import { type StorageVersionMigration, storageVersionMigrations } from '@wherry/client/resources/storagemigration'
import { isMigrated, isSameTarget, readTarget, type StorageTarget } from './definition.ts'
import { MigrationError } from './errors.ts'
import { checkServerMigrationOptions, type ServerMigrationOptions } from './options.ts'
import { removableVersions } from './report.ts'
import { permitted, retried } from './retry.ts'

/** The versions of the API in which a migration names only a resource. In earlier versions it also names a version. */
const versions: readonly string[] = ['v1', 'v1beta1']
const pollMs = 1000
/** How long the definition's status may take to follow a migration that has succeeded. */
const followMs = 60_000

/** The result of a migration by the server. */
export interface ServerMigrationReport {
  /** The definition's name. */
  readonly definition: string
  /**
   * - `migrated`: the server has rewritten the objects, and `status.storedVersions` has only the storage version.
   * - `nothing-to-do`: `status.storedVersions` had only the storage version before.
   * - `failed`: the server gave up, the definition or the `StorageVersionMigration` was changed or deleted meanwhile, or the server did not shorten
   *   `status.storedVersions` within a minute. `migrateStorage` rewrites the other objects, and names each object that fails.
   */
  readonly outcome: 'migrated' | 'nothing-to-do' | 'failed'
  readonly storageVersion: string
  /** `status.storedVersions` when the migration began. */
  readonly storedVersionsBefore: readonly string[]
  /** `status.storedVersions` when it was last read. */
  readonly storedVersions: readonly string[]
  /** The versions that can be removed from the definition now. */
  readonly removableVersions: readonly string[]
  /** Why the migration failed, in the words of the server if it gave up; otherwise empty. */
  readonly message: string
}

/**
 * Lets the API server migrate a definition by its own migrator, and waits for the end. Creates a `StorageVersionMigration`, and deletes it
 * after a success. After a failure the object stays for inspection, and the next call replaces it, unless the definition has changed since. A call after a
 * killed call uses the existing object.
 *
 * The server ends its migration at the first object that can't be written. If the definition changes during the
 * migration, the outcome is `failed`. {@link verify} proves the result.
 *
 * @throws MigrationError `NO_SERVER_MIGRATION` if the server does not have the API, or no controller begins the migration within `startTimeoutMs`; and
 *   as `migrateStorage` does for the definition and for a missing right.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { migrateByServer } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const { outcome } = await migrateByServer({ client, definition })
 * console.log(outcome)
 * ```
 */
export async function migrateByServer(options: ServerMigrationOptions): Promise<ServerMigrationReport> {
  checkServerMigrationOptions(options)
  const { client, definition, signal } = options
  const before = await readTarget(client, definition, signal)
  if (isMigrated(before)) return reportOf('nothing-to-do', before, before)
  const migration = new ServerMigration(options, await servedResource(client, definition, signal), before)
  await migration.create()
  const failure = await migration.ended()
  if (failure !== undefined) return reportOf('failed', before, await readTarget(client, definition, signal), failure)
  const after = await migration.followed()
  if (!isMigrated(after)) {
    const now = after.storedVersions.join(', ')
    const why = isSameTarget(before, after)
      ? 'it did not shorten the stored versions'
      : 'the definition changed meanwhile'
    return reportOf('failed', before, after, `${why}: stored versions are ${now}`)
  }
  await migration.delete()
  return reportOf('migrated', before, after)
}

/** The `StorageVersionMigration` for a state of a definition. */
class ServerMigration {
  readonly #options: ServerMigrationOptions
  readonly #resource: Resource<StorageVersionMigration, 'cluster'>
  readonly #target: StorageTarget
  readonly #name: string

  constructor(
    options: ServerMigrationOptions,
    resource: Resource<StorageVersionMigration, 'cluster'>,
    target: StorageTarget,
  ) {
    this.#options = options
    this.#resource = resource
    this.#target = target
    this.#name = nameOf(target)
  }

  /** Creates the object. An existing object is used if its migration has not ended, and replaced otherwise. */
  async create(): Promise<void> {
    const found = await this.#get()
    if (found !== undefined && endOf(found) === undefined) return
    if (found !== undefined) await this.delete(found.metadata?.uid)
    const { client, signal } = this.#options
    const { group, plural } = this.#target.view.resource
    const migration = { metadata: { name: this.#name }, spec: { resource: { group, resource: plural } } }
    try {
      await this.#permitted('create', () => client.create(this.#resource, migration, { signal }))
    } catch (error) {
      // Another run was faster, or an earlier attempt of this run succeeded although its answer was an error.
      if (!isAlreadyExists(error)) throw error
    }
  }

  /** Waits until the migration has ended. Resolves with the message of its failure, or with `undefined` after a success. */
  async ended(): Promise<string | undefined> {
    const { client, definition, signal, startTimeoutMs = 120_000 } = this.#options
    const { clock } = client.environment
    for (const startedAt = clock.monotonic(); ; await sleep(clock, pollMs, signal)) {
      const found = await this.#get()
      if (found === undefined) return 'somebody has deleted the StorageVersionMigration'
      const end = endOf(found)
      if (end?.type === 'Succeeded') return undefined
      if (end !== undefined) return end.message
      const isTakenUp = found.status?.resourceVersion !== undefined || (found.status?.conditions ?? []).length > 0
      if (isTakenUp || clock.monotonic() - startedAt < startTimeoutMs) continue
      const why = `no controller has taken its StorageVersionMigration ${this.#name} up in ${startTimeoutMs} ms: let kube-controller-manager run it, or delete it`
      throw new MigrationError('NO_SERVER_MIGRATION', definition, why)
    }
  }

  /** Reads the definition until its status shows that the migration is over, for a minute at most. The server writes that status last. */
  async followed(): Promise<StorageTarget> {
    const { client, definition, signal } = this.#options
    const { clock } = client.environment
    for (const startedAt = clock.monotonic(); ; await sleep(clock, pollMs, signal)) {
      const now = await readTarget(client, definition, signal)
      const isOver = isMigrated(now) || !isSameTarget(now, this.#target)
      if (isOver || clock.monotonic() - startedAt >= followMs) return now
    }
  }

  /** Deletes the object if it still exists. */
  async delete(uid?: string): Promise<void> {
    const { client, signal } = this.#options
    const preconditions = uid === undefined ? undefined : { uid }
    try {
      await this.#permitted('delete', () =>
        client.delete(this.#resource, { name: this.#name }, { preconditions, signal }),
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #get(): Promise<StorageVersionMigration | undefined> {
    const { client, signal } = this.#options
    return this.#permitted('get', () => client.get(this.#resource, { name: this.#name }, { signal }))
  }

  #permitted<T>(verb: string, request: () => Promise<T>): Promise<T> {
    const { client, definition, signal } = this.#options
    return permitted(client.environment, definition, `${verb} storageversionmigrations`, request, signal)
  }
}

/** @throws MigrationError if the server has no migrations. */
async function servedResource(
  client: Client,
  definition: string,
  signal: AbortSignal | undefined,
): Promise<Resource<StorageVersionMigration, 'cluster'>> {
  const { group, kind, plural } = storageVersionMigrations.resource
  const find = (): ReturnType<Client['discover']> => client.discover({ group, kind }, { signal })
  const found = await retried(client.environment, find, signal)
  if (found !== undefined && versions.includes(found.version)) {
    return defineResource<StorageVersionMigration>({ group, version: found.version, kind, plural, namespaced: false })
  }
  const served = found === undefined ? `no ${group}` : `${group}/${found.version} only`
  const why = `the server has ${served}, and can't migrate it by itself: migrateStorage can`
  throw new MigrationError('NO_SERVER_MIGRATION', definition, why)
}

/** The condition with which a migration has ended. */
function endOf({ status }: StorageVersionMigration): Condition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => status === 'True' && (type === 'Succeeded' || type === 'Failed'),
  )
}

/** The name of the object, which is the same for each run for the same state of a definition. */
function nameOf({ definition, uid, generation }: StorageTarget): string {
  const state = createHash('sha256').update(`${uid} ${generation}`).digest('hex').slice(0, 12)
  return `wherry-${state}-${definition}`.slice(0, 253).replace(/[.-]+$/, '')
}

function reportOf(
  outcome: ServerMigrationReport['outcome'],
  before: StorageTarget,
  after: StorageTarget,
  message = '',
): ServerMigrationReport {
  const { definition, storageVersion, storedVersions } = after
  return {
    ...{ definition, outcome, storageVersion, storedVersions, message },
    storedVersionsBefore: before.storedVersions,
    removableVersions: removableVersions(after),
  }
}
