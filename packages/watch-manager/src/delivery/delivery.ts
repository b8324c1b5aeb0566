import type { View } from '@wherry/client'
import { asError } from '@wherry/client/internal'
import type { Change, Cursor, Reset, Synced } from '@wherry/informer'
import { isThenable } from '../is-thenable.ts'
import type { SinkEvent } from '../sink.ts'
import { Barrier } from './barrier.ts'
import type { Worker } from './fair-scheduler.ts'
import type { ObjectEvent, RetryKey } from './retry-key.ts'
import { RetryKeys } from './retry-keys.ts'
import { Call, Running } from './running.ts'
import type { SinkLimits } from './sink-limits.ts'

/** The maximum number of changes that are taken from the cursor at once. While a sink stalls, they stay in memory and are not coalesced. */
const batchSize = 16

/** The maximum number of calls before other deliveries have their turn. */
const mostCalls = 32

/** The number of calls between two looks at the clock. */
const stride = 8

const nothing: readonly never[] = []

/** The result of one step: a call was made, a call was made and is awaited, or there is nothing to do for now. */
type Outcome = 'made' | 'awaited' | 'nothing'

/** The reason of a call that was rejected. */
interface Refusal {
  readonly reason: unknown
}

type Settled = (error: Refusal | undefined) => void

/** Receives a delivery's milestones. */
export interface DeliveryListener {
  /** Called when the sink has taken a `synced`. */
  synced(): void
  /** Called when somebody else has closed the cursor. */
  ended(): void
}

/**
 * Brings the changes of one view to a registrar's sink: one reader of the view's journal, at the sink's pace (rules W6–W12).
 *
 * A call that returns no promise costs none, so a synchronous sink receives a million events a second.
 */
export class Delivery<C> implements Worker {
  queued = false
  readonly #limits: SinkLimits<C>
  readonly #listener: DeliveryListener
  /** The view by which the sink knows the delivery. */
  #view: View<C>
  /** The view that the cursor reads. */
  #target: View<C>
  /** The view that the cursor reads after a move that is under way, if the move succeeds. */
  #expected: View<C> | undefined
  #cursor: Cursor<C> | undefined
  #batch: readonly Change<C>[] = nothing
  #at = 0
  #size = 1
  #takenAt = 0
  #barrier: Barrier<C> | undefined
  #held: RetryKeys<C> | undefined
  #running: Running | undefined
  #resets = 0
  /** The view of the last change, if it has the key of the sink's view: it saves the comparison of keys. */
  #same: View<C> | undefined
  /** Resolves the calls of {@link moved} that wait. */
  #awaitingMove: (() => void)[] | undefined
  #pauses = 0
  #stopped = false

  constructor(view: View<C>, limits: SinkLimits<C>, listener: DeliveryListener) {
    this.#view = view
    this.#target = view
    this.#limits = limits
    this.#listener = listener
  }

  /** Follows a cursor, which is at its start. */
  follow(cursor: Cursor<C>): void {
    this.#cursor = cursor
    this.#ready()
  }

  /** Makes no call until {@link resume} was called as often. */
  pause(): void {
    this.#pauses++
  }

  /** Takes back a call of {@link pause}. */
  resume(): void {
    this.#pauses--
    this.#ready()
  }

  /** Announces a move: the cursor may read this view from some change on. */
  expect(to: View<C>): void {
    this.#expected = to
  }

  /** Records that the cursor reads this view now. The sink is notified of that before its next event. */
  move(to: View<C>): void {
    this.#expected = undefined
    this.#target = to
    this.#ready()
  }

