import { isConflict, isResourceNotFound } from '@wherry/client'
import { Backoff, sleep } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { isMigrated, isSameTarget, readTarget, type StorageTarget } from './definition.ts'
import { MigrationError } from './errors.ts'
import { checkMigrateOptions, type MigrateOptions } from './options.ts'
import { freshState, Pass } from './pass.ts'
import { type MigrationReport, reportOf } from './report.ts'
import { permitted } from './retry.ts'
import { memoryState } from './state/memory-state.ts'
import type { MigrationState, StateStore } from './state/migration-state.ts'

/** How often a migration starts while its definition keeps changing, and how often it tries to write the definition's status. */
const maxStarts = 10

/**
 * Rewrites every stored object of a definition at its storage version, and then shortens `status.storedVersions` to it,
 * so that the API server lets old versions be removed.
 *
 * `status.storedVersions` is written only once every object was rewritten or found at the storage version, or was written or
 * deleted by others since it was listed. After a failure it stays unchanged, and the report names the object. It is written
 * only if the definition's uid, storage version and generation are those of the list: if they have changed, the migration
 * begins again.
 *
 * A merge patch that changes nothing makes the server rewrite an object: its content stays unchanged, admission webhooks
 * are called, and watches report the object. A run may be killed at any moment and started again; several runs at a time do
 * no harm.
 *
 * @throws MigrationError for a definition that can't be migrated, for a missing right and for an invalid state.
 * @throws ApiError, ConnectionError or TimeoutError if the server can't list or write for about a minute.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { migrateStorage } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const { outcome, storedVersions } = await migrateStorage({ client, definition })
 * console.log(outcome, storedVersions)
 * ```
 */
export async function migrateStorage(options: MigrateOptions): Promise<MigrationReport> {
  checkMigrateOptions(options)
  return new Migration(options).run()
}

class Migration {
  readonly #options: MigrateOptions
  readonly #store: StateStore

  constructor(options: MigrateOptions) {
    this.#options = options
    this.#store = options.state ?? memoryState()
  }

  async run(): Promise<MigrationReport> {
    const { client, definition, signal } = this.#options
    const backoff = new Backoff(client.environment)
    const first = await readTarget(client, definition, signal)
    for (let starts = 1, target = first; ; starts++) {
      const report = await this.#attempt(first, target)
      if (report !== undefined) return report
      if (starts === maxStarts) {
        const why = `the definition changed, or was not served, at each of ${maxStarts} attempts`
        throw new MigrationError('DEFINITION_UNSTABLE', definition, why)
      }
      await backoff.wait(signal)
      target = await readTarget(client, definition, signal)
    }
  }

  /** Runs a migration. Resolves with `undefined` if it has to begin again, because the definition has changed or is not served. */
  async #attempt(first: StorageTarget, target: StorageTarget): Promise<MigrationReport | undefined> {
    const { definition, signal } = this.#options
    if (isMigrated(target)) {
      await this.#store.clear(definition, signal)
      return reportOf('nothing-to-do', first, target, undefined)
    }
    let state: MigrationState
    try {
      state = await this.#pass(target)
    } catch (error) {
      if (isResourceNotFound(error)) return undefined
      throw error
    }
    if (!state.listed || state.failures.length > 0) return reportOf('failed', first, target, state)
    const after = await this.#shorten(target)
    if (after === undefined) return undefined
    await this.#store.clear(definition, signal)
    return reportOf('migrated', first, after, state)
  }

  async #pass(target: StorageTarget): Promise<MigrationState> {
    const { client, definition, signal, settleMs = 5000, state: _, ...rewrite } = this.#options
    const saved = await this.#store.load(definition, signal)
    const resumes = saved !== undefined && isSameTarget(saved, target)
    if (!resumes) await sleep(client.environment.clock, settleMs, signal)
    const save = (state: MigrationState): Promise<void> => this.#store.save(definition, state, signal)
    const options = { ...rewrite, client, definition, signal }
    return new Pass(options, { target, save }, resumes ? saved : freshState(target)).run()
  }

  /** Writes `status.storedVersions` and reads it back. Resolves with `undefined` if the definition has changed since the pass. */
  async #shorten(target: StorageTarget): Promise<StorageTarget | undefined> {
    const { client, definition, signal } = this.#options
    const backoff = new Backoff(client.environment)
    for (let attempt = 1; ; attempt++) {
      const now = await readTarget(client, definition, signal)
      if (!isSameTarget(now, target)) return undefined
      if (isMigrated(now)) return now
      try {
        await this.#writeStatus(now)
        return await readTarget(client, definition, signal)
      } catch (error) {
        // Another program has changed the definition meanwhile, so it is read again.
        if (!isConflict(error) || attempt === maxStarts) throw error
        await backoff.wait(signal)
      }
    }
  }

  async #writeStatus({ uid, resourceVersion, storageVersion }: StorageTarget): Promise<void> {
    const { client, definition, signal } = this.#options
    const change = { metadata: { uid, resourceVersion }, status: { storedVersions: [storageVersion] } }
    const write = (): Promise<unknown> =>
      client.status.patch(customResourceDefinitions, { name: definition }, change, { signal })
    await permitted(client.environment, definition, 'patch customresourcedefinitions/status', write, signal)
  }
}
