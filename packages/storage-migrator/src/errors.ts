/** Why a migration can't be done, or can't go on. */
export type MigrationErrorCode =
  /** There is no definition of that name. */
  | 'DEFINITION_NOT_FOUND'
  /** The definition is being deleted, and its objects with it. */
  | 'DEFINITION_TERMINATING'
  /** The definition marks no version as its storage version. */
  | 'NO_STORAGE_VERSION'
  /** No version of the definition is served, so its objects can't be read. */
  | 'NO_SERVED_VERSION'
  /** The definition changed, or was not served, at each of several attempts. */
  | 'DEFINITION_UNSTABLE'
  /** The server refuses a request that the migration needs; `cause` is its answer. */
  | 'NO_ACCESS'
  /** The server can't migrate by itself: it does not have the API, or no controller runs the migration. */
  | 'NO_SERVER_MIGRATION'
  /** The content under the state's name was not written by a migration. */
  | 'INVALID_STATE'

/**
 * The migration is not possible, or can't continue. Rewritten objects stay rewritten, and a later run continues from there.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { MigrationError, migrateStorage } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * await migrateStorage({ client, definition }).catch(error => {
 *   if (!(error instanceof MigrationError) || error.code !== 'NO_ACCESS') throw error
 *   console.error(error.message, error.cause)
 * })
 * ```
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code: MigrationErrorCode
  /** The definition's name, as `games.arcade.example.com`. */
  readonly definition: string

  constructor(code: MigrationErrorCode, definition: string, message: string, cause?: unknown) {
    super(`${definition}: ${message}`, { cause })
    this.code = code
    this.definition = definition
  }
}