  /** Ends the delivery: no call begins after this, and waiting events are dropped. */
  stop(): void {
    this.#stopped = true
    for (const resolve of this.#awaitingMove?.splice(0) ?? nothing) resolve()
    this.#cursor?.close()
    this.#cursor = undefined
    this.#batch = nothing
    this.#at = 0
    this.#held?.clear()
    this.#barrier?.timer?.cancel()
    this.#limits.forget(this)
    this.#limits.passOn()
  }

  /** The views by which the sink may know this delivery: two while `rescoped` is running. */
  get known(): readonly View<C>[] {
    const isNotifying = this.#view !== this.#target && this.#barrier?.running === true
    return isNotifying ? [this.#view, this.#target] : [this.#view]
  }

  /** Resolves when the sink knows the delivery by the view that the cursor reads, or when the delivery was stopped. */
  async moved(): Promise<void> {
    if (!this.#isMoving || this.#stopped) return
    const waiting = this.#awaitingMove ?? []
    this.#awaitingMove = waiting
    await new Promise<void>(resolve => waiting.push(resolve))
  }

  /** Whether the sink knows another view than the view that the cursor reads, or may read soon. */
  get #isMoving(): boolean {
    return this.#view !== this.#target || this.#expected !== undefined
  }

  /** The subjects of the calls under way, except for calls that contain this one. */
  underWay(): readonly string[] {
    return this.#running?.callsOutside(this.#limits.context.current) ?? nothing
  }

  /** Resolves when no call is under way, except for calls that contain this one; with `all`, when those have ended, too. */
  async idle(all = false): Promise<void> {
    await this.#running?.idle(all ? undefined : this.#limits.context.current)
  }

  /** Changes that the sink has not taken yet. */
  get lag(): number {
    const left = this.#batch.length - this.#at
    return (this.#cursor?.lag ?? 0) + left + (this.#held?.size ?? 0) + (this.#barrier === undefined ? 0 : 1)
  }

  /** How long the oldest of them has been waiting, in milliseconds. */
  get lagMs(): number {
    const now = this.#limits.environment.clock.monotonic()
    const times = [...(this.#held?.values() ?? nothing)].map(({ since }) => since)
    if (this.#barrier !== undefined || this.#at < this.#batch.length) times.push(this.#takenAt)
    return times.reduce((longest, time) => Math.max(longest, now - time), this.#cursor?.lagMs ?? 0)
  }

  step(until: number): boolean {
    const { context, environment } = this.#limits
    let calls = 0
    let outcome = 'nothing' as Outcome
    const stretch = (call: Call): void => {
      do outcome = this.#one(call)
      while (
        outcome === 'made' &&
        ++calls < mostCalls &&
        (calls % stride !== 0 || environment.clock.monotonic() < until)
      )
    }
    // Each awaited call has a context of its own, which identifies the calls that are made within it.
    do {
      const call = new Call()
      context.within(call, stretch, call)
    } while (outcome === 'awaited' && environment.clock.monotonic() < until)
    this.#limits.passOn()
    return outcome !== 'nothing'
  }

  #one(call: Call): Outcome {
    if (this.#stopped || this.#pauses > 0) return 'nothing'
    if (this.#barrier === undefined && this.#target !== this.#view) this.#barrier = new Barrier()
    const barrier = this.#barrier
    const held = this.#held?.peek(barrier === undefined)
    if (held !== undefined) return this.#deliverHeld(held, call)
    if (barrier !== undefined) return this.#pass(barrier, call)
    // Without room for another call, no change is taken from the cursor, which coalesces the changes.
    if (!this.#limits.openToFresh) return this.#wait(true)
    if (this.#at === this.#batch.length && !this.#take()) return 'nothing'
    const event = this.#batch[this.#at] as Change<C>
    if (this.#expected !== undefined && event.view.key === this.#expected.key) {
      this.move(this.#expected)
      return 'made'
    }
    this.#pop()
    if (event.type === 'reset' || event.type === 'synced') {
      this.#barrier = new Barrier(event)
      return 'made'
    }
    const busy = this.#held?.get(event.key)
    if (busy === undefined) return this.#deliver(event, undefined, call)
    busy.put(event, this.#takenAt)
    return 'made'
  }

  /** Removes the first change of the batch. The batch keeps no delivered change. */
  #pop(): void {
    this.#at++
    if (this.#at < this.#batch.length) return
    this.#batch = nothing
    this.#at = 0
  }

  /** Takes further changes from the cursor. Returns false if there are none. */
  #take(): boolean {
    const cursor = this.#cursor
    if (cursor === undefined) return false
    this.#takenAt = this.#limits.environment.clock.monotonic()
    const batch = cursor.take(this.#size)
    this.#size = Math.min(this.#size * 2, batchSize)
    if (batch.length > 0) {
      this.#batch = batch
      return true
    }
    this.#rest()
    if (cursor.closed) {
      this.#cursor = undefined
      this.#listener.ended()
    } else {
      cursor.wake(this.#ready)
    }
    return false
  }

  /** Drops the structures that only work needs, because there is no work: a thousand deliveries may rest. */
  #rest(): void {
    if (this.#held?.size === 0) this.#held = undefined
    if (this.#running?.size === 0) this.#running = undefined
  }

  #deliverHeld(held: RetryKey<C>, call: Call): Outcome {
    const fresh = held.failures === 0
    if (!(fresh ? this.#limits.openToFresh : this.#limits.open)) return this.#wait(fresh)
    this.#held?.shift(held)
    if (!fresh) this.#limits.retried++
    return this.#deliver(held.take() as ObjectEvent<C>, held, call)
  }

  #deliver(event: ObjectEvent<C>, held: RetryKey<C> | undefined, call: Call): Outcome {
    let result: unknown
    try {
      result = this.#limits.sink.event(this.#asKnown(event))
      if (!isThenable(result)) {
        this.#succeeded(held)
        return 'made'
      }
    } catch (error) {
      this.#failed(event, held, error)
      return 'made'
    }
    const mine = held ?? this.#heldKeys().open(event.key)
    const fresh = mine.failures === 0
    if (fresh) this.#limits.fresh++
    this.#await(result, call, event.key, error => {
      if (fresh) this.#limits.fresh--
      if (error === undefined) this.#succeeded(mine)
      else this.#failed(event, mine, error.reason)
    })
    return 'awaited'
  }

  #succeeded(held: RetryKey<C> | undefined): void {
    this.#limits.delivered++
    if (held !== undefined && !this.#stopped) this.#held?.succeeded(held)
  }

  #failed(event: ObjectEvent<C>, held: RetryKey<C> | undefined, reason: unknown): void {
    this.#report(reason, event.key)
    if (!this.#stopped) this.#heldKeys().failed(held ?? this.#heldKeys().open(event.key), event)
  }

  /** Delivers a barrier (a reset, a synced, a move) once all earlier calls have settled. */
  #pass(barrier: Barrier<C>, call: Call): Outcome {
    if (barrier.timer !== undefined || (this.#running?.size ?? 0) > 0) return 'nothing'
    if (!this.#limits.open) return this.#wait(false)
    if (barrier.failures > 0) this.#limits.retried++
    if (barrier.event?.type === 'reset') this.#held?.forgetChanged()
    const { sink } = this.#limits
    const to = this.#target
    let result: unknown
    try {
      result = barrier.event === undefined ? sink.rescoped?.(this.#view, to) : sink.event(this.#about(barrier.event))
      if (!isThenable(result)) {
        this.#passed(barrier, to)
        return 'made'
      }
    } catch (error) {
      this.#refused(barrier, error)
      return 'made'
    }
    barrier.running = true
    this.#await(result, call, barrier.what, error => {
      barrier.running = false
      if (error === undefined) this.#passed(barrier, to)
      else this.#refused(barrier, error.reason)
    })
    return 'awaited'
  }

  #about(event: Reset<C> | Synced<C>): SinkEvent<C> {
    const known = this.#asKnown(event)
    return known.type === 'reset' ? known : { ...known, retrying: this.#held?.retrying() ?? [] }
  }

  /** The event under the view that the sink knows: the cursor names the view that its informer has by now. */
  #asKnown<E extends Change<C>>(event: E): E {
    if (event.view === this.#same) return event
    if (event.view.key !== this.#view.key) return { ...event, view: this.#view }
    this.#same = event.view
    return event
  }

  #passed({ event }: Barrier<C>, to: View<C>): void {
    if (this.#stopped) return
    this.#barrier = undefined
    if (event === undefined) {
      this.#view = to
      this.#same = undefined
      if (!this.#isMoving) for (const resolve of this.#awaitingMove?.splice(0) ?? nothing) resolve()
    } else if (event.type === 'reset') {
      if (this.#resets++ > 0) this.#limits.resets++
    } else {
      this.#listener.synced()
    }
  }

  #refused(barrier: Barrier<C>, reason: unknown): void {
    this.#report(reason)
    if (this.#stopped) return
    barrier.failures++
    const { environment } = this.#limits
    barrier.timer = environment.clock.timer(this.#limits.backoff(barrier.failures), () => {
      barrier.timer = undefined
      this.#ready()
    })
  }

  #await(result: PromiseLike<unknown>, call: Call, what: string, settled: Settled): void {
    this.#running ??= new Running()
    const running = this.#running
    running.begin(call, what)
    this.#limits.running++
    this.#size = 1
    Promise.resolve(result).then(
      () => this.#settle(running, call, settled),
      reason => this.#settle(running, call, settled, { reason }),
    )
  }

  #settle(running: Running, call: Call, settled: Settled, error?: Refusal): void {
    this.#limits.running--
    settled(error)
    running.end(call)
    this.#limits.passOn()
    this.#ready()
  }

  #heldKeys(): RetryKeys<C> {
    this.#held ??= new RetryKeys(this.#limits, this.#ready)
    return this.#held
  }

  #report(reason: unknown, key?: string): void {
    const { environment, registrar } = this.#limits
    environment.onError(asError(reason), { phase: `sink ${registrar}`, resource: this.#view.key, key })
  }

  #wait(fresh: boolean): Outcome {
    this.#limits.wait(this, fresh)
    return 'nothing'
  }

  readonly #ready = (): void => {
    if (!this.#stopped) this.#limits.scheduler.add(this)
  }
}
