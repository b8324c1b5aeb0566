import type { Client, View } from '@wherry/client'
import { abortSignal, anySignal, asError, type Check, milliseconds, sleep } from '@wherry/client/internal'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { Controller } from '../controller/controller.ts'
import { informerOf } from '../reads/informer-of.ts'
import { serverDifference } from '../reads/server-difference.ts'
import { UsageError } from '../usage-error.ts'
import type { OperatorState } from './options.ts'

/**
 * The operator still had something to do when `settled` gave up. The cause is the signal's reason, if that ended the wait; else the error of
 * a key that waits for a retry, if there is such a key.
 *
 * @example
 * ```ts
 * import { NotSettledError, type Operator } from '@wherry/controller'
 *
 * export async function settle(operator: Operator): Promise<void> {
 *   await operator.settled({ timeoutMs: 5000 }).catch(error => {
 *     if (error instanceof NotSettledError) console.error(error.pending.join('\n'), error.cause)
 *     throw error
 *   })
 * }
 * ```
 */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError'
  readonly code = 'NOT_SETTLED'
  /** The unfinished work, one line each. */
  readonly pending: readonly string[]

  constructor(when: string, pending: readonly string[], cause: unknown) {
    super(`the operator has not settled ${when}:${pending.map(line => `\n  ${line}`).join('')}`, { cause })
    this.pending = pending
  }
}

/** How long `Operator.settled` waits. */
export interface SettledOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** In milliseconds; `Infinity`: no bound. @default 30_000 */
  readonly timeoutMs?: number | undefined
}

export const settledChecks: Readonly<Record<keyof SettledOptions, Check>> = {
  signal: abortSignal,
  timeoutMs: milliseconds({ infinite: true }),
}

/** The operator that is to settle, and the bounds. */
export interface Settling {
  readonly client: Client
  readonly cache: DynamicCache
  /** All views that are watched. */
  views(): readonly View[]
  controllers(): readonly Controller<unknown>[]
  state(): OperatorState
  /** Aborted when the run is to end. */
  readonly ended: AbortSignal
  /** Aborted with the reason if the operator will not settle. */
  readonly hopeless: AbortSignal
  /** The run, which rejects if it has failed. */
  run(): Promise<void> | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** The wait between two checks, at first and at most, in milliseconds. */
const firstMs = 2
const longestMs = 200

/** See `Operator.settled`. */
export async function settled(settling: Settling): Promise<void> {
  const { client, signal, ended, hopeless, timeoutMs } = settling
  const { clock } = client.environment
  const late = new AbortController()
  const timer =
    timeoutMs === Number.POSITIVE_INFINITY
      ? undefined
      : clock.timer(timeoutMs, () => late.abort(new Error('it is late')))
  const giveUp = anySignal(late.signal, ended, hopeless, signal)
  let pending = pendingOf(settling)
  let answered: readonly string[] = []
  try {
    for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 2, longestMs)) {
      giveUp.throwIfAborted()
      const before = activityOf(settling)
      pending = pendingOf(settling)
      if (pending.length === 0) {
        // The unfinished work, if the wait ends during the requests to the server.
        pending = answered.length > 0 ? answered : ['the server has not answered whether the caches have all objects']
        answered = await behind(settling, giveUp)
        pending = answered
        await clock.turn()
        const isQuiet = activityOf(settling) === before && pendingOf(settling).length === 0
        if (pending.length === 0 && isQuiet) return
        if (!isQuiet) waitMs = firstMs
      }
      await sleep(clock, waitMs, giveUp)
    }
  } catch (error) {
    if (hopeless.aborted) throw hopeless.reason
    if (late.signal.aborted || signal?.aborted) {
      const failure = settling.controllers().find(one => one.failure !== undefined)?.failure
      const when = late.signal.aborted ? `within ${timeoutMs} ms` : 'in time'
      // A reconcile that does not end may wait for something outside of simulated time.
      const isReconciling = settling.controllers().some(one => one.isReconciling)
      const outside = isReconciling ? (clock.outside?.() ?? []) : []
      const loops = settling.controllers().flatMap(one => one.loops.map(String))
      throw new NotSettledError(when, [...loops, ...pending, ...outside], signal?.reason ?? failure)
    }
    if (!ended.aborted) throw error
    // Rejects with the error of the run if it has failed.
    await settling.run()
    throw new UsageError('OPERATOR_USED', 'the operator has ended')
  } finally {
    timer?.cancel()
  }
}

function activityOf({ controllers }: Settling): number {
  return controllers().reduce((sum, { activity }) => sum + activity, 0)
}

function pendingOf({ controllers, state }: Settling): readonly string[] {
  const now = state()
  if (now === 'idle') return ['the operator was not run']
  const obstacle = controllers().find(one => one.obstacle !== undefined)?.obstacle
  const why = obstacle ?? (now === 'starting' ? 'the operator is starting' : undefined)
  return [...(why === undefined ? [] : [why]), ...controllers().flatMap(controller => controller.pending())]
}

/** A line for each cached object that differs from the server's. Ignores a server that does not answer: the next check asks again. */
async function behind(settling: Settling, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await compared(settling, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return [`the server can not be asked: ${asError(error).message}`]
  }
}

async function compared(settling: Settling, signal: AbortSignal): Promise<readonly string[]> {
  const { cache, client } = settling
  const lines: string[] = []
  for (const view of settling.views()) {
    const informer = informerOf(cache, view)
    const found = informer && (await serverDifference(client, informer, signal))
    // A resource that does not exist, or may not be read, does not delay the result.
    const isThere = found === undefined || (informer?.hasSynced && found.newer.length + found.gone.length === 0)
    if (informer === undefined || !isThere) lines.push(`${view.key} is catching up`)
  }
  for (const controller of settling.controllers()) {
    await controller.reads.compare(signal)
    if (controller.reads.catchingUp) lines.push(`${controller.name}: reads are catching up`)
  }
  return lines
}
