import { abortSignal, checkFields, flag, number } from './check.ts'
import type { Clock } from './clock.ts'
import { ReadyKeys } from './core/ready.ts'
import { Runs } from './core/runs.ts'
import { AGAIN, DELAYED, READY, RUNNING, Slots } from './core/slots.ts'
import { Delays } from './delays.ts'
import { InvalidKeyError, NotRunningError } from './errors.ts'
import { GuardedObserver } from './guarded-observer.ts'
import type { RateLimiter } from './limiters/rate-limiter.ts'
import { OptionRangeError } from './option.ts'
import {
  type AddOptions,
  type AddRateLimitedOptions,
  checkedOptions,
  type StopOptions,
  type TakeOptions,
  type WorkQueueOptions,
} from './options.ts'
import { Takers } from './takers.ts'
import { unlessAborted } from './until.ts'

/** A key that is handed out. */
export interface UnfinishedKey<K = string> {
  readonly key: K
  /** The priority with which the key was handed out. */
  readonly priority: number
  /** The time since the key was handed out, in milliseconds. */
  readonly runningMs: number
}

/** `open`: takes keys. `draining`: takes none, and hands out pending keys. `stopped`: hands out none; some may still run. */
export type WorkQueueState = 'open' | 'draining' | 'stopped'

/**
 * A queue of keys to process, as client-go's `workqueue` and
 * controller-runtime's `priorityqueue`.
 *
 * **One entry a key.** A key is *pending* from its add until it is handed out: *ready*, or *delayed*
 * until its time. Adding a pending key again adds no entry: the key gets the higher of both priorities
 * and the earlier of both times. So an add without delay makes a delayed key ready, and ends its delay.
 *
 * **One run a key.** A key that is handed out *runs* until `done(key)`. It is not handed out again
 * before that, to any caller. If it is added while it runs, it is pending as well, and becomes ready when
 * it is done and its time has come: an add is never lost, however often and whenever it comes.
 *
 * **Order.** The ready key with the highest priority is next. Keys of equal priority come in the
 * order in which they became ready with it or were moved up to it (delayed keys that are due at the
 * same time: in the order of their adds). A key that was added while it ran becomes ready when it is
 * done, as the last of its priority.
 *
 * **Nothing starves.** A key that has been ready for `ageing.afterMs` (10 s) is aged. While the key
 * that has been ready the longest is aged, each `ageing.every`-th (4th) key that is handed out is that
 * key. So an aged key with m keys ready before it is at the latest the 4 × (m + 1)-th from then,
 * whatever is added meanwhile. A key that is moved up to a higher priority keeps its age.
 *
 * **Time.** A delayed key is never ready before its time, to the microsecond, and is ready as soon
 * as the clock's timer fires after it. One timer is set while keys are delayed, none otherwise.
 *
 * Keys are compared as in a `Map`: strings by value, objects by identity. `undefined` and `null`
 * are no keys. All methods but `take`, `stop` and iteration are synchronous.
 *
 * @example
 * ```ts
 * import { WorkQueue } from '@wherry/work-queue'
 *
 * const queue = new WorkQueue()
 * queue.add('arcade/chess')
 * for await (const key of queue) {
 *   const hasWorked = await fetch(`https://scores.example.com/${key}`).then(({ ok }) => ok, () => false)
 *   if (hasWorked) queue.forget(key)
 *   else queue.addRateLimited(key) // again after 5 ms, 10 ms, 20 ms …
 *   queue.done(key) // from now on take() may hand it out again
 * }
 * ```
 */
export class WorkQueue<K extends NonNullable<unknown> = string> implements AsyncIterable<K>, AsyncDisposable {
  readonly #clock: Clock
  readonly #limiter: RateLimiter<K>
  readonly #observer: GuardedObserver<K> | undefined
  readonly #slots = new Slots<K>()
  readonly #ready: ReadyKeys<K>
  readonly #delays: Delays
  readonly #runs = new Runs()
  readonly #takers = new Takers<K>()
  readonly #end = Promise.withResolvers<void>()
  /** How many keys are AGAIN. */
  #again = 0
  #lastTaken = 0
  #state: WorkQueueState = 'open'

