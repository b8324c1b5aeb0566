import { abortable } from './abortable.ts'
import type { Clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { checkOptions, milliseconds } from './errors/check.ts'
import { OptionRangeError } from './errors/option.ts'

/** The longest wait that a server may ask for (rule R16). */
const longestAskedMs = 300_000

export interface BackoffOptions {
  /** The first wait is random, from this to twice this, in milliseconds. @default 800 */
  readonly initialMs?: number | undefined
  /** The limit of the doubling, in milliseconds. No wait is longer than twice this. @default 30_000 */
  readonly maxMs?: number | undefined
  /** The time without a failure after which the next failure counts as the first, in milliseconds. @default 120_000 */
  readonly resetMs?: number | undefined
}

/**
 * The waits after failures (rule R22), with the numbers of client-go's reflector: d doubles from 800 ms to 30 s, and a wait
 * is drawn from [d, 2d], so that many clients do not return at once. After two minutes without a failure it starts again.
 */
export class Backoff {
  readonly #environment: Pick<Environment, 'clock' | 'random'>
  readonly #initialMs: number
  readonly #maxMs: number
  readonly #resetMs: number
  #nextMs: number
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(environment: Pick<Environment, 'clock' | 'random'>, options: BackoffOptions = {}) {
    const positive = milliseconds({ min: 1 })
    checkOptions('backoff', options, { initialMs: positive, maxMs: positive, resetMs: milliseconds() })
    this.#environment = environment
    this.#initialMs = options.initialMs ?? 800
    this.#maxMs = options.maxMs ?? 30_000
    this.#resetMs = options.resetMs ?? 120_000
    if (this.#maxMs < this.#initialMs) {
      throw new OptionRangeError('backoff.maxMs', `initialMs (${this.#initialMs}) or more`, `${this.#maxMs}`)
    }
    this.#nextMs = this.#initialMs
  }

  /**
   * Records a failure, and returns the wait after it, in milliseconds.
   *
   * @param atLeastMs the server's Retry-After. At most five minutes of it count.
   */
  next(atLeastMs = 0): number {
    const now = this.#environment.clock.monotonic()
    if (now - this.#failedAt >= this.#resetMs) this.#nextMs = this.#initialMs
    this.#failedAt = now
    const wait = this.#nextMs
    this.#nextMs = Math.min(wait * 2, this.#maxMs)
    return Math.max(wait * (1 + this.#environment.random()), Math.min(atLeastMs, longestAskedMs))
  }

  /** Records a failure and waits. `atLeastMs` is that of {@link next}. Rejects at once with the signal's reason. */
  wait(signal?: AbortSignal, atLeastMs = 0): Promise<void> {
    return sleep(this.#environment.clock, this.next(atLeastMs), signal)
  }

  /** Forgets all failures: the next wait is the first. */
  reset(): void {
    this.#nextMs = this.#initialMs
    this.#failedAt = Number.NEGATIVE_INFINITY
  }
}

/** Waits `ms` milliseconds on `clock`. Rejects with the signal's reason as soon as the signal is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(signal, resolve => {
    const timer = clock.timer(ms, resolve)
    return () => timer.cancel()
  })
}
