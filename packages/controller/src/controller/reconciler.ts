import { type FromServer, isApplyConflict, type ObjectKey, type Scope, type Timer, type View } from '@wherry/client'
import { asError, resourceName } from '@wherry/client/internal'
import { isWriteConflict } from '@wherry/hash-compare'
import { isDelay } from '../apply/errors.ts'
import { primaryView } from '../objects/no-primary.ts'
import { traceParentOf } from '../objects/traceparent.ts'
import type { ControllerShard } from '../shards/controller-shard.ts'
import { plainCause } from '../sources/cause.ts'
import { attempt } from '../sources/controller-source.ts'
import { UsageError } from '../usage-error.ts'
import { reconciling } from './current-run.ts'
import { ControllerStoppedError, NotReadyError, ReconcileTimeoutError, TerminalError } from './errors.ts'
import type { KeyState, KeyStates, LastRun, Outcome } from './key-state.ts'
import { fateOf } from './left.ts'
import { readResult } from './result.ts'
import { due, RunContext, type RunParts, runAfter } from './run-context.ts'
import type { RunRecords } from './run-records.ts'

/** The parts of a {@link Reconciler}. */
export interface ReconcilerParts<C, S extends Scope> extends RunParts<C, S> {
  readonly states: KeyStates
  readonly runs: RunRecords | undefined
  /** The part of the controller that this process runs; `undefined` without shards. */
  readonly shard?: ControllerShard | undefined
  /** The version of an object that this shard is to release; `undefined` for all others. */
  drainedVersion?(key: string): string | undefined
  /**
   * The primary object from the cache, or a promise if the cache may be older than a write of this process. Throws or rejects
   * if the object could not be transformed or read.
   */
  get(key: string, signal: () => AbortSignal): C | undefined | Promise<C | undefined>
}

/** Runs the keys that workers hand to it (rule C2), and asks the queue to run a key again if its outcome needs that. */
export class Reconciler<C, S extends Scope> {
  readonly #parts: ReconcilerParts<C, S>
  readonly #labels: { readonly controller: string }
  /** The running runs, the oldest first. An array, because the old tables of a Set would keep ended runs in memory until a full collection. */
  readonly #runs: RunContext<C, S>[] = []
  #stopped: Error | undefined
  /** Whether `onError` was informed that a key asks again and again to run at once. */
  #isHurryReported = false

  constructor(parts: ReconcilerParts<C, S>) {
    this.#parts = parts
    this.#labels = { controller: parts.definition.name }
  }

  /** A primary object has gone. */
  gone(key: string, last: C): void {
    const { states, definition } = this.#parts
    const { onGone, onLeft } = definition
    states.obtain(key).gone = { last: (onGone ?? onLeft) && last }
  }

  /** Names the calls that the run of a key has begun and that have not ended. */
  openCalls(key: string): readonly string[] {
    return this.#runs.find(({ text }) => text === key)?.openCalls ?? []
  }

