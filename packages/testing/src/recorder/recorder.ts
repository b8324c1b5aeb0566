import { inspect } from 'node:util'
import type { Clock } from '@wherry/apiserver'
import { systemClock } from '@wherry/apiserver/internal'

/** Options of a {@link Recorder}. */
export interface RecorderOptions {
  /**
   * The clock of the waits: in a simulation, the simulated clock.
   * @default the system's
   */
  readonly clock?: Clock | undefined
  /**
   * How long a wait may take, in milliseconds of `clock`.
   *
   * @default 5_000 on the system's clock, 3_600_000 on a given clock
   */
  readonly limitMs?: number | undefined
}

/** Options of a wait. */
export interface UntilOptions {
  /** The awaited event, for the message. @default the condition's source */
  readonly what?: string | undefined
  /** How long the wait may take, in milliseconds. @default the recorder's */
  readonly limitMs?: number | undefined
}

/** A wait of a {@link Recorder} took too long. The message lists the recorded events. */
export class RecorderTimeoutError extends Error {
  override readonly name = 'RecorderTimeoutError'
  readonly code = 'RECORDER_TIMEOUT'
  /** The events that were recorded until then. */
  readonly events: readonly unknown[]

  constructor(what: string, limitMs: number, events: readonly unknown[]) {
    const shown = events
      .slice(-maxShown)
      .map(
        event =>
          `\n  ${typeof event === 'string' ? event : inspect(event, { depth: 4, breakLength: Number.POSITIVE_INFINITY })}`,
      )
    const left = events.length > maxShown ? `\n  (${events.length - maxShown} before)` : ''
    super(`not within ${limitMs} ms: ${what}\nrecorded:${left}${shown.join('') || ' nothing'}`)
    this.events = events
  }
}

interface Wait<E> {
  readonly isMet: (events: readonly E[]) => boolean
  readonly met: () => void
  readonly failed: (error: unknown) => void
}

const maxShown = 50

/**
 * Records events in order, and waits for them.
 *
 * @example
 * ```ts
 * import { Recorder } from '@wherry/testing'
 *
 * const seen = new Recorder<string>()
 * setTimeout(() => seen.record('added chess'), 10)
 * await seen.until(1)
 * console.log(seen.events) // [ 'added chess' ]
 * ```
 */
export class Recorder<E = string> {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #waits = new Set<Wait<E>>()
  #events: E[] = []

  constructor(options: RecorderOptions = {}) {
    this.#clock = options.clock ?? systemClock()
    this.#limitMs = options.limitMs ?? (options.clock === undefined ? 5000 : 3_600_000)
  }

  /** A copy of the events since the start, or since the last `take`. */
  get events(): readonly E[] {
    return [...this.#events]
  }

  /** Records an event. The function is bound, so it can be passed as a listener. */
  readonly record = (event: E): void => {
    this.#events.push(event)
    for (const wait of [...this.#waits]) this.#check(wait)
  }

  /** Returns the recorded events, and clears the record. */
  take(): E[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /**
   * Resolves with the events when there are `condition` of them, or when the function `condition` returns true, which may be at once. Rejects
   * with a `RecorderTimeoutError` if the wait takes too long, or with the error of the condition.
   */
  until(condition: number | ((events: readonly E[]) => boolean), options: UntilOptions = {}): Promise<readonly E[]> {
    const limitMs = options.limitMs ?? this.#limitMs
    const what = options.what ?? (typeof condition === 'number' ? `${condition} events` : String(condition))
    const isMet = typeof condition === 'number' ? (events: readonly E[]) => events.length >= condition : condition
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel()
        this.#waits.delete(wait)
      }
      const wait: Wait<E> = {
        isMet,
        met: () => {
          end()
          resolve(this.events)
        },
        failed: error => {
          end()
          reject(error)
        },
      }
      const timer = this.#clock.timer(limitMs, () => {
        wait.failed(new RecorderTimeoutError(what, limitMs, this.events))
      })
      this.#waits.add(wait)
      this.#check(wait)
    })
  }

  #check(wait: Wait<E>): void {
    try {
      if (wait.isMet(this.#events)) wait.met()
    } catch (error) {
      wait.failed(error)
    }
  }
}
