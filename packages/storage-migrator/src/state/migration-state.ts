import type { MigrationCounts } from '../counts.ts'
import { MigrationError } from '../errors.ts'
import type { FailureReason, ObjectFailure } from '../failure.ts'

/** The progress of a migration of a definition. It is valid only for this uid, generation and storage version. */
export interface MigrationState {
  /** The version of the form of this state. */
  readonly form: 1
  readonly uid: string
  readonly generation: number
  readonly storageVersion: string
  /** The continue token of the next page; absent before the first page and after the last. */
  readonly continue?: string | undefined
  /** Whether every page is complete, so that only the failures are left. */
  readonly listed: boolean
  readonly counts: MigrationCounts
  /** The objects on the pages so far that could not be rewritten. */
  readonly failures: readonly ObjectFailure[]
}

/**
 * Stores the state of migrations, so that a later run continues a killed run. Several runs at a time may
 * share a store: each state is complete by itself, and the last written state counts.
 */
export interface StateStore {
  /** Loads the state of a definition's migration. Resolves with `undefined` if there is none. */
  load(definition: string, signal?: AbortSignal): Promise<MigrationState | undefined>
  /** Replaces the state. The write must be atomic. */
  save(definition: string, state: MigrationState, signal?: AbortSignal): Promise<void>
  /** Deletes the state. */
  clear(definition: string, signal?: AbortSignal): Promise<void>
}

const reasons: readonly FailureReason[] = ['too-large', 'invalid', 'webhook', 'unavailable', 'refused']
const countNames = ['listed', 'rewritten', 'unchanged', 'changed', 'gone'] as const

/**
 * Parses the JSON of a state.
 *
 * @throws MigrationError with the code `INVALID_STATE` for a text that no migration has written.
 */
export function parseState(definition: string, text: string, where: string): MigrationState {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isState(value)) return value
  const why = `${where} has no state of a migration: name another place, or delete it`
  throw new MigrationError('INVALID_STATE', definition, why)
}

function isState(value: unknown): value is MigrationState {
  const state = record(value)
  const counts = record(state.counts)
  return (
    state.form === 1 &&
    typeof state.uid === 'string' &&
    typeof state.generation === 'number' &&
    typeof state.storageVersion === 'string' &&
    (state.continue === undefined || typeof state.continue === 'string') &&
    typeof state.listed === 'boolean' &&
    countNames.every(name => typeof counts[name] === 'number') &&
    Array.isArray(state.failures) &&
    state.failures.map(record).every(isFailure)
  )
}

function isFailure({ namespace, name, reason, message }: Record<string, unknown>): boolean {
  return (
    (namespace === undefined || typeof namespace === 'string') &&
    typeof name === 'string' &&
    reasons.includes(reason as FailureReason) &&
    typeof message === 'string'
  )
}

function record(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}
