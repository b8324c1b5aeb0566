import { InformerStoppedError } from '../errors.ts'
import type { Intake } from '../store/intake.ts'
import { Course, type ReflectorStats } from './course.ts'
import { follow } from './follow.ts'
import type { Gate } from './gate.ts'
import {
  afterChecking,
  afterDoubting,
  afterReading,
  afterStreaming,
  isForTheCaller,
  longestWait,
  wholeState,
} from './judge.ts'
import { check, list } from './list.ts'
import type { FillSource } from './members.ts'
import { type ReflectorOptions, settingsOf } from './options.ts'
import type { Checking, Doubting, Listing, Missing, Phase, Streaming, Waiting } from './phase.ts'
import { type InformerState, nameOf } from './state.ts'
import { type Ended, Stream } from './stream.ts'

/** How long after `retryNow` a resource that is missing still is looked for at short intervals, in milliseconds. */
const hopefulMs = 30_000

/** How long after a refusal the server is asked again for somebody who asks then, in milliseconds. */
const soonMs = 1000

/** How an intake joins a reflector that runs. */
export interface JoinOptions {
  /**
   * All that the reflector's state holds, as decoded: the entries of a full store that it feeds. Asked for when the
   * joining begins, and read in slices while changes go on.
   */
  readonly fill: () => FillSource
}

/**
 * One list/watch loop: keeps any number of stores ({@link Intake}) at the state of one collection.
 *
 * Each phase of it is a state of a documented machine, and {@link Reflector.state} says which; every failure leads to a phase that
 * goes on from it (rules R1–R23). It gives up only when stopped, or when its client was closed.
 *
 * What it promises its intakes: a whole state first; then each change after it once and in order; where the watch can't be
 * resumed, a whole state again, at least as new as the last (but for the counted rollbacks of rule R5).
 */