  /** Ends the running runs, and all later ones. */
  stop(reason: Error): void {
    this.#stopped ??= reason
    for (const run of [...this.#runs]) run.abort(this.#stopped)
  }

  /** Runs a key that was handed out. Never rejects. */
  async run(key: string): Promise<void> {
    const { client, queue, states } = this.#parts
    const { clock, metrics } = client.environment
    const state = states.obtain(key)
    const run = new RunContext(this.#parts, key, state, queue.failures(key) + 1)
    if (this.#stopped !== undefined) run.abort(this.#stopped)
    const startedAt = clock.now()
    state.begin(startedAt, run.attempt)
    this.#runs.push(run)
    metrics.gauge('controller_runtime_active_workers', this.#runs.length, this.#labels)
    const began = clock.monotonic()
    run.began = began
    const timer = this.#bound(run)
    let outcome: Outcome
    let failure: unknown
    try {
      outcome = await this.#attempt(run)
    } catch (error) {
      // Somebody may throw `undefined`: the run has failed all the same.
      failure = error ?? asError(error)
      outcome = this.#failed(run, error)
    }
    timer?.cancel()
    const tookMs = clock.monotonic() - began
    // Other applies of the failed run may be under way, and must be tracked too.
    if (failure !== undefined) await run.settled(clock)
    run.isOver = true
    this.#runs.splice(this.#runs.indexOf(run), 1)
    try {
      if (outcome !== 'gone') run.end(failure === undefined)
    } catch (error) {
      this.#report(error, key)
    }
    state.end(outcome, tookMs, failure)
    const isDone = outcome === 'success' || outcome === 'requeue_after'
    this.#parts.loops.ran(run, isDone, state.drive, state.hurried > mostHurried)
    const { trace } = run
    const end = { outcome, tookMs, hasWritten: run.writes !== undefined, error: failure }
    if (trace !== undefined) this.#tracing(key, () => trace.end(end))
    this.#notify(run, outcome, tookMs)
    // The object does not exist, so its state is not needed, unless the key runs again. The run for its deletion may wait for further events.
    if (outcome === 'gone' && state.pending === undefined && state.gone === undefined) states.delete(key)
    metrics.gauge('controller_runtime_active_workers', this.#runs.length, this.#labels)
    metrics.observe('controller_runtime_reconcile_time_seconds', tookMs / 1000, this.#labels)
    const result = results[outcome]
    if (result !== undefined) metrics.count('controller_runtime_reconcile_total', { ...this.#labels, result })
  }

  async #attempt(run: RunContext<C, S>): Promise<Outcome> {
    const { queue, definition } = this.#parts
    const { text: key, state } = run
    run.check()
    if (await this.#release(run)) return 'gone'
    if (state.gone !== undefined) await this.#handleGone(run, state.gone.last as FromServer<C>)
    const found = this.#parts.get(key, () => run.signal)
    const object = found instanceof Promise ? await found : found
    if (object === undefined) return 'gone'
    run.check()
    run.object = object as FromServer<C>
    this.#trace(run, object)
    const reconcile = (): ReturnType<typeof definition.reconcile> => reconciling.run(run, definition.reconcile, run)
    const result = await (run.trace === undefined ? reconcile() : run.trace.within(reconcile))
    // The reconcile ended after its signal was aborted, so it has failed, even if it returned.
    if (this.#stopped === undefined && run.aborted !== undefined) throw run.aborted
    const { openCalls } = run
    if (this.#stopped === undefined && openCalls.length > 0) {
      const message = `the reconcile has returned, and did not await: ${openCalls.join(', ')}`
      throw new UsageError('NOT_AWAITED', message)
    }
    const returned = readResult(result)
    const goesOn = this.#stopped === undefined
    queue.forget(key)
    if (goesOn && returned.outcome === 'requeue_after') this.#later(key, state, returned.ms)
    else state.hurried = 0
    return returned.outcome
  }

  #trace(run: RunContext<C, S>, object: C): void {
    const { traces, definition } = this.#parts
    if (traces === undefined) return
    const { text: key, attempt: count, state } = run
    const { cause, lastRun } = state
    const [own, other] = [traceParentOf(object), cause?.trace]
    // The change may be of the primary object itself.
    const isSame = own?.spanId === other?.spanId && own?.traceId === other?.traceId
    const links = (isSame ? [own] : [own, other]).filter(link => link !== undefined)
    const startedAt = lastRun?.startedAt as number
    const { name: controller } = definition
    run.trace = this.#tracing(key, () => traces.begin({ controller, key, attempt: count, cause, startedAt, links }))
  }

  /** Calls the tracer. If it throws, for example in a processor of spans, the run goes on. */
  #tracing<T>(key: string, call: () => T): T | undefined {
    const { client, definition } = this.#parts
    return attempt(call, undefined, client.environment, { phase: `trace ${definition.name}`, key })
  }

  /** Makes a key run again after a time. A key that asks again and again to run at once waits for as long as after a first failure. */
  #later(key: string, state: KeyState, ms: number): void {
    const { queue, definition, client } = this.#parts
    state.hurried = ms < hurryMs ? state.hurried + 1 : 0
    if (state.hurried <= mostHurried) return runAfter(queue, key, state, ms)
    const waitMs = this.#parts.loops.waitMs(key, due)
    if (waitMs > 0) return runAfter(queue, key, state, waitMs)
    state.add(due)
    // The key waits for the limiter's first delay, and this does not count as a failure.
    queue.addRateLimited(key)
    queue.forget(key)
    if (this.#isHurryReported) return
    this.#isHurryReported = true
    const message = `${mostHurried + 1} runs in a row of ${key} in the controller ${definition.name} returned requeueAfterMs: ${ms}. Return the time until something may have changed: a key that asks for no time now waits for the rate limiter's first delay.`
    client.environment.onWarning(message, { resource: resourceOf(definition.for) })
  }

  #retry(key: string, state: KeyState): void {
    state.add(retry)
    state.isRetrying = true
    this.#parts.queue.addRateLimited(key)
  }

  /** Gives up an object that the shard is to release. Resolves with whether it is such an object. */
  async #release({ key, text, state, signal, log }: RunContext<C, S>): Promise<boolean> {
    const { client, reads, queue, definition } = this.#parts
    const shard = this.#parts.shard?.assigned
    if (shard === undefined) return false
    const version = this.#parts.drainedVersion?.(text)
    if (version === undefined) {
      shard.begins(text)
      return false
    }
    // Another shard handles the end of the object.
    state.gone = undefined
    reads.forget(text)
    if (await shard.giveUp(key as ObjectKey, version, client, signal)) {
      client.environment.metrics.count('wherry_shard_released_total', { controller: definition.name })
      log.info({ ring: shard.ring, shard: shard.name }, 'released, for another shard')
    }
    queue.forget(text)
    return true
  }

  /** Calls `onGone` or `onLeft` for an object that is no longer in the view, and forgets its key's reads and failures. */
  async #handleGone(run: RunContext<C, S>, last: FromServer<C>): Promise<void> {
    const { definition, reads, queue, client } = this.#parts
    const shard = this.#parts.shard?.assigned
    const { onGone, onLeft } = definition
    const { text: key, state, signal, log } = run
    const { gone } = state
    if (onGone !== undefined || onLeft !== undefined) {
      const fate = await fateOf(
        client,
        primaryView(definition.for) as unknown as View,
        run.key as ObjectKey,
        last,
        signal,
        shard && (labels => shard.isOurs(labels)),
      )
      // If the object is back in the view, its key runs as usual.
      const then = fate === 'left' ? onLeft : fate === 'gone' ? onGone : undefined
      if (then !== undefined) await reconciling.run(run, then, { key: run.key, last, client, signal, log })
    }
    reads.forget(key)
    queue.forget(key)
    // Another object of that name may have been deleted meanwhile.
    if (state.gone === gone) state.gone = undefined
  }

  #failed(run: RunContext<C, S>, given: unknown): Outcome {
    const { queue, client, definition } = this.#parts
    const { environment } = client
    const { text: key, state } = run
    if (this.#stopped !== undefined) {
      if (given !== this.#stopped && !isAbort(given)) this.#report(given, key)
      return 'aborted'
    }
    // A run that has timed out has failed, even if it would only wait.
    const waits = isDelay(given) || given instanceof NotReadyError
    const thrown = waits && run.aborted !== undefined ? run.aborted : given
    // The refusal was a failure, and was reported. The key runs again when the write may be sent.
    if (isDelay(thrown)) return 'delayed'
    if (thrown instanceof NotReadyError) {
      queue.forget(key)
      return 'waiting'
    }
    environment.metrics.count('controller_runtime_reconcile_errors_total', this.#labels)
    if (thrown instanceof TerminalError) {
      environment.metrics.count('controller_runtime_terminal_reconcile_errors_total', this.#labels)
      queue.forget(key)
      this.#report(thrown, key)
      return 'terminal'
    }
    // Reading the object again resolves a write conflict, but no conflict with the owner of a field.
    if (isWriteConflict(thrown) && !isApplyConflict(thrown) && run.attempt <= mostConflicts) {
      const fields = { ...this.#labels, resource: resourceOf(definition.for), key, err: thrown }
      environment.log('info', 'a conflict: tried again with what is there now', fields)
    } else if (run.aborted === undefined || thrown !== run.aborted) this.#report(thrown, key)
    this.#retry(key, state)
    return 'error'
  }

  /** Bounds how long a run takes. */
  #bound(run: RunContext<C, S>): Timer | undefined {
    const { client, definition } = this.#parts
    const { name, reconcileTimeoutMs: ms = Number.POSITIVE_INFINITY } = definition
    if (ms === Number.POSITIVE_INFINITY) return undefined
    const { clock, metrics } = client.environment
    return clock.timer(ms, () => {
      const error = new ReconcileTimeoutError(name, run.text, ms)
      metrics.count('controller_runtime_reconcile_timeouts_total', this.#labels)
      this.#report(error, run.text)
      run.abort(error)
    })
  }

  /** Logs one line for each run, with its cause, and counts it. */
  #notify({ text: key, state, attempt }: RunContext<C, S>, outcome: Outcome, tookMs: number): void {
    const { runs, client, definition } = this.#parts
    const { environment } = client
    const { cause } = state
    if (runs?.isRead === true)
      runs.report({
        ...(state.lastRun as LastRun),
        controller: definition.name,
        key,
        outcome,
        tookMs,
        loop: this.#parts.loops.of(key),
        missed: 0,
      })
    const { source = 'reconcile', change = 'retry', view, object, from, to, changes } = cause ?? {}
    environment.metrics.count('wherry_runs_by_cause_total', { ...this.#labels, source, change })
    environment.log('debug', 'reconciled', {
      ...{ ...this.#labels, key, outcome, attempt, tookMs: Math.round(tookMs * 1000) / 1000 },
      ...{ source, change, view, object, from, to, ...changes },
    })
  }

  #report(thrown: unknown, key: string): void {
    const { client, definition } = this.#parts
    client.environment.onError(asError(thrown), {
      phase: `reconcile ${definition.name}`,
      resource: resourceOf(definition.for),
      key,
    })
  }
}

/** The resource of the keys, for logs; `undefined` for a singleton. */
function resourceOf(of: Pick<View, 'resource'> | 'singleton'): string | undefined {
  return of === 'singleton' ? undefined : resourceName(of.resource)
}

/** The number of conflicts in a row that are not reported as errors. */
const mostConflicts = 15

/** A `requeueAfterMs` that is shorter than this means "at once", and how many runs in a row of a key may ask for that. */
const hurryMs = 5
const mostHurried = 10

const retry = plainCause('reconcile', 'retry')

/** controller-runtime's names of the outcomes. */
const results: Readonly<Partial<Record<Outcome, string>>> = {
  success: 'success',
  gone: 'success',
  requeue_after: 'requeue_after',
  delayed: 'requeue_after',
  waiting: 'success',
  error: 'error',
  terminal: 'error',
}

/** Whether an error is the one with which calls reject when their signal is aborted. */
function isAbort(thrown: unknown): boolean {
  // An error may be its own cause.
  const seen = new Set<unknown>()
  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    if (error instanceof ControllerStoppedError || error.name === 'AbortError') return true
    seen.add(error)
  }
  return false
}
