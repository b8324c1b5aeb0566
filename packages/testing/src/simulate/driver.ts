import { inspect } from 'node:util'
import type { Agenda } from './agenda.ts'
import { SimulationError, type SimulationErrorCode } from './error.ts'
import { outsideWaits } from './outside.ts'
import { catchStrayErrors, type StrayError } from './stray-errors.ts'
import type { Trace } from './trace.ts'

/** A goal for which the driver runs tasks. It is met when `isMet` returns true, or when no task is left at or before `idleAt`. */
export interface Goal {
  /** The awaited condition, for the message of a failure. */
  readonly what: string
  /** The condition of the goal, which is called between steps. */
  readonly isMet?: (() => boolean) | undefined
  /** The goal is met when no task is left up to this time. The simulated time is then this time. */
  readonly idleAt?: number | undefined
  /** Simulated time at which the goal fails. */
  readonly deadline: number
  /** Whether the whole simulation fails if the goal fails. */
  readonly failsAll: boolean
}

interface Pursued extends Goal {
  readonly firstStep: number
  readonly met: () => void
  readonly failed: (error: unknown) => void
}

/** The options of a {@link Driver}. */
export interface DriverOptions {
  readonly seed: number
  readonly agenda: Agenda
  readonly trace: Trace
  readonly maxSteps: number
  /** Pending things besides timers, a line each. */
  readonly describe: () => readonly string[]
}

/**
 * Runs the tasks of an agenda, one for each step, while there is a goal.
 *
 * Between two steps the real event loop turns once. So all continuations of promises that a step settled have run,
 * and unhandled rejections are known, before the next step begins.
 */
export class Driver {
  readonly #options: DriverOptions
  readonly #goals: Pursued[] = []
  #steps = 0
  #stray: StrayError | undefined
  #release: (() => void) | undefined

  constructor(options: DriverOptions) {
    this.#options = options
  }

  /** How many tasks were run. */
  get steps(): number {
    return this.#steps
  }

  /** Runs tasks until the goal is met. Rejects if the goal fails. */
  pursue(goal: Goal): Promise<void> {
    return new Promise((met, failed) => {
      this.#goals.push({ ...goal, firstStep: this.#steps, met, failed })
      if (this.#release !== undefined) return
      this.#release = catchStrayErrors(error => {
        this.#stray ??= error
      })
      setImmediate(this.#step)
    })
  }

  /** Pending goals and timers, and the lines of `describe`. */
  pending(): string[] {
    const tasks = this.#options.agenda.tasks()
    const shown = tasks.slice(0, 20).map(task => `timer at ${task.time} ms: ${task.fn?.name || '(anonymous)'}`)
    if (tasks.length > shown.length) shown.push(`and ${tasks.length - shown.length} more timers`)
    return [...this.#goals.map(goal => goal.what), ...shown, ...this.#options.describe()]
  }

  readonly #step = (): void => {
    const goOn = this.#checkAndRun()
    if (goOn && this.#goals.length > 0) {
      setImmediate(this.#step)
      return
    }
    this.#release?.()
    this.#release = undefined
  }

  /** Checks the goals, and then runs at most one task. Returns false if the simulation failed. */
  #checkAndRun(): boolean {
    const stray = this.#stray
    if (stray !== undefined) {
      this.#stray = undefined
      return this.#failAll(this.#strayError(stray))
    }
    if (this.#meetByCondition()) return true
    const { agenda, maxSteps } = this.#options
    const next = agenda.nextTime()
    let idle = Number.POSITIVE_INFINITY
    let deadline = Number.POSITIVE_INFINITY
    let firstStep = this.#steps
    for (const goal of this.#goals) {
      if (goal.idleAt !== undefined && goal.idleAt < idle) idle = goal.idleAt
      if (goal.deadline < deadline) deadline = goal.deadline
      if (goal.firstStep < firstStep) firstStep = goal.firstStep
    }
    if (idle < next && idle <= deadline) return this.#meetIdle(idle)
    if (Math.min(idle, next) === Number.POSITIVE_INFINITY) {
      return this.#failAll(
        this.#error(
          'SIMULATION_DEADLOCK',
          'nothing can ever happen: no timer is set, and sockets, files and import() are not seen',
        ),
      )
    }
    if (Math.min(idle, next) > deadline) return this.#failAtDeadline(deadline)
    if (this.#steps - firstStep >= maxSteps) {
      return this.#failAll(this.#error('SIMULATION_STEP_LIMIT', `no end after ${maxSteps} steps`))
    }
    this.#run()
    return true
  }

  /** Settles every goal with a condition that holds or throws. Returns true if there were any. */
  #meetByCondition(): boolean {
    let any = false
    for (const goal of [...this.#goals]) {
      if (goal.isMet === undefined) continue
      try {
        if (!goal.isMet()) continue
        goal.met()
      } catch (error) {
        goal.failed(error)
      }
      this.#drop(goal)
      any = true
    }
    return any
  }

  /** Moves the time to `idle` and meets a single goal that waited for it, so that its consequences come before the next goal is met. */
  #meetIdle(idle: number): boolean {
    this.#options.agenda.moveTo(idle)
    const goal = this.#goals.find(({ idleAt }) => idleAt !== undefined && idleAt <= idle)
    if (goal === undefined) return true
    this.#drop(goal)
    goal.met()
    return true
  }

  #run(): void {
    const task = this.#options.agenda.take()
    const fn = task?.fn
    if (task === undefined || fn === undefined) return
    task.fn = undefined
    this.#steps++
    this.#options.trace.addNumbers('step', task.time, task.sequence)
    try {
      fn()
    } catch (reason) {
      this.#stray ??= { kind: 'uncaughtException', reason }
    }
  }

  #failAtDeadline(deadline: number): boolean {
    this.#options.agenda.moveTo(deadline)
    const late = this.#goals.filter(goal => goal.deadline <= deadline)
    const error = this.#error('SIMULATION_TIME_LIMIT', `${late[0]?.what} did not come to its end in time`)
    if (late.some(goal => goal.failsAll)) return this.#failAll(error)
    for (const goal of late) {
      this.#drop(goal)
      goal.failed(error)
    }
    return true
  }

  #failAll(error: SimulationError): false {
    for (const goal of this.#goals.splice(0)) goal.failed(error)
    return false
  }

  #strayError({ kind, reason }: StrayError): SimulationError {
    const text = reason instanceof Error ? `${reason.name}: ${reason.message}` : inspect(reason)
    return kind === 'unhandledRejection'
      ? this.#error('SIMULATION_UNHANDLED_REJECTION', `a rejection was not handled: ${text}`, reason)
      : this.#error('SIMULATION_UNCAUGHT_EXCEPTION', `an exception was not caught: ${text}`, reason)
  }

  #error(code: SimulationErrorCode, message: string, cause?: unknown): SimulationError {
    const { seed, agenda } = this.#options
    const at = { seed, time: agenda.now, pending: [...this.pending(), ...outsideWaits()] }
    return new SimulationError(code, message, cause === undefined ? at : { ...at, cause })
  }

  #drop(goal: Pursued): void {
    const index = this.#goals.indexOf(goal)
    if (index !== -1) this.#goals.splice(index, 1)
  }
}
