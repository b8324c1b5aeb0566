import type { Client, Clock, GuardedClient, Timer } from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import { LeadershipLostError, TermOverError } from './errors.ts'
import type { ElectionSettings } from './options.ts'

/** The time for which a process leads, for its `lead` function. */
export interface Term {
  /**
   * Aborted when `lead` has to stop: with a {@link LeadershipLostError} at the moment in which this process no longer holds the lease, or with the reason
   * of the signal that was given to `run`. In the second case, the process keeps the lease until `lead` has ended.
   */
  readonly signal: AbortSignal
  /**
   * The client for everything that only a leader may do. It sends nothing outside the term. A call or watch that is under way when the lease is
   * lost ends with the {@link LeadershipLostError}, and so does each later one, before anything is sent. It can be used while `lead` runs.
   */
  readonly client: Client
  /** How often the lease has changed hands: it grows with each term, unless the lease is deleted. */
  readonly transitions: number
  /** Our identity, in the lease. */
  readonly identity: string
  /** How long the term lasts if no further renewal succeeds, in milliseconds; 0 after its end. */
  readonly remainingMs: number
  /** Throws if the term is over. For actions of the leader that do not go through `client`. */
  check(): void
}

/** A term, for the election. */
export class OwnTerm implements Term {
  readonly client: Client
  readonly transitions: number
  readonly identity: string
  readonly #settings: ElectionSettings
  readonly #clock: Clock
  readonly #guard: GuardedClient
  readonly #stopping = new AbortController()
  readonly #ending = new AbortController()
  readonly signal: AbortSignal = this.#stopping.signal
  /** Aborted when the term is over: with a {@link LeadershipLostError}, or with a {@link TermOverError}. */
  readonly ended: AbortSignal = this.#ending.signal
  #deadline: number
  #timer: Timer | undefined

  /** @param began when the write by which we hold the lease began, on the monotonic clock */
  constructor(settings: ElectionSettings, transitions: number, began: number) {
    const { client, identity, renewDeadlineMs } = settings
    this.transitions = transitions
    this.identity = identity
    this.#settings = settings
    this.#clock = client.environment.clock
    this.#deadline = began + renewDeadlineMs
    this.#guard = client.guardedBy(() => this.check())
    this.client = this.#guard.client
    this.#wait()
  }

  get remainingMs(): number {
    return this.ended.aborted ? 0 : Math.max(0, this.#deadline - this.#clock.monotonic())
  }

  /** Asks the clock, not a timer: after a pause of the process, anything may run before the timer does. */
  check(): void {
    this.#expire()
    this.ended.throwIfAborted()
  }

  /** Records a renewal that has succeeded. Throws if its answer came too late. @param began when its request began */
  renewed(began: number): void {
    this.check()
    this.#deadline = Math.max(this.#deadline, began + this.#settings.renewDeadlineMs)
  }

  /** Asks `lead` to end; the term goes on. */
  stop(reason: unknown): void {
    this.#stopping.abort(reason)
  }

  lose(why: string): void {
    this.#end(new LeadershipLostError(keyText(this.#settings), this.identity, why))
  }

  /** Ends the term, because `lead` has ended, unless the lease was lost before. */
  finish(): void {
    this.#expire()
    this.#end(new TermOverError(keyText(this.#settings)))
  }

  #expire(): void {
    if (this.remainingMs === 0) this.lose('it was not renewed in time')
  }

  #end(error: LeadershipLostError | TermOverError): void {
    if (this.ended.aborted) return
    this.#timer?.cancel()
    // The client ends first, so that no listener of the signal can send by it.
    this.#guard.end(error)
    this.#ending.abort(error)
    this.#stopping.abort(error)
  }

  /** Waits for the deadline. A renewal moves only the deadline: the timer then waits again. */
  #wait(): void {
    this.#timer = this.#clock.timer(this.remainingMs, () => {
      this.#expire()
      if (!this.ended.aborted) this.#wait()
    })
  }
}