  /** Does nothing until keys are added. Throws an `OptionTypeError` or an `OptionRangeError` for a wrong option. */
  constructor(options: WorkQueueOptions<K> = {}) {
    const { clock, rateLimiter, ageing, observer, onError } = checkedOptions(options)
    this.#clock = clock
    this.#limiter = rateLimiter
    this.#observer = observer && new GuardedObserver(observer, onError)
    this.#ready = new ReadyKeys(this.#slots, ageing)
    this.#delays = new Delays(clock, () => this.#onDue())
  }

  /** The number of keys that are pending and not delayed: the ready keys, and the running keys that will be ready when they are done. */
  get size(): number {
    return this.#ready.size + this.#again
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#delays.size
  }

  /** How many keys are handed out and not done. */
  get running(): number {
    return this.#runs.size
  }

  get state(): WorkQueueState {
    return this.#state
  }

  /**
   * Adds a key, to be handed out at once or after `afterMs`. For a key that is pending or runs, see
   * {@link WorkQueue}. Does nothing once the queue is stopped or drains.
   *
   * Without `priority` the add has priority 0, so it moves a pending key of low priority up.
   *
   * Throws for wrong options, and an `InvalidKeyError` for `undefined` and `null`.
   */
  add(key: K, options?: AddOptions): void {
    let priority = 0
    let afterMs = 0
    if (options !== undefined) {
      checkFields('add', options, addFields)
      priority = number('add.priority', options.priority, 0, anyNumber)
      afterMs = number('add.afterMs', options.afterMs, 0, fromZero)
    }
    checkKey(key)
    if (this.#state !== 'open') return
    this.#add(key, priority, afterMs)
    if (afterMs > 0) this.#observer?.report('retried', key, afterMs)
  }

  /**
   * Adds a key that failed: records the failure, and delays the key as the limiter decides.
   * Does nothing once the queue is stopped or drains.
   *
   * Call it before `done(key)`. Each call counts as a failure. A key that is ready, or due earlier,
   * keeps its time; only its priority may rise. Throws as `add` does, and the limiter's errors.
   */
  addRateLimited(key: K, options?: AddRateLimitedOptions): void {
    let priority = this.priorityOf(key) ?? 0
    if (options !== undefined) {
      checkFields('addRateLimited', options, addRateLimitedFields)
      priority = number('addRateLimited.priority', options.priority, priority, anyNumber)
    }
    checkKey(key)
    if (this.#state !== 'open') return
    const now = this.#clock.monotonic()
    const delayMs = this.#limiter.when(key, now, this.#dueAt(key, now))
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new OptionRangeError('rateLimiter', 'a limiter that gives milliseconds, 0 or more', `${delayMs}`)
    }
    this.#add(key, priority, delayMs)
    this.#observer?.report('retried', key, delayMs)
  }

  /** Forgets the failures of a key. Call it when the key has succeeded, and when it is gone; otherwise its failures are kept for ever. */
  forget(key: K): void {
    this.#limiter.forget(key)
  }

  /** How many failures of a key the limiter has noted since `forget`. */
  failures(key: K): number {
    return this.#limiter.failures(key)
  }

  /**
   * Removes a pending key. A run of the key goes on, but no other run follows.
   * The failures of the key stay. Returns whether the key was pending.
   */
  remove(key: K): boolean {
    const slot = this.#slots.find(key)
    if (slot === undefined) return false
    const flags = this.#slots.flags[slot] as number
    if ((flags & PENDING) === 0) return false
    if (flags & READY) this.#ready.remove(slot)
    if (flags & DELAYED) this.#delays.remove(slot)
    if (flags & AGAIN) this.#again -= 1
    this.#release(slot, flags & ~PENDING)
    this.#settle()
    return true
  }

  /**
   * The priority of a running key, or else of a pending key; undefined for
   * any other key. Pass it on when a run adds its own key again; otherwise the key comes before all keys of low priority.
   */
  priorityOf(key: K): number | undefined {
    const slot = this.#slots.find(key)
    if (slot === undefined) return undefined
    const { flags, priority, run } = this.#slots
    return (flags[slot] as number) & RUNNING ? this.#runs.get(run[slot] as number).priority : priority[slot]
  }

  /**
   * The remaining delay of a pending key, in milliseconds: 0 if the key is ready, or will be ready when its run is done;
   * undefined for a key that is not pending.
   */
  dueInMs(key: K): number | undefined {
    const now = this.#clock.monotonic()
    const due = this.#dueAt(key, now)
    return due === undefined ? undefined : Math.max(0, due - now)
  }

  /**
   * Hands out the next key, which runs until `done(key)`. Waits until there is one; callers get keys in the order of their calls.
   *
   * Resolves with undefined once the queue is stopped, or drains and nothing is pending. Rejects with
   * the signal's reason as soon as the signal is aborted, even if a key is ready.
   */
  async take(options?: TakeOptions): Promise<K | undefined> {
    if (options !== undefined) {
      checkFields('take', options, takeFields)
      abortSignal('take.signal', options.signal)
      options.signal?.throwIfAborted()
    }
    const key = this.tryTake()
    return key !== undefined || this.#hasEnded ? key : this.#takers.wait(options?.signal)
  }

  /** Hands out the next key, as `take` does, if one is ready; undefined otherwise. */
  tryTake(): K | undefined {
    if (this.#ready.size === 0) return undefined
    const now = this.#clock.monotonic()
    const slot = this.#ready.take(now)
    const slots = this.#slots
    this.#lastTaken = slot
    slots.flags[slot] = RUNNING
    slots.run[slot] = this.#runs.begin(slot, slots.priority[slot] as number, now)
    const key = slots.keyOf(slot)
    this.#observer?.report('taken', key, now - (slots.since[slot] as number))
    return key
  }

  /**
   * Ends the run of a key. If the key was added while it ran, it is now ready, or delayed.
   *
   * Throws a {@link NotRunningError} for a key that does not run.
   */
  done(key: K): void {
    const slots = this.#slots
    // Usually the key is the last taken one, which needs no look-up.
    const slot = slots.keyOf(this.#lastTaken) === key ? this.#lastTaken : slots.find(key)
    const flags = slot === undefined ? 0 : (slots.flags[slot] as number)
    if (slot === undefined || (flags & RUNNING) === 0) throw new NotRunningError(key)
    const run = slots.run[slot] as number
    const { startedAt } = this.#runs.get(run)
    this.#runs.end(run)
    if (flags & AGAIN) {
      this.#again -= 1
      slots.flags[slot] = READY
      this.#ready.push(slot)
    } else {
      this.#release(slot, flags & ~RUNNING)
    }
    this.#observer?.report('done', key, this.#clock.monotonic() - startedAt)
    this.#serve()
    this.#settle()
  }

  /** Hands out keys until the queue is stopped, as `take` does. Call `done` for each of them. */
  async *[Symbol.asyncIterator](): AsyncGenerator<K, undefined, undefined> {
    for (;;) {
      const key = await this.take()
      if (key === undefined) return undefined
      yield key
    }
  }

  /** By priority: the number of keys that are pending and not delayed (`workqueue_depth`). Only priorities with keys. */
  depths(): Map<number, number> {
    const depths = new Map(this.#ready.depths())
    const { flags, priority } = this.#slots
    for (const { slot } of this.#runs) {
      if (((flags[slot] as number) & AGAIN) === 0) continue
      const level = priority[slot] as number
      depths.set(level, (depths.get(level) ?? 0) + 1)
    }
    return depths
  }

  /**
   * The running keys, the longest-running first. The sum of all `runningMs` is `workqueue_unfinished_work_seconds`,
   * and the `runningMs` of the first key is `workqueue_longest_running_processor_seconds`.
   */
  unfinished(): UnfinishedKey<K>[] {
    const now = this.#clock.monotonic()
    return Array.from(this.#runs, ({ slot, priority, startedAt }) => ({
      key: this.#slots.keyOf(slot),
      priority,
      runningMs: now - startedAt,
    }))
  }

  /**
   * Accepts no more keys. Drops the pending keys; with `drain`, drops only the delayed keys and hands out the
   * rest, also keys that were added while they ran. Resolves when nothing is pending and nothing runs.
   *
   * A drain ends only if every pending key is taken, and every stop only if `done` is called for every run. An aborted
   * `signal` ends the wait: `stop` rejects with its reason. A second call can turn a drain into a drop, but not a drop into a drain.
   */
  async stop(options: StopOptions = {}): Promise<void> {
    checkFields('stop', options, ['drain', 'signal'])
    const { drain = false, signal } = options
    flag('stop.drain', drain)
    abortSignal('stop.signal', signal)
    if (!drain) this.#state = 'stopped'
    else if (this.#state === 'open') this.#state = 'draining'
    this.#drop()
    this.#settle()
    await unlessAborted(this.#end.promise, signal)
  }

  /** As `stop()`: drops pending keys and waits for running ones. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  get #hasEnded(): boolean {
    return this.#state !== 'open' && this.size === 0
  }

  #add(key: K, priority: number, afterMs: number): void {
    const slots = this.#slots
    const slot = slots.obtain(key)
    const flags = slots.flags[slot] as number
    if ((flags & PENDING) === 0) slots.priority[slot] = priority
    else if (priority > (slots.priority[slot] as number)) {
      if (flags & READY) this.#ready.raise(slot, priority)
      else slots.priority[slot] = priority
    }
    if (flags & (READY | AGAIN)) return
    const now = this.#clock.monotonic()
    if (afterMs > 0) {
      this.#delay(slot, now + afterMs, now)
    } else {
      if (flags & DELAYED) this.#delays.remove(slot)
      this.#makeReady(slot, now)
      this.#serve()
    }
  }

  #delay(slot: number, due: number, now: number): void {
    const flags = this.#slots.flags[slot] as number
    if (flags & DELAYED) {
      if (this.#delays.dueAt(slot) <= due) return
      this.#delays.remove(slot)
    }
    this.#slots.flags[slot] = flags | DELAYED
    this.#delays.add(slot, due, now)
  }

  /** Makes a key ready that is neither ready nor delayed: at once, or when it is done if it runs. */
  #makeReady(slot: number, now: number): void {
    const slots = this.#slots
    slots.since[slot] = now
    if ((slots.flags[slot] as number) & RUNNING) {
      slots.flags[slot] = RUNNING | AGAIN
      this.#again += 1
    } else {
      slots.flags[slot] = READY
      this.#ready.push(slot)
    }
    this.#observer?.report('added', slots.keyOf(slot), slots.priority[slot] as number)
  }

  #onDue(): void {
    const now = this.#clock.monotonic()
    for (let slot = this.#delays.takeDue(now); slot !== -1; slot = this.#delays.takeDue(now)) this.#makeReady(slot, now)
    this.#serve()
  }

  /** Hands ready keys to waiting takes. */
  #serve(): void {
    while (this.#takers.size > 0 && this.#ready.size > 0) {
      // The call leaves the line first, so that it gets its key even if an observer of `taken` stops the queue.
      const resolve = this.#takers.next()
      resolve?.(this.tryTake())
    }
  }

  /** Sets the flags of a key. A key without flags gives up its slot. */
  #release(slot: number, flags: number): void {
    if (flags !== 0) this.#slots.flags[slot] = flags
    else if (this.#slots.delete(slot)) this.#delays.shrink()
  }

  /** Drops the keys that a stopped or draining queue does not hand out. */
  #drop(): void {
    for (let slot = this.#delays.takeAny(); slot !== -1; slot = this.#delays.takeAny()) {
      this.#release(slot, (this.#slots.flags[slot] as number) & ~DELAYED)
    }
    if (this.#state === 'draining') return
    for (let slot = this.#ready.take(0); slot !== -1; slot = this.#ready.take(0)) this.#release(slot, 0)
    for (const { slot } of this.#runs) this.#slots.flags[slot] = RUNNING
    this.#again = 0
  }

  /** If the queue is stopped or drains, resolves the waiting takes once no key is left to hand out, and the stops once no key runs either. */
  #settle(): void {
    if (!this.#hasEnded) return
    this.#takers.end()
    if (this.#runs.size > 0) return
    this.#state = 'stopped'
    this.#end.resolve()
  }

  /** The time at which a pending key is due; undefined for any other key. */
  #dueAt(key: K, now: number): number | undefined {
    const slot = this.#slots.find(key)
    if (slot === undefined) return undefined
    const flags = this.#slots.flags[slot] as number
    if (flags & DELAYED) return this.#delays.dueAt(slot)
    return flags & PENDING ? now : undefined
  }
}

const PENDING = READY | DELAYED | AGAIN

const addFields = ['priority', 'afterMs']
const addRateLimitedFields = ['priority']
const takeFields = ['signal']
const anyNumber = { min: Number.NEGATIVE_INFINITY }
const fromZero = { min: 0 }

function checkKey(key: unknown): void {
  if (key === undefined || key === null) throw new InvalidKeyError()
}
