import { asError, ignored, watched } from '@wherry/client/internal'
import { InformerStoppedError } from '../errors.ts'
import type { InformerState } from '../informer-state.ts'
import type { StoreWriter } from '../store/store-writer.ts'
import { follow } from './follow.ts'
import { check, list } from './list.ts'
import { type PreparedReflector, prepared, type ReflectorOptions } from './options.ts'
import type { Pacer } from './pacer.ts'
import type { Checking, Listing, Missing, Phase, Streaming, VerifyingNotServed, Waiting, Watching } from './phase.ts'
import { ReflectorContext, type ReflectorStats } from './reflector-context.ts'
import { nameOf } from './state.ts'
import { type Ended, Stream } from './stream.ts'
import {
  afterChecking,
  afterReading,
  afterStreaming,
  afterVerifying,
  isPermanent,
  longestWait,
  wholeState,
} from './transitions.ts'
import type { FillSource } from './writers.ts'

/** How long after `retryNow` a missing resource is looked for at short intervals, in milliseconds. */
const hopefulMs = 30_000

/** How long after a refusal the server is asked again for a new wait, in milliseconds. */
const soonMs = 1000

/** The minimum time between two calls of the function of one hold, in milliseconds. */
const heldAgainMs = 1000

/** How a writer joins a reflector that runs. */
export interface JoinOptions {
  /**
   * Returns all decoded objects of the reflector's state: the entries of a full store that it feeds. It is called when the
   * writer begins to join, and the objects are read in slices while changes go on.
   */
  readonly fill: () => FillSource
}

/**
 * One list/watch loop: keeps any number of stores ({@link StoreWriter}) at the state of one collection.
 *
 * It is a state machine (see {@link Phase}), and {@link Reflector.state} names its phase. Every failure leads to a phase that goes
 * on from it (rules R1–R23). It gives up only when stopped, or when its client was closed.
 *
 * **Guarantees.** A writer receives a whole state first, and then each later change once and in order. If the watch can't be
 * resumed, it receives a whole state again, at least as new as the last one, except for the counted rollbacks of rule R5.
 */
