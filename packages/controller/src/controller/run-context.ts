import type { Client, Clock, FromServer, KubernetesObject, ObjectKey, Scope, View } from '@wherry/client'
import { milliseconds, parsedKey, sleep } from '@wherry/client/internal'
import { within } from '@wherry/informer/internal'
import type { WorkQueue } from '@wherry/work-queue'
import { type ApplyFor, applyDesired } from '../apply/apply.ts'
import type { ControllerApplies } from '../apply/controller-applies.ts'
import type { Applied, Apply } from '../apply/options.ts'
import { objectId } from '../apply/own-events.ts'
import { type Prune, prune } from '../apply/prune.ts'
import { RunApplies } from '../apply/run-applies.ts'
import { type ApplyStatus, applyStatus } from '../apply/status.ts'
import type { EventRecorder } from '../events/event-recorder.ts'
import { type Logger, loggerWith } from '../logging/logger.ts'
import type { Drive, RunWrite } from '../loops/causality.ts'
import type { LoopRun, Loops } from '../loops/loops.ts'
import { identityOf } from '../objects/identity.ts'
import { primaryView } from '../objects/no-primary.ts'
import { callName, type OpenCalls } from '../reads/open-calls.ts'
import type { Read } from '../reads/read.ts'
import type { Run } from '../reads/run.ts'
import type { TrackedReads } from '../reads/tracked-reads.ts'
import { type Cause, plainCause } from '../sources/cause.ts'
import { attempt } from '../sources/controller-source.ts'
import type { RunTrace, Traces } from '../tracing/traces.ts'
import type { ContextEvents, ReconcileContext } from './context.ts'
import type { ControllerDefinition } from './definition.ts'
import type { KeyState } from './key-state.ts'
import { type Gone, gone, type Ready, ready } from './ready.ts'

/** The parts that all runs of a controller share. */
export interface RunParts<C, S extends Scope> {
  readonly definition: ControllerDefinition<C, S>
  /** The client. Later reads see its writes. */
  readonly client: Client
  readonly reads: TrackedReads
  readonly applies: ControllerApplies
  readonly queue: WorkQueue
  readonly log: Logger
  readonly events: EventRecorder
  readonly loops: Loops
  readonly traces: Traces | undefined
  /** The identity of a key's primary object, even if the view drops it. */
  identity(key: string): KubernetesObject
}

/**
 * One run of a key, and the context of its reconcile. Its parts are made when the reconcile first uses them, because most runs of a large
 * controller find nothing to do.
 */
export class RunContext<C, S extends Scope> implements ReconcileContext<C, S>, LoopRun {
  /** `namespace/name` */
  readonly text: string
  readonly state: KeyState
  readonly attempt: number
  /** The start of the run, on the monotonic clock. */
  began = 0
  /** The trace of the run, if the operator traces. */
  trace: RunTrace | undefined
  /** Whether the run has ended: later reads reject, and no later call is tracked. */
  isOver = false
  /** Why the run was asked to end. */
  aborted: unknown
  /** To what extent writes of this process have caused the run: see {@link LoopRun}. */
  readonly drive: Drive | undefined
  writes: RunWrite[] | undefined
  written: LoopRun['written']
  restored: LoopRun['restored']
  readonly #parts: RunParts<C, S>
  #object: FromServer<C> | undefined
  /** The object's identity, if its projection leaves the uid out. */
  #unnamed: KubernetesObject | undefined
  #controller: AbortController | undefined
  #run: Run | undefined
  #client: Client | undefined
  #applied: RunApplies | undefined
  /** Whether the run has applied the status. */
  #hasStatus = false

  constructor(parts: RunParts<C, S>, text: string, state: KeyState, attempt: number) {
    this.#parts = parts
    this.text = text
    this.state = state
    this.attempt = attempt
    this.drive = state.drive
  }

  get key(): ObjectKey<S> {
    return parsedKey(primaryView(this.#parts.definition.for).resource, this.text)
  }

  get object(): FromServer<C> {
    return this.#object as FromServer<C>
  }

  set object(object: FromServer<C>) {
    this.#object = object
    // Later the object may be gone, or another object may have its name.
    if (metadataOf(object).uid === undefined) this.#unnamed = this.#parts.identity(this.text)
  }

  get read(): Read {
    return this.#begin().read
  }

  get client(): Client {
    this.#client ??= noted(this.#parts.client, this.#begin().calls, 'client')
    return this.#client
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted !== undefined) this.#controller.abort(this.aborted)
    }
    return this.#controller.signal
  }

  get now(): () => Date {
    const { clock } = this.#parts.client.environment
    return () => new Date(clock.now())
  }

  get sleep(): (ms: number) => Promise<void> {
    const { clock } = this.#parts.client.environment
    return ms => {
      milliseconds()('sleep', ms)
      return this.#begin().calls.note(sleep(clock, ms, this.signal), () => `sleep ${ms} ms`)
    }
  }

  get ready(): Ready {
    return (view, key, isReady, options) =>
      this.#begin().calls.note(ready(this.read, view, key, isReady, options), () => callName('ready', [view, key]))
  }

