import type { Client } from '@wherry/client'
import { OptionRangeError, OptionTypeError } from '@wherry/client'
import {
  abortSignal,
  type Check,
  callback,
  checkOptions,
  having,
  integer,
  milliseconds,
  text,
} from '@wherry/client/internal'
import type { MigrationProgress } from './progress.ts'
import type { StateStore } from './state/migration-state.ts'

/** The definition, and the client that reads and writes it. */
export interface DefinitionOptions {
  /** Reads the definition, and lists and writes its objects. */
  readonly client: Client
  /** The definition's name, as `games.arcade.example.com`. */
  readonly definition: string
  /** Ends the call, which rejects with the signal's reason once all its requests have ended. @default none */
  readonly signal?: AbortSignal | undefined
}

/** How objects are rewritten. */
export interface RewriteOptions extends DefinitionOptions {
  /** The number of objects on a page of the list; the state is saved after each page. @default 500 */
  readonly chunkSize?: number | undefined
  /** The number of objects that are written at a time. @default 10 */
  readonly concurrency?: number | undefined
  /**
   * The maximum number of writes in a second; `Infinity`: the client sets no bound, since the server's own fairness slows
   * the migration down before other users notice.
   * @default Infinity
   */
  readonly qps?: number | undefined
  /**
   * The number of failed objects that ends the run, because the cause is then probably not in the objects. At most 1000, so that
   * the state fits into a ConfigMap.
   * @default 100
   */
  readonly maxFailures?: number | undefined
  /**
   * Called after each page with the progress of the migration. Errors of the function, and rejections of its promise, go to the client's `onError`.
   * @default none
   */
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined
}

/** How objects are migrated. */
export interface MigrateOptions extends RewriteOptions {
  /**
   * Where the run's state is kept: `configMapState(…)`, `fileState(…)` or a store of your own.
   * @default in memory: a run that was killed starts over, which costs time and nothing else
   */
  readonly state?: StateStore | undefined
  /**
   * How long to wait before objects are listed, in milliseconds, so that each API server of the cluster writes at the
   * storage version by then. API servers receive a changed definition by a watch. 0 is right for a single API server, and if the
   * definition was changed long ago. A resumed run does not wait.
   * @default 5000
   */
  readonly settleMs?: number | undefined
}

/** How the server migrates by itself. */
export interface ServerMigrationOptions extends DefinitionOptions {
  /**
   * How long to wait for a controller to begin the migration, in milliseconds. The migration itself has no time limit.
   * @default 120_000
   */
  readonly startTimeoutMs?: number | undefined
}

const client: Check = having('a Client', 'get', 'list', 'patch', 'discover')
const store: Check = having('a StateStore', 'load', 'save', 'clear')

const perSecond: Check = (option, value) => {
  const takes = 'writes a second, more than 0 (Infinity: no bound)'
  if (typeof value !== 'number') throw new OptionTypeError(option, takes, typeof value)
  if (!(value > 0)) throw new OptionRangeError(option, takes, `${value}`)
}

const definitionChecks = { client, definition: text, signal: abortSignal }
const needed = ['client', 'definition'] as const
const rewriteChecks = {
  ...definitionChecks,
  chunkSize: integer(1, 10_000),
  concurrency: integer(1, 1000),
  qps: perSecond,
  maxFailures: integer(1, 1000),
  onProgress: callback,
}
const migrateChecks = { ...rewriteChecks, state: store, settleMs: milliseconds() }

/** @throws OptionTypeError or OptionRangeError for an option that is wrong, unknown or missing. */
export function checkMigrateOptions(options: MigrateOptions): void {
  checkOptions('migrateStorage', options, migrateChecks, needed)
}

export function checkVerifyOptions(options: RewriteOptions): void {
  checkOptions('verify', options, rewriteChecks, needed)
}

export function checkPlanOptions(options: DefinitionOptions & Pick<RewriteOptions, 'chunkSize'>): void {
  checkOptions('plan', options, { ...definitionChecks, chunkSize: rewriteChecks.chunkSize }, needed)
}

export function checkServerMigrationOptions(options: ServerMigrationOptions): void {
  checkOptions('migrateByServer', options, { ...definitionChecks, startTimeoutMs: milliseconds() }, needed)
}