export class Reflector {
  readonly #context: ReflectorContext
  #state: InformerState = 'idle'
  /**
   * Resolves when the request under way has ended. `undefined` during a watch, because a pending promise for each of thousands of watches would cost
   * memory.
   */
  #running: Promise<void> | undefined
  #isBegun = false
  #wake: (() => void) | undefined
  #hurry: (() => void) | undefined
  /** The refusal after which somebody asked for another try. */
  #askedAfter: Error | undefined
  #retriedAt: number | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: ReflectorOptions | PreparedReflector) {
    this.#context = new ReflectorContext('settings' in options ? options : prepared(options))
  }

  get state(): InformerState {
    return this.#state
  }

  /** The resourceVersion of the last list, event or bookmark: the stores are at least as new. `undefined` without a state. */
  get lastSyncedResourceVersion(): string | undefined {
    return this.#context.resourceVersion
  }

  /** The last failure; `undefined` after a later watch was accepted. */
  get lastError(): Error | undefined {
    return this.#context.lastError
  }

  /** Whether it was proved that the server does not serve the resource, and no whole state was read since. */
  get isMissing(): boolean {
    return this.#context.isMissing
  }

  get stats(): ReflectorStats {
    return { ...this.#context.stats }
  }

  /** The number of writers. */
  get size(): number {
    return this.#context.writers.size
  }

  /** Starts the reflector. Does nothing if it has started. @throws InformerStoppedError after `stop` */
  start(): void {
    this.#mustLive()
    if (this.#isBegun) return
    this.#isBegun = true
    this.#running = this.#run(wholeState(this.#context))
  }

  /**
   * Adds a writer. After the start it needs `fill`: once the reflector has a state, the writer receives the objects of `fill`
   * and the changes meanwhile as its first snapshot, then every change. If the objects have to be listed again before that is done, the writer
   * receives that list instead.
   *
   * @throws InformerStoppedError after `stop`
   * @throws TypeError for a writer that was added already, and without `fill` after the start
   */
  add(writer: StoreWriter, options?: JoinOptions): void {
    this.#mustLive()
    const { writers } = this.#context
    if (writers.has(writer)) throw new TypeError('the reflector feeds this writer already')
    if (!this.#isBegun) writers.add(writer)
    else if (typeof options?.fill !== 'function') {
      throw new TypeError('a reflector that has begun takes another writer only with what to fill it from')
    } else writers.backfill(writer, options.fill)
  }

  /** Removes a writer, which stays open. Does nothing for an unknown writer. */
  remove(writer: StoreWriter): void {
    this.#context.writers.remove(writer)
  }

  /** Ends a wait at once, and restarts the backoff, because the next try may succeed. */
  retryNow(): void {
    this.#context.backoff.reset()
    this.#retriedAt = this.#context.clock.monotonic()
    this.#wake?.()
  }

  /**
   * Asks for an early retry, for a reader that begins to wait while there is no state because the server refused (401, 403, 404, 400 and the like). The
   * retry is made one second after the refusal, or at once if that is past. Later waits are not shortened.
   *
   * `isLasting`: the reader waits until the resource exists. For the next half minute the retries are frequent, as after
   * {@link Reflector.retryNow}.
   *
   * Returns whether there is a retry. Its answer is reported as usual.
   */
  tryNow(isLasting = false): boolean {
    if (isLasting) this.#retriedAt = this.#context.clock.monotonic()
    const { lastError, resourceVersion, stopped } = this.#context
    if (stopped || !this.#isBegun || resourceVersion !== undefined || !isPermanent(lastError)) return false
    this.#askedAfter = lastError
    this.#hurry?.()
    return true
  }

  /**
   * Lists all objects again, and reuses no stored object, because objects of the same version may have other contents, for example after a
   * conversion was added. Does nothing before the start.
   */
  relist(): void {
    if (!this.#isBegun || this.#context.stopped) return
    this.#context.doubt()
    this.#context.underWay?.relist?.()
  }

  /**
   * Stops the reflector. After the call, no listener is called and no writer is changed. The writers stay open.
   * Idempotent. Resolves when no request is under way.
   */
  stop(): Promise<void> {
    const context = this.#context
    if (!context.stopped) {
      context.stopped = true
      this.#state = 'stopped'
      context.underWay?.interrupt()
      context.writers.end()
      this.#wake?.()
    }
    return this.#running ?? Promise.resolve()
  }

  #mustLive(): void {
    if (this.#context.stopped) throw new InformerStoppedError(this.#context.name)
  }

  async #run(from: Phase): Promise<void> {
    const context = this.#context
    let phase = from
    while (!context.stopped && phase.is !== 'stopped') {
      if (context.settings.pacer !== undefined && asksAgain(context, phase))
        await this.#takeTurn(context.settings.pacer)
      if (context.stopped) break
      if (phase.is === 'watching' && (context.isUnfilled || context.isDoubted)) {
        phase.stream?.abort()
        phase = wholeState(context)
      }
      if (phase.is === 'streaming' || phase.is === 'listing') {
        const held = context.settings.held?.of(context.target)
        if (held !== undefined) await this.#untilReleased(held)
        if (context.isDoubted) phase = { ...phase, resourceVersion: '' }
      }
      if (context.stopped) break
      this.#enter(nameOf(phase, context.resourceVersion !== undefined))
      if (context.stopped) break
      if (phase.is === 'watching') return this.#watch(phase)
      phase = await this.#step(phase)
    }
    if (!context.stopped) {
      this.#enter('stopped')
      void this.stop()
    }
  }

  #enter(state: InformerState): void {
    if (this.#state === state) return
    if (state === 'watching') this.#context.isMissing = false
    this.#state = state
    this.#context.notify(() => this.#context.on.state?.(state))
  }

  /** Runs one phase to its end. Resolves with the next phase. */
  #step(phase: Exclude<Phase, { is: 'stopped' } | Watching>): Promise<Phase> {
    switch (phase.is) {
      case 'streaming':
        return this.#stream(phase)
      case 'listing':
        return this.#list(phase)
      case 'checking':
        return this.#check(phase)
      case 'waiting':
        return this.#wait(phase)
      case 'verifying':
        return this.#verify(phase)
      case 'missing':
        return this.#miss(phase)
    }
  }

  /** Follows the changes, and runs the next phase when the watch is over. */
  #watch({ stream }: Watching): void {
    this.#running = undefined
    void follow(this.#context, stream).then(next => {
      if (!this.#context.stopped) this.#running = this.#run(next)
    })
  }

  async #stream(phase: Streaming): Promise<Phase> {
    const context = this.#context
    const outcome = await opened(context, phase)
    if (outcome === undefined) return { is: 'stopped' }
    return outcome instanceof Stream ? { is: 'watching', stream: outcome } : afterStreaming(context, phase, outcome)
  }

  async #list(phase: Listing): Promise<Phase> {
    const context = this.#context
    try {
      await list(context, phase)
      if (phase.refusedStreaming) context.settings.streaming.refused(context.target.resource)
      return { is: 'watching' }
    } catch (error) {
      return context.stopped ? { is: 'stopped' } : afterReading(context, phase, error as Error)
    }
  }

  async #check(_: Checking): Promise<Phase> {
    const context = this.#context
    try {
      await check(context)
      return afterChecking(context, undefined)
    } catch (error) {
      return context.stopped ? { is: 'stopped' } : afterChecking(context, error as Error)
    }
  }

  async #wait({ ms, next }: Waiting): Promise<Phase> {
    this.#context.isAgain = true
    await this.#pause(ms)
    return next
  }

  async #verify(phase: VerifyingNotServed): Promise<Phase> {
    const context = this.#context
    const { target } = context
    const { context: client } = context.settings
    const asked = { isInNamespace: target.namespace !== undefined, hasState: context.resourceVersion !== undefined }
    const isProved = await unlessStopped(context, client.absence?.isProved(target.resource, asked))
    return context.stopped ? { is: 'stopped' } : afterVerifying(context, phase, isProved)
  }

  async #miss({ error }: Missing): Promise<Phase> {
    const context = this.#context
    const isNews = context.resourceVersion !== undefined
    context.resourceVersion = undefined
    if (isNews) context.clear()
    if (!context.isMissing) {
      context.isMissing = true
      context.notify(() => context.on.missing?.(error))
    }
    const isHopeful = this.#retriedAt !== undefined && context.clock.monotonic() - this.#retriedAt < hopefulMs
    await this.#pause(isHopeful ? context.backoff.next() : longestWait(context))
    return wholeState(context)
  }

  /** Waits for its turn at the pacer, unless the reflector is stopped or asked not to wait. */
  #takeTurn(pacer: Pacer): Promise<void> {
    return new Promise(resolve => {
      const pass = (): void => {
        this.#wake = undefined
        resolve()
      }
      const leave = pacer.enter(pass, this.#context.resourceVersion === undefined)
      if (leave === undefined) return resolve()
      this.#wake = () => {
        leave()
        pass()
      }
      this.#enter('waiting')
    })
  }

  /**
   * Waits until a list may begin, unless the reflector is stopped. If reads are still held when the promise has settled, the function of the hold is called at
   * most once a second.
   */
  async #untilReleased(first: Promise<void>): Promise<void> {
    const context = this.#context
    let held: Promise<void> | undefined = first
    while (held !== undefined && !context.stopped) {
      let againMs = heldAgainMs
      this.#enter('waiting')
      const woken = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      try {
        await Promise.race([held, woken])
      } catch (error) {
        if (context.stopped) return
        context.fail(asError(error, 'a function that holds reads back failed'), 'list')
        againMs = context.backoff.next()
      }
      this.#wake = undefined
      held = context.settings.held?.of(context.target)
      if (held === undefined) return
      // A rejection is handled at the next turn of the loop.
      watched(held, ignored)
      await this.#pause(againMs)
    }
  }

  /** Waits, unless the reflector is stopped, asked not to wait, or asked to retry. */
  #pause(ms: number): Promise<void> {
    const { clock, lastError, stopped } = this.#context
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
      // A reader has asked for a retry between the refusal and this wait.
      if (lastError !== undefined && this.#askedAfter === lastError) this.#hurry()
    })
  }
}

