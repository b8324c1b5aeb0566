import type { Environment } from '@wherry/client'
import type { Sink } from '../sink.ts'
import type { FairScheduler, Worker } from './fair-scheduler.ts'
import type { CallContext } from './running.ts'

/** How a registrar deals with a sink that fails. */
export interface SinkLimitsOptions {
  readonly maxRetrying: number
  readonly retryInitialMs: number
  readonly retryMaxMs: number
}

const nobody: readonly never[] = []

/** The parts that all deliveries to one sink share: the sink, its bounds, and its counters. */
export class SinkLimits<C> {
  readonly registrar: string
  readonly sink: Sink<C>
  readonly environment: Environment
  readonly scheduler: FairScheduler
  readonly context: CallContext
  readonly #options: SinkLimitsOptions
  readonly #concurrency: number
  /** Calls under way. */
  running = 0
  /** The calls under way for objects that are not being retried. */
  fresh = 0
  /** Objects that are being retried. */
  retrying = 0
  /** Events of objects that the sink took. */
  delivered = 0
  /** Calls that were made again. */
  retried = 0
  /** How often a cursor was sent back to the start. */
  resets = 0
  /** The workers that wait for {@link open}, and those that wait for {@link openToFresh}, in the order in which they came. */
  #waiting: readonly Worker[] = nobody
  #waitingFresh: readonly Worker[] = nobody

  constructor(
    registrar: string,
    sink: Sink<C>,
    shared: { readonly environment: Environment; readonly scheduler: FairScheduler; readonly context: CallContext },
    options: SinkLimitsOptions,
  ) {
    this.registrar = registrar
    this.sink = sink
    this.environment = shared.environment
    this.scheduler = shared.scheduler
    this.context = shared.context
    this.#options = options
    this.#concurrency = sink.concurrency ?? 1
  }

  /** Whether a call may be made. */
  get open(): boolean {
    return this.running < this.#concurrency
  }

  /** Whether a call may be made for an object that is not being retried: if the call fails, there is one object more to retry. */
  get openToFresh(): boolean {
    return this.open && this.retrying + this.fresh < this.#options.maxRetrying
  }

  /** How long to wait after so many failures in a row, in milliseconds: a random time from d to 2d. d doubles with each failure. */
  backoff(failures: number): number {
    const { retryInitialMs, retryMaxMs } = this.#options
    return Math.min(retryInitialMs * 2 ** (failures - 1), retryMaxMs) * (1 + this.environment.random())
  }

  /** Gives `worker` a turn when a call may be made; with `fresh`, when a call for an object that is not being retried may be made. */
  wait(worker: Worker, fresh: boolean): void {
    // `concat` makes an array of exactly this length, which takes less memory than a `push`.
    const waiting = fresh ? this.#waitingFresh : this.#waiting
    if (!waiting.includes(worker)) this.#setWaiting(waiting.concat([worker]), fresh)
  }

  /** Ends the wait of `worker`. */
  forget(worker: Worker): void {
    this.#waiting = this.#waiting.filter(each => each !== worker)
    this.#waitingFresh = this.#waitingFresh.filter(each => each !== worker)
  }

  /** Gives a waiting delivery its turn, if there is room. */
  passOn(): void {
    const fresh = this.#waiting.length === 0
    const waiting = fresh ? this.#waitingFresh : this.#waiting
    const [first] = waiting
    if (first === undefined || !(fresh ? this.openToFresh : this.open)) return
    this.#setWaiting(waiting.slice(1), fresh)
    this.scheduler.add(first)
  }

  #setWaiting(workers: readonly Worker[], fresh: boolean): void {
    if (fresh) this.#waitingFresh = workers
    else this.#waiting = workers
  }
}
