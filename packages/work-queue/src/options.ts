import { callback, checkFields, having, number } from './check.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Ageing } from './core/ready.ts'
import { ExponentialRateLimiter } from './limiters/exponential.ts'
import { checkLimiter } from './limiters/max-of.ts'
import type { RateLimiter } from './limiters/rate-limiter.ts'
import type { QueueErrorContext, WorkQueueObserver } from './observer.ts'

/** Options of {@link WorkQueue}. */
export interface WorkQueueOptions<K = string> {
  /** The source of time. @default the clock of this machine; its timers keep the process alive */
  readonly clock?: Clock | undefined
  /** Decides how long a key that {@link WorkQueue.addRateLimited} adds waits. @default 5 ms … 1000 s, doubling with each failure of the key */
  readonly rateLimiter?: RateLimiter<K> | undefined
  /** How keys of low priority get their turn. */
  readonly ageing?: AgeingOptions | undefined
  /** Observes the queue, for metrics. */
  readonly observer?: WorkQueueObserver<K> | undefined
  /**
   * Receives errors of `observer`. Must not throw.
   * @default the diagnostics channel `wherry:error`, as `{ error, context }`
   */
  readonly onError?: ((error: Error, context: QueueErrorContext) => void) | undefined
}

/** How the keys that have been ready the longest get their turn, whatever their priority. */
export interface AgeingOptions {
  /**
   * How long a key has to be ready before it is aged, in milliseconds, 0 or more. `Infinity` turns
   * ageing off: a key is then never handed out while keys of a higher priority are ready.
   *
   * @default 10_000
   */
  readonly afterMs?: number | undefined
  /**
   * While the oldest key is aged, each `every`-th key that is handed out is the oldest. A whole
   * number, 1 or more. A greater number respects priorities more strictly; 1: an aged key always comes first.
   *
   * @default 4
   */
  readonly every?: number | undefined
}

/** Options of {@link WorkQueue.add}. */
export interface AddOptions {
  /** Higher is sooner; any finite number. See {@link Priority}. @default 0 */
  readonly priority?: number | undefined
  /** How long the key waits before it can be handed out, in milliseconds, finite, 0 or more. @default 0 */
  readonly afterMs?: number | undefined
}

/** Options of {@link WorkQueue.addRateLimited}. */
export interface AddRateLimitedOptions {
  /** Any finite number; higher comes first. @default the present priority of the key ({@link WorkQueue.priorityOf}), else 0 */
  readonly priority?: number | undefined
}

/** Options of {@link WorkQueue.take}. */
export interface TakeOptions {
  /** Ends the wait. A key that was handed out before is not affected. */
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link WorkQueue.stop}. */
export interface StopOptions {
  /** Whether pending keys without delay are still handed out; otherwise they are dropped. Delayed keys are always dropped. @default false */
  readonly drain?: boolean | undefined
  /** Ends the wait for running keys. The queue stays stopped. */
  readonly signal?: AbortSignal | undefined
}

/** The checked options of a queue, with their defaults. */
export interface CheckedOptions<K> extends Pick<WorkQueueOptions<K>, 'observer' | 'onError'> {
  readonly clock: Clock
  readonly rateLimiter: RateLimiter<K>
  readonly ageing: Ageing
}

export function checkedOptions<K>(options: WorkQueueOptions<K>): CheckedOptions<K> {
  checkFields('WorkQueue', options, ['clock', 'rateLimiter', 'ageing', 'observer', 'onError'])
  const { clock = systemClock, rateLimiter = new ExponentialRateLimiter<K>(), ageing = {}, observer, onError } = options
  having('WorkQueue.clock', clock, 'monotonic', 'timer')
  checkLimiter('WorkQueue.rateLimiter', rateLimiter)
  checkFields('WorkQueue.ageing', ageing, ['afterMs', 'every'])
  const afterMs = number('WorkQueue.ageing.afterMs', ageing.afterMs, 10_000, { min: 0, infinite: true })
  const every = number('WorkQueue.ageing.every', ageing.every, 4, { min: 1, whole: true })
  having('WorkQueue.observer', observer)
  for (const method of observed) callback(`WorkQueue.observer.${method}`, observer?.[method])
  callback('WorkQueue.onError', onError)
  return { clock, rateLimiter, ageing: { afterMs, every }, observer, onError }
}

const observed = ['added', 'retried', 'taken', 'done'] as const
