import { type Client, sleep, type View } from '@wherry/client'
import { abortSignal, type Check, milliseconds } from '@wherry/client/checks'
import type { DynamicCache } from '@wherry/dynamic-cache'
import { asError } from '../as-error.ts'
import type { Controller } from '../controller/controller.ts'
import { informerOf } from '../reads/informer-of.ts'
import { hasCaughtUp } from './caught-up.ts'
import { NotSettledError, OperatorUsedError } from './errors.ts'

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

/** Who is to settle, and within which bounds. */
export interface Settling {
  readonly client: Client
  readonly cache: DynamicCache
  /** All views that are watched. */
  views(): readonly View[]
  controllers(): readonly Controller<unknown>[]
  /** What keeps the operator from having begun; `undefined`: it has. */
  notBegun(): string | undefined
  /** Aborted when the run is to end. */
  readonly ended: AbortSignal
  /** The run; rejected where it has failed. */
  run(): Promise<void> | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** How long is waited between two looks, at first and at most, in milliseconds. */
const firstMs = 2
const longestMs = 200

/** See `Operator.settled`. */
export async function settled(settling: Settling): Promise<void> {
  const { client, signal, ended, timeoutMs } = settling
  const { clock } = client.environment
  const giveUp = new AbortController()
  const aborted = (): void => giveUp.abort(signal?.reason)
  const over = (): void => giveUp.abort(new OperatorUsedError('the operator has ended'))
  signal?.addEventListener('abort', aborted, { once: true })
  ended.addEventListener('abort', over, { once: true })
  if (ended.aborted) over()
  if (signal?.aborted) aborted()
  let isLate = false
  const late = (): void => {
    isLate = true
    giveUp.abort(new Error('it is late'))
  }
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.timer(timeoutMs, late)
  let pending = pendingOf(settling)
  try {
    for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 2, longestMs)) {
      giveUp.signal.throwIfAborted()
      const before = activityOf(settling)
      pending = pendingOf(settling)
      if (pending.length === 0) {
        pending = await behind(settling, giveUp.signal)
        await clock.turn()
        const isQuiet = activityOf(settling) === before && pendingOf(settling).length === 0
        if (pending.length === 0 && isQuiet) return
        if (!isQuiet) waitMs = firstMs
      }
      await sleep(clock, waitMs, giveUp.signal)
    }
  } catch (error) {
    if (isLate || signal?.aborted) {
      throw new NotSettledError(isLate ? `within ${timeoutMs} ms` : 'in time', pending, signal?.reason)
    }
    // As the run has failed, if it has.
    if (ended.aborted) await settling.run()
    throw giveUp.signal.aborted ? giveUp.signal.reason : error
  } finally {
    timer?.cancel()
    signal?.removeEventListener('abort', aborted)
    ended.removeEventListener('abort', over)
  }
}

function activityOf({ controllers }: Settling): number {
  return controllers().reduce((sum, { activity }) => sum + activity, 0)
}

function pendingOf({ controllers, notBegun }: Settling): readonly string[] {
  const why = notBegun()
  return [...(why === undefined ? [] : [why]), ...controllers().flatMap(controller => controller.pending())]
}

/** What is cached and not what the server has, a line each. A server that does not answer may do so the next time. */
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
    if (informer === undefined || !(await hasCaughtUp(client, informer, signal))) {
      lines.push(`${view.key} is catching up`)
    }
  }
  for (const controller of settling.controllers()) {
    await controller.reads.compare(signal)
    if (controller.reads.catchingUp) lines.push(`${controller.name}: reads are catching up`)
  }
  return lines
}
