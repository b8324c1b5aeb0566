import { abortable } from './abortable.ts'
import type { Clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { checkOptions, milliseconds } from './errors/check.ts'
import { OptionRangeError } from './errors/option.ts'

/** The longest wait that a server may ask for (rule R16). */
const longestAskedMs = 300_000

export interface BackoffOptions {
  /** The first wait is drawn from this to twice this, in milliseconds. @default 800 */
  readonly initialMs?: number | undefined
  /** What the doubling ends at, in milliseconds: no wait is longer than twice this. @default 30_000 */
  readonly maxMs?: number | undefined
  /** So long without a failure, and the next one counts as the first, in milliseconds. @default 120_000 */
  readonly resetMs?: number | undefined
}

/**
 * How long to wait after a failure (rule R22), with the numbers of client-go's reflector: d doubles from 800 ms to 30 s, and a wait
 * is drawn from [d, 2d], so that many clients do not come back at once. After two minutes without a failure it starts again.
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
   * Notes a failure and draws how long to wait after it, in milliseconds.
   *
   * @param atLeastMs what a server asks for (a Retry-After). Of more than five minutes, five minutes are taken.
   */
  next(atLeastMs = 0): number {
    const now = this.#environment.clock.monotonic()
    if (now - this.#failedAt >= this.#resetMs) this.#nextMs = this.#initialMs
    this.#failedAt = now
    const wait = this.#nextMs
    this.#nextMs = Math.min(wait * 2, this.#maxMs)
    return Math.max(wait * (1 + this.#environment.random()), Math.min(atLeastMs, longestAskedMs))
  }

  /** Notes a failure and waits, at least `atLeastMs` as {@link next} takes it. Rejects with the signal's reason, at once. */
  wait(signal?: AbortSignal, atLeastMs = 0): Promise<void> {
    return sleep(this.#environment.clock, this.next(atLeastMs), signal)
  }

  /** Forgets all failures: the next wait is the first. */
  reset(): void {
    this.#nextMs = this.#initialMs
    this.#failedAt = Number.NEGATIVE_INFINITY
  }
}

/** Waits `ms` milliseconds on `clock`. Rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(signal, resolve => {
    const timer = clock.timer(ms, resolve)
    return () => timer.cancel()
  })
}
