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
   * What the wall clock shows at the start, in milliseconds since 1970.
   *
   * @default 1_767_225_600_000 (2026-01-01T00:00:00Z)
   */
  readonly startTime?: number | undefined
  /**
   * How long one `run` may take, in simulated milliseconds.
   *
   * @default 86_400_000 (a day)
   */
  readonly limitMs?: number | undefined
  /**
   * How many tasks may run while one goal is pursued. Ends what goes round without time passing.
   *
   * @default 1_000_000
   */
  readonly maxSteps?: number | undefined
  /**
   * `full` keeps every line of the trace, to find the first difference of two runs. Not for long runs: it grows.
   *
   * @default 'hash'
   */
  readonly trace?: 'hash' | 'full' | undefined
}

/** Simulated time and random numbers from one seed, and what makes them go on. */
export interface Simulation {
  readonly seed: number
  /** Its timers fire when the simulation gets there. Takes finite delays only. */
  readonly clock: Clock
  /** All randomness of the run: fork it by name for each use. */
  readonly random: Random
  /** What the code under test is given. Its random numbers are the stream `environment`. */
  readonly environment: RecordedEnvironment
  /** What happened: a step for each task, what the environment received, and whatever else is added to it. */
  readonly trace: Trace
  /** How many tasks have run. */
  readonly steps: number
  /**
   * Calls `fn` and lets time go on until its promise settles; gives its result, or rejects with its error.
   *
   * Rejects with a `SimulationError` when nothing can ever happen, past `limitMs` or `maxSteps`, when an exception
   * comes out of a timer, and when a rejection is handled by nobody. Time does not wait for a socket, a file, a timer of Node's, a
   * worker or an `import()`: do such things before. The error names what of these the process has under way.
   */
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** Resolves when `ms` have passed and all that was due by then is done. Inside `run` too. */
  advance(ms: number): Promise<void>
  /** Resolves when nothing is left to do at the present time. */
  settle(): Promise<void>
  /**
   * Resolves as soon as `predicate` holds, which is asked between steps. Rejects when it does not within `limitMs`
   * (default: the simulation's) or when nothing can make it true any more.
   */
  runUntil(predicate: () => boolean, options?: { readonly limitMs?: number | undefined }): Promise<void>
  /** Adds lines to what a failure lists as pending, such as open streams. Asked only then. */
  describe(pending: () => Iterable<string>): void
  /** Pending waits, timers, and what was described. Empty when everything has ended. */
  pending(): string[]
}

/**
 * A simulation from `seed`: the same seed and the same code give the same run, step by step, which its `trace` shows.
 *
 * Throws a `RangeError` or `TypeError` for a seed or options that it can't take.
 *
 * Time passes only while `run`, `advance`, `settle` or `runUntil` are under way, and then as fast as the machine can.
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
      // Begun in a promise, so that what it throws at once is its rejection.
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
      // The real one would fire at once, which is hardly meant.
      if (!Number.isFinite(ms)) throw new RangeError(`a timer takes a finite number of milliseconds, not ${ms}`)
      return agenda.add(ms, fn)
    },
    turn: () =>
      new Promise(resolve => {
        agenda.add(0, resolve)
      }),
  }
}
