import { type Clock, sleep } from '@wherry/client'
import { abortable } from '../reads/abortable.ts'
import type { InputConnection } from '../sources/input.ts'
import { SourceNotSyncedError } from './errors.ts'

/** An input that is connected, and what it is called. */
export interface NamedConnection {
  readonly name: string
  readonly connection: InputConnection
}

/** What is waited for, and how long. */
export interface Syncing {
  readonly controller: string
  readonly connections: readonly NamedConnection[]
  readonly timeoutMs: number
  readonly clock: Clock
  /** Each of them ends the wait, with its reason. */
  readonly signals: readonly AbortSignal[]
}

/** How long is waited until a source that failed is asked again, in milliseconds. */
const askAgainMs = 250

/** Resolves when all have synced. Rejects with a `SourceNotSyncedError` after `timeoutMs`, or with the reason of a signal (rule C3). */
export async function untilSynced({ controller, connections, timeoutMs, clock, signals }: Syncing): Promise<void> {
  const ended = new AbortController()
  const listeners = signals.map(signal => ({ signal, abort: () => ended.abort(signal.reason) }))
  for (const { signal, abort } of listeners) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  }
  let isLate = false
  const late = (): void => {
    isLate = true
    ended.abort(new Error('it is late'))
  }
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.timer(timeoutMs, late)
  const waiting = new Set(connections)
  const one = async (named: NamedConnection): Promise<void> => {
    await hasSynced(named.connection, clock, ended.signal)
    waiting.delete(named)
  }
  try {
    await Promise.all(connections.map(one))
  } catch (error) {
    if (!isLate) throw error
    const left = [...waiting]
    const cause = left.find(({ connection }) => connection.lastError !== undefined)?.connection.lastError
    throw new SourceNotSyncedError(
      controller,
      left.map(({ name }) => name),
      timeoutMs,
      cause,
    )
  } finally {
    timer?.cancel()
    for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
  }
}

/** A source that says why it has not synced goes on trying: so does who waits for it. One that does not heed the signal is left to itself. */
async function hasSynced(connection: InputConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await abortable((async () => connection.synced(signal))(), signal)
      return
    } catch (error) {
      if (signal.aborted) throw signal.reason ?? error
    }
    await sleep(clock, askAgainMs, signal)
  }
}
