import { type Clock, type Environment, isResourceNotFound } from '@wherry/client'
import { anySignal, asError, sleep } from '@wherry/client/internal'
import { abortable, late, within } from '@wherry/informer/internal'
import type { ControllerSourceConnection } from '../sources/controller-source.ts'
import { SourceNotSyncedError } from './errors.ts'

/** A connected source, and its name. */
export interface NamedConnection {
  readonly name: string
  readonly connection: ControllerSourceConnection
  hasSynced: boolean
  /** The error of its last failed wait. */
  error?: Error | undefined
}

/** The wait before a failed source is asked again, in milliseconds. */
const askAgainMs = 250

/** After this time the log names the sources that have not synced, in milliseconds. */
const reportAfterMs = 5000

/** The connections that have not synced. */
export function unsynced(connections: readonly NamedConnection[]): readonly NamedConnection[] {
  return connections.filter(one => !one.hasSynced)
}

/** The source that has not synced, and why. */
export function unsyncedLine(one: NamedConnection): string {
  const error = whyUnsynced(one)
  if (error === undefined) return one.name
  const way = isResourceNotFound(error) ? `: ${howToFind}` : ''
  return `${one.name} (${error.message}${way})`
}

function whyUnsynced({ connection, error }: NamedConnection): Error | undefined {
  return connection.lastError ?? error
}

const howToFind = "install its CustomResourceDefinition, or set whenUnknown: 'wait' in the options of the cache"

/** Resolves when all have synced. Rejects with a `SourceNotSyncedError` after `timeoutMs`, or with the reason of the signal (rule C3). */
export async function untilSynced(
  controller: string,
  connections: readonly NamedConnection[],
  { clock, log }: Pick<Environment, 'clock' | 'log'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const ended = anySignal(over.signal, signal)
  const reporting = clock.timer(reportAfterMs, () => {
    log('warn', 'waits for a first state', { controller, sources: unsynced(connections).map(unsyncedLine) })
  })
  try {
    const all = Promise.all(connections.map(one => hasSynced(one, clock, ended)))
    if ((await within(all, timeoutMs, clock)) !== late) return
    const left = unsynced(connections)
    const names = left.map(({ name }) => name)
    const cause = left.map(whyUnsynced).find(error => error !== undefined)
    throw new SourceNotSyncedError(controller, names, timeoutMs, cause, left.map(unsyncedLine))
  } finally {
    reporting.cancel()
    over.abort(new Error('the wait is over'))
  }
}

/**
 * Waits for a source. A source that rejects keeps trying, so the wait goes on. If the signal is aborted, the wait ends, whatever the source does.
 */
async function hasSynced(named: NamedConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await abortable((async () => named.connection.synced(signal))(), signal)
      named.hasSynced = true
      return
    } catch (error) {
      if (signal.aborted) throw signal.reason ?? error
      named.error = asError(error)
    }
    await sleep(clock, askAgainMs, signal)
  }
}
