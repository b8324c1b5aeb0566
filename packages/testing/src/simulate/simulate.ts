import type { Clock } from '@wherry/apiserver'
import { type Random, seededRandom } from '@wherry/apiserver'
import { checkFields, number, oneOf, whole } from '@wherry/apiserver/internal'
import { Agenda } from './agenda.ts'
import { Driver } from './driver.ts'
import { outsideWaits } from './outside.ts'
import { type RecordedEnvironment, recordedEnvironment } from './recorded-environment.ts'
import { Trace } from './trace.ts'

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /**
   * The time of the wall clock at the start, in milliseconds since 1970.
   *
   * @default 1_767_225_600_000 (2026-01-01T00:00:00Z)
   */
  readonly startTime?: number | undefined
  /**
   * How long a `run` may take, in simulated milliseconds.
   *
   * @default 86_400_000 (a day)
   */
  readonly limitMs?: number | undefined
  /**
   * The maximum number of tasks for a goal. Ends an endless loop in which no time passes.
   *
   * @default 1_000_000
   */
  readonly maxSteps?: number | undefined
  /**
   * `full` keeps every line of the trace, to find the first difference of two runs. Not for long runs, because the trace grows.
   *
   * @default 'hash'
   */
  readonly trace?: 'hash' | 'full' | undefined
}

/** Simulated time and random numbers from a seed, with the functions that move the time on. */
export interface Simulation {
  readonly seed: number
  /** The simulated clock. Its timers fire when the simulation reaches their time. Accepts only finite delays. */
  readonly clock: Clock
  /** All randomness of the run: fork it by name for each use. */
  readonly random: Random
  /** The environment for the code under test. Its random numbers are the stream `environment`. */
  readonly environment: RecordedEnvironment
  /** The trace of the run: a step for each task, the calls of the environment, and lines that a test adds. */
  readonly trace: Trace
  /** How many tasks have run. */
  readonly steps: number
  /**
   * Calls `fn`, and moves the time on until its promise settles. Resolves with its result, or rejects with its error.
   *
   * Rejects with a `SimulationError` if nothing can ever happen, past `limitMs` or `maxSteps`, if a timer throws,
   * and for an unhandled rejection. Time does not wait for a socket, a file, a timer of Node's, a
   * worker or an `import()`: do such things before. The error names those of them that the process has open.
   */
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** Resolves when `ms` milliseconds have passed and all tasks until then have run. May be called inside `run` too. */
  advance(ms: number): Promise<void>
  /** Resolves when nothing is left to do at the present time. */
  settle(): Promise<void>
  /**
   * Resolves as soon as `predicate`, which is called between steps, returns true. Rejects if that takes longer than `limitMs`
   * (default: that of the simulation), or if nothing can make it true any more.
   */
  runUntil(predicate: () => boolean, options?: { readonly limitMs?: number | undefined }): Promise<void>
  /** Adds lines to the pending things that a failure lists, such as open streams. Called only for a failure. */
  describe(pending: () => Iterable<string>): void
  /** Pending waits and timers, and the lines of `describe`. Empty when everything has ended. */
  pending(): string[]
}

/**
 * Makes a simulation from `seed`. The same seed and the same code have the same run, step by step, which the `trace` shows.
 *
 * Throws a `RangeError` or `TypeError` for an invalid seed or invalid options.
 *
 * Time passes only during `run`, `advance`, `settle` and `runUntil`, as fast as the machine can run the code.
 *
 * @example
 * ```ts
 * import { simulate } from '@wherry/testing'
 *
 * const simulation = simulate(1)
 * await simulation.run(async () => {
 *   await simulation.advance(3_600_000) // an hour, in no time
 *   console.log(simulation.clock.monotonic())
 * })
 * ```
 */
export function simulate(seed: number, options: SimulateOptions = {}): Simulation {
  checkFields('simulate', options, {
    startTime: number(0, 8.64e15),
    limitMs: number(),
    maxSteps: whole(1),
    trace: oneOf('hash', 'full'),
  })
  const { startTime = 1_767_225_600_000, limitMs = 86_400_000, maxSteps = 1_000_000 } = options
  const random = seededRandom(seed)
  const agenda = new Agenda()
  const trace = new Trace(options.trace === 'full')
  const described: (() => Iterable<string>)[] = []
  const describe = (): string[] => described.flatMap(lines => [...lines()])
  const driver = new Driver({ seed, agenda, trace, maxSteps, describe })
  const clock = { ...simulatedClock(agenda, startTime), outside: outsideWaits }
  return {
    seed,
    clock,
    random,
    environment: recordedEnvironment(clock, random.fork('environment'), trace),
    trace,
    get steps() {
      return driver.steps
    },
    async run<T>(fn: () => T): Promise<Awaited<T>> {
      let settled = false
      const settle = (): void => {
        settled = true
      }
      const over = driver.pursue({
        what: `run${fn.name && ` of ${fn.name}`}`,
        isMet: () => settled,
        deadline: agenda.now + limitMs,
        failsAll: true,
      })
      // Called inside a promise, so that a synchronous error is a rejection.
      const result = new Promise<T>(resolve => resolve(fn()))
      result.then(settle, settle)
      await over
      return await result
    },
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`time goes on by 0 ms or more, not by ${ms}`)
      const idleAt = agenda.now + ms
      return driver.pursue({ what: `advance to ${idleAt} ms`, idleAt, deadline: idleAt, failsAll: false })
    },
    settle: () => driver.pursue({ what: 'settle', idleAt: agenda.now, deadline: agenda.now, failsAll: false }),
    runUntil(predicate, { limitMs: ownLimitMs = limitMs } = {}) {
      if (!(ownLimitMs >= 0 && Number.isFinite(ownLimitMs)))
        throw new RangeError(`runUntil waits for 0 ms or more, not for ${ownLimitMs}`)
      const deadline = agenda.now + ownLimitMs
      return driver.pursue({ what: `runUntil ${predicate}`, isMet: predicate, deadline, failsAll: false })
    },
    describe(pending) {
      described.push(pending)
    },
    pending: () => driver.pending(),
  }
}

function simulatedClock(agenda: Agenda, startTime: number): Clock {
  return {
    now: () => startTime + Math.floor(agenda.now),
    monotonic: () => agenda.now,
    timer(ms, fn) {
      // A real timer with such a delay would fire at once, which is probably a mistake.
      if (!Number.isFinite(ms)) throw new RangeError(`a timer takes a finite number of milliseconds, not ${ms}`)
      return agenda.add(ms, fn)
    },
    turn: () =>
      new Promise(resolve => {
        agenda.add(0, resolve)
      }),
  }
}