  get gone(): Gone {
    return (view, key, options) => {
      const { read, signal } = this
      const { client } = this.#parts
      return this.#begin().calls.note(gone({ read, client, signal }, view, key, options), () =>
        callName('gone', [view, key]),
      )
    }
  }

  get log(): Logger {
    const { log, definition, client } = this.#parts
    return loggerWith(log, { controller: definition.name, key: this.text }, client.environment.onError)
  }

  get apply(): Apply {
    return (view, desired, options) =>
      this.#begin().calls.note(applyDesired(this.#applyFor(), view, desired, options), () =>
        callName('apply', [view, desired]),
      )
  }

  get prune(): Prune {
    return (view, options) =>
      this.#begin().calls.note(prune({ ...this.#applyFor(), run: this.#begin() }, view, options), () =>
        callName('prune', [view]),
      )
  }

  get status(): ApplyStatus<C> {
    return (status, options) => {
      this.#hasStatus = true
      const about = { ...this.#applyFor(), objects: this.#parts.applies.statuses }
      return this.#begin().calls.note(applyStatus(about, status as object, options), () => 'status') as Promise<
        Applied<C>
      >
    }
  }

  #applyFor(): ApplyFor {
    this.#applied ??= new RunApplies()
    const { client, applies, queue } = this.#parts
    return {
      shared: applies,
      objects: applies.objects,
      client,
      key: this.text,
      owner: this.#identity,
      signal: this.signal,
      run: this.#begin(),
      applied: this.#applied,
      again: (afterMs, object) => {
        this.state.waits(object)
        runAfter(queue, this.text, this.state, afterMs)
      },
      warn: (reason, message) => {
        // A singleton has no primary object that an event could be about.
        if (this.#parts.definition.for === 'singleton') this.log.warn({ reason }, message)
        else this.events.record({ type: 'Warning', reason, message })
      },
      record: event => this.events.record(event),
      traceparent: () => this.trace?.parent,
      generation: metadataOf(this.#object).generation,
      fights: (object, managers) => this.#parts.loops.fights(this.text, object, managers),
    }
  }

  /** Names the calls that the run has begun and that have not ended. */
  get openCalls(): readonly string[] {
    return this.#run?.calls.names ?? []
  }

  get events(): ContextEvents {
    const { definition, events } = this.#parts
    return {
      record: event => events.record(primaryView(definition.for) as unknown as View, this.#identity, event),
      about: (of, object, event) => events.record(of, object, event),
    }
  }

  isApplied(id: string): boolean {
    if (this.#applied?.has(id) === true) return true
    return this.#hasStatus && id === objectId(primaryView(this.#parts.definition.for) as unknown as View, this.text)
  }

  /** Asks the reconcile to end. */
  abort(reason: Error): void {
    this.aborted ??= reason
    this.#controller?.abort(this.aborted)
  }

  /** Throws if the run was asked to end, so that it begins nothing more. */
  check(): void {
    if (this.aborted !== undefined) throw this.aborted
  }

  /** Resolves when none of its calls is open, after a while in any case. */
  async settled(clock: Clock): Promise<void> {
    const calls = this.#run?.calls
    if (calls !== undefined && calls.size > 0) await within(calls.settled(), settledMs, clock)
  }

  /** Ends the run. After a success its reads replace the key's dependencies; after a failure they are added to those of the last success. */
  end(succeeded: boolean): void {
    // Even if this run has read nothing, its end changes the key's dependencies.
    if (this.#run === undefined && !this.#parts.reads.isReader(this.text)) return
    const run = this.#run ?? this.#opened()
    if (succeeded) run.succeed()
    else run.fail()
  }

  /** The identity of the run's object at the start: by now it may be gone, or another object may have its name. */
  get #identity(): KubernetesObject {
    return this.#unnamed ?? identityOf(this.key, metadataOf(this.#object))
  }

  #begin(): Run {
    this.#run ??= this.isOver ? this.#parts.reads.ended(this.text) : this.#opened()
    if (this.trace !== undefined) this.#run.calls.onCall ??= this.#traced
    return this.#run
  }

  /** Notes a call in the trace, with its times. */
  readonly #traced = (call: Promise<unknown>, name: () => string): void => {
    const { definition, client } = this.#parts
    const { clock } = client.environment
    const began = clock.monotonic() - this.began
    const about = { phase: `trace ${definition.name}`, key: this.text }
    const ended = (error?: unknown): void => {
      const call = (): void => this.trace?.call(name(), began, clock.monotonic() - this.began, error)
      attempt(call, undefined, client.environment, about)
    }
    call.then(
      () => ended(),
      error => ended(error ?? new Error('rejected with nothing')),
    )
  }

  #opened(): Run {
    const { namespace } = this.key as { readonly namespace?: string }
    return this.#parts.reads.begin(this.text, { namespace, uid: this.#identity.metadata?.uid }, this.signal)
  }
}

export const due: Cause = plainCause('reconcile', 'due')

/** Makes a key run again after a time, in milliseconds. */
export function runAfter(queue: WorkQueue, key: string, state: KeyState, afterMs: number): void {
  state.add(due)
  queue.add(key, { afterMs, priority: queue.priorityOf(key) })
}

/** How long a failed run waits for its calls that are under way, in milliseconds. */
const settledMs = 1000

function metadataOf(object: unknown): NonNullable<KubernetesObject['metadata']> {
  return (object as KubernetesObject | undefined)?.metadata ?? {}
}

/** A client that records its calls until they end (rule A9), and otherwise behaves as `target`. */
function noted<T extends object>(target: T, calls: OpenCalls, path: string): T {
  return new Proxy(target, {
    get: (_, member) => {
      const value: unknown = Reflect.get(target, member, target)
      const name = `${path}.${String(member)}`
      if (member === 'status' || member === 'scale') return noted(value as object, calls, name)
      if (typeof value !== 'function' || member === 'constructor') return value
      return (...args: unknown[]): unknown => {
        const result: unknown = value.apply(target, args)
        return result instanceof Promise ? calls.note(result, () => callName(name, args)) : result
      }
    },
  })
}