export class Reflector {
  readonly #course: Course
  #state: InformerState = 'idle'
  #running: Promise<void> | undefined
  #wake: (() => void) | undefined
  #hurry: (() => void) | undefined
  /** The refusal after which somebody asked for another try. */
  #askedAfter: Error | undefined
  #retriedAt = Number.NEGATIVE_INFINITY

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: ReflectorOptions) {
    this.#course = new Course(settingsOf(options))
  }

  get state(): InformerState {
    return this.#state
  }

  /** How new the stores are known to be: of the last list, event or bookmark. `undefined` where there is no state. */
  get lastSyncedResourceVersion(): string | undefined {
    return this.#course.resourceVersion
  }

  /** The last failure; `undefined` once a watch was accepted after it. */
  get lastError(): Error | undefined {
    return this.#course.lastError
  }

  get stats(): ReflectorStats {
    return { ...this.#course.stats }
  }

  /** How many intakes it feeds. */
  get size(): number {
    return this.#course.members.size
  }

  /** Begins. Does nothing where it has begun already. @throws InformerStoppedError once it was stopped. */
  start(): void {
    this.#mustLive()
    this.#running ??= this.#run()
  }

  /**
   * Feeds an intake too. Before the start it just takes part. Afterwards it needs `fill`, and is filled once there is a
   * state: it gets what `fill` gives and the changes meanwhile as its first state, then every change. If the
   * state has to be read anew before that is done, it takes part in that instead.
   *
   * @throws InformerStoppedError once it was stopped.
   * @throws TypeError for an intake that it feeds already, and without `fill` after the start.
   */
  add(intake: Intake, options?: JoinOptions): void {
    this.#mustLive()
    const { members } = this.#course
    if (members.has(intake)) throw new TypeError('the reflector feeds this intake already')
    if (this.#running === undefined) members.add(intake)
    else if (typeof options?.fill !== 'function') {
      throw new TypeError('a reflector that has begun takes another intake only with what to fill it from')
    } else members.fill(intake, options.fill)
  }

  /** Feeds it no more, from now on; the intake itself stays open. Harmless where it was not fed. */
  remove(intake: Intake): void {
    this.#course.members.remove(intake)
  }

  /** Ends a wait at once, and begins the backoff anew: there is reason to think that the next try does better. */
  retryNow(): void {
    this.#course.backoff.reset()
    this.#retriedAt = this.#course.clock.monotonic()
    this.#wake?.()
  }

  /**
   * Asks for another try, for somebody who comes while there is no state because the server refused (401, 403, 404, 400 and the like): it is
   * made one second after the refusal, or at once where that is past. Later waits are as long as ever.
   *
   * Returns whether the server's answer to another try is to come, which is told as any other.
   */
  tryNow(): boolean {
    const { lastError, resourceVersion, stopped } = this.#course
    if (stopped || this.#running === undefined || resourceVersion !== undefined || !isForTheCaller(lastError))
      return false
    this.#askedAfter = lastError
    this.#hurry?.()
    return true
  }

  /**
   * Ends it, whatever it does: nothing is called and no intake is written to from now on. The intakes stay open.
   * Idempotent. Resolves when all that was under way is gone.
   */
  stop(): Promise<void> {
    const course = this.#course
    if (!course.stopped) {
      course.stopped = true
      this.#state = 'stopped'
      course.underWay?.interrupt()
      course.members.end()
      this.#wake?.()
    }
    return this.#running ?? Promise.resolve()
  }

  #mustLive(): void {
    if (this.#course.stopped) throw new InformerStoppedError(this.#course.settings.name)
  }

  async #run(): Promise<void> {
    const course = this.#course
    let phase: Phase = wholeState(course)
    while (!course.stopped && phase.is !== 'stopped') {
      if (course.settings.gate !== undefined && asksAgain(course, phase)) await this.#pass(course.settings.gate)
      if (course.stopped) break
      if (phase.is === 'watching' && course.isUnfilled) {
        phase.stream?.abort()
        phase = wholeState(course)
      }
      this.#enter(nameOf(phase, course.resourceVersion !== undefined))
      if (!course.stopped) phase = await this.#step(phase)
    }
    if (!course.stopped) {
      this.#enter('stopped')
      void this.stop()
    }
  }

  #enter(state: InformerState): void {
    if (this.#state === state) return
    if (state === 'watching') this.#course.isMissing = false
    this.#state = state
    this.#course.tell(() => this.#course.settings.on.state?.(state))
  }

  /** Does one phase to its end, and says what comes next. */
  #step(phase: Exclude<Phase, { is: 'stopped' }>): Promise<Phase> {
    switch (phase.is) {
      case 'streaming':
        return this.#stream(phase)
      case 'listing':
        return this.#list(phase)
      case 'watching':
        return follow(this.#course, phase.stream)
      case 'checking':
        return this.#check(phase)
      case 'waiting':
        return this.#wait(phase)
      case 'doubting':
        return this.#doubt(phase)
      case 'missing':
        return this.#miss(phase)
    }
  }

  async #stream(phase: Streaming): Promise<Phase> {
    const course = this.#course
    const outcome = await begun(course, phase)
    if (outcome === undefined) return { is: 'stopped' }
    return outcome instanceof Stream ? { is: 'watching', stream: outcome } : afterStreaming(course, phase, outcome)
  }

  async #list(phase: Listing): Promise<Phase> {
    const course = this.#course
    try {
      await list(course, phase)
      const { streaming, target } = course.settings
      if (phase.refusedStreaming) streaming.refused(target.resource)
      return { is: 'watching' }
    } catch (error) {
      return course.stopped ? { is: 'stopped' } : afterReading(course, phase, error as Error)
    }
  }

  async #check(_: Checking): Promise<Phase> {
    const course = this.#course
    try {
      await check(course)
      return afterChecking(course, undefined)
    } catch (error) {
      return course.stopped ? { is: 'stopped' } : afterChecking(course, error as Error)
    }
  }

  async #wait({ ms, next }: Waiting): Promise<Phase> {
    this.#course.isAgain = true
    await this.#pause(ms)
    return next
  }

  async #doubt(phase: Doubting): Promise<Phase> {
    const course = this.#course
    const { context, target } = course.settings
    const asked = { isInNamespace: target.namespace !== undefined, hasState: course.resourceVersion !== undefined }
    const isProved = await unlessStopped(course, context.absence?.isProved(target.resource, asked))
    return course.stopped ? { is: 'stopped' } : afterDoubting(course, phase, isProved)
  }

  async #miss({ error }: Missing): Promise<Phase> {
    const course = this.#course
    const isNews = course.resourceVersion !== undefined
    course.resourceVersion = undefined
    if (isNews) course.clear()
    if (!course.isMissing) {
      course.isMissing = true
      course.tell(() => course.settings.on.missing?.(error))
    }
    const isHopeful = course.clock.monotonic() - this.#retriedAt < hopefulMs
    await this.#pause(isHopeful ? course.backoff.next() : longestWait(course))
    return wholeState(course)
  }

  /** Waits for its turn, unless it is stopped or told not to. */
  #pass(gate: Gate): Promise<void> {
    return new Promise(resolve => {
      const pass = (): void => {
        this.#wake = undefined
        resolve()
      }
      const leave = gate.enter(pass, this.#course.resourceVersion === undefined)
      if (leave === undefined) return resolve()
      this.#wake = () => {
        leave()
        pass()
      }
      this.#enter('waiting')
    })
  }

  /** Waits, unless it is stopped, told not to, or asked for another try. */
  #pause(ms: number): Promise<void> {
    const { clock, lastError, stopped } = this.#course
    const from = clock.monotonic()
    return new Promise(resolve => {
      if (stopped) return resolve()
      const end = (): void => {
        timer.cancel()
        this.#wake = undefined
        this.#hurry = undefined
        resolve()
      }
      let timer = clock.timer(ms, end)
      this.#wake = end
      this.#hurry = () => {
        timer.cancel()
        timer = clock.timer(Math.max(0, from + Math.min(ms, soonMs) - clock.monotonic()), end)
      }
      // Somebody came between the refusal and this.
      if (lastError !== undefined && this.#askedAfter === lastError) this.#hurry()
    })
  }
}

/** Whether a phase begins with a request that is not the first. */
function asksAgain({ isAgain }: Course, phase: Phase): boolean {
  if (!isAgain || phase.is === 'waiting' || phase.is === 'doubting' || phase.is === 'missing') return false
  return phase.is !== 'watching' || phase.stream === undefined
}

/** What a proof says; `false` where it fails, or the reflector is stopped before. */
function unlessStopped(course: Course, proof: Promise<boolean> | undefined): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (isProved: boolean): void => {
      course.underWay = undefined
      resolve(isProved)
    }
    course.underWay = { interrupt: () => settle(false) }
    if (proof === undefined) settle(false)
    else proof.then(settle, () => settle(false))
  })
}

/** A stream that has brought its initial state, or how it ended before; `undefined` where the reflector was stopped. */
function begun(course: Course, { resourceVersion }: Streaming): Promise<Stream | Ended | undefined> {
  return new Promise(resolve => {
    const stop = (): void => {
      stream.abort()
      resolve(undefined)
    }
    const settle = (outcome: Stream | Ended): void => {
      // Until somebody follows it: the next line may be a change whose handler stops it all.
      course.underWay = outcome instanceof Stream ? { interrupt: () => outcome.abort() } : undefined
      resolve(outcome)
    }
    const start = { resourceVersion, initialEvents: true }
    const stream: Stream = new Stream(course, start, { whole: () => settle(stream), ended: settle })
    course.underWay = { interrupt: stop }
  })
}