/** Whether a phase begins with a request that is not the first. */
function asksAgain({ isAgain }: ReflectorContext, phase: Phase): boolean {
  if (!isAgain || phase.is === 'waiting' || phase.is === 'verifying' || phase.is === 'missing') return false
  return phase.is !== 'watching' || phase.stream === undefined
}

/** The result of a proof; `false` if the proof fails, or the reflector is stopped before. */
function unlessStopped(context: ReflectorContext, proof: Promise<boolean> | undefined): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (isProved: boolean): void => {
      context.underWay = undefined
      resolve(isProved)
    }
    context.underWay = { interrupt: () => settle(false) }
    if (proof === undefined) settle(false)
    else proof.then(settle, () => settle(false))
  })
}

/** Resolves with a stream that has delivered its initial events, or with its end if it ended before; `undefined` if the reflector was stopped. */
function opened(context: ReflectorContext, { resourceVersion }: Streaming): Promise<Stream | Ended | undefined> {
  return new Promise(resolve => {
    const stop = (): void => {
      stream.abort()
      resolve(undefined)
    }
    const settle = (outcome: Stream | Ended): void => {
      // The stream has no follower yet, and a handler of the next change may stop the reflector.
      context.underWay = outcome instanceof Stream ? { interrupt: () => outcome.abort() } : undefined
      resolve(outcome)
    }
    const start = { resourceVersion, initialEvents: true }
    const stream: Stream = new Stream(context, start, { whole: () => settle(stream), ended: settle })
    context.underWay = { interrupt: stop }
  })
}
