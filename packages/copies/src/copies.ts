import type {
  ApiError,
  Client,
  Environment,
  FullObject,
  KubernetesObject,
  PartialObjectMetadata,
  Scope,
  View,
} from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import { namespaces } from '@wherry/client/resources/core'
import {
  type Applied,
  type Cause,
  type CauseChange,
  type ControllerDefinition,
  ImmutableFieldError,
  NotOursError,
  type ReconcileContext,
  type ReconcileResult,
} from '@wherry/controller'
import { type AppliedObject, type ControllerSourceTarget, handles, handlesApplied } from '@wherry/controller/internal'
import { ExponentialRateLimiter } from '@wherry/work-queue'
import { CopiesFailedError, CopyNameTakenError } from './errors.ts'
import { isImmutable } from './immutable.ts'
import { copySetLabel } from './marks.ts'
import { type CopiesOptions, checkCopiesOptions, isOfCopies } from './options.ts'
import { PendingCopies, type Reason } from './pending-copies.ts'
import { type CopiesReport, CopyCounts } from './report.ts'
import { type Source, Sources } from './sources.ts'
import { Statuses } from './statuses.ts'

/** The connection of the controller of copies to its operator. */
interface Connected {
  readonly target: ControllerSourceTarget
  /** The cache of the copies. */
  readonly copies: { get(key: string): AppliedObject | undefined; readonly size: number }
}

/** The outcome for a copy. `kept`: it is checked again in the next run of its namespace. `afterMs`: that run comes after so many milliseconds at most. */
type Outcome = 'done' | 'kept' | { readonly afterMs: number }

type Context = Pick<ReconcileContext<PartialObjectMetadata, 'cluster'>, 'apply' | 'client' | 'events' | 'signal'>

/**
 * Keeps copies of sources in namespaces: creates missing copies, updates copies that differ, deletes copies that are no longer wanted, and sends
 * no request for other copies. Add its controller to an operator.
 *
 * The controller's keys are namespaces. In a namespace it checks only the copies that an event was about, so the cost of an event does not depend on
 * the number of copies. Each copy is written by a server-side apply, which owns the fields that `build` or `adapt` returns, and the marks of the set.
 * Fields that others add stay.
 *
 * All state is in the API server: a copy has the set's label, and the controller's field manager owns its fields. An object that has a copy's name
 * but neither the label nor fields of this manager is left alone (`CopyNameTakenError`). Only objects that this manager has applied are deleted.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Operator } from '@wherry/controller'
 * import { Copies } from '@wherry/copies'
 *
 * const operator = new Operator({ name: 'settings-operator', client: await Client.connect() })
 * const [source, targets] = [configMaps.within({ namespaces: ['shared'] }), { tenant: 'true' }]
 * const copies = new Copies({ name: 'settings', source, copies: configMaps, targets, build: ({ data }) => ({ data }) })
 * operator.add(copies.controller)
 * await operator.run()
 * ```
 */
export class Copies<P, T extends KubernetesObject> {
  readonly name: string
  /** The controller to pass to `operator.add(…)`, once. */
  readonly controller: ControllerDefinition<PartialObjectMetadata, 'cluster'>
  readonly #options: CopiesOptions<P, T>
  readonly #concurrency: number
  readonly #maxRetryMs: number
  readonly #sources: Sources<P, T>
  readonly #view: View<T, 'namespaced'>
  readonly #sourceView: View<P>
  readonly #statuses: Statuses<P, T> | undefined
  readonly #pending = new PendingCopies()
  /** The states of the namespaces for which all copies were made pending last. */
  readonly #namespaces = new Map<string, PartialObjectMetadata>()
  readonly #counts: CopyCounts
  #isEnabled: boolean
  #connected: Connected | undefined
  /** Whether the server is known not to serve the sources. */
  #isSourceMissing: () => boolean = () => false

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: CopiesOptions<P, T>) {
    checkCopiesOptions(options)
    const { name, source, copies, enabled = true, concurrency = 5, maxRetryMs = 60_000 } = options
    this.name = name
    this.#options = options
    this.#concurrency = concurrency
    this.#maxRetryMs = maxRetryMs
    this.#isEnabled = enabled
    this.#sources = new Sources(options)
    this.#counts = new CopyCounts(name)
    this.#view = copies.within({ labels: { [copySetLabel]: name } })
    this.#sourceView = isOfCopies(options) ? source.within({ labels: `!${copySetLabel}` }) : source
    this.#statuses = options.status && new Statuses(this.#view, options, this.#counts)
    this.controller = {
      name: `copies-${name}`,
      for: namespaces.metadata() as View<PartialObjectMetadata, 'cluster'>,
      sources: [
        this.#receivesCopies(),
        this.#receivesSources(),
        ...(this.#statuses === undefined ? [] : [this.#statuses.source]),
      ],
      concurrency,
      rateLimiter: new ExponentialRateLimiter({ baseMs: 50, maxMs: maxRetryMs }),
      reconcile: context => this.#reconcile(context),
      onGone: ({ key }) => {
        this.#namespaces.delete(key.name)
        this.#counts.forget(`${key.name}/`)
        this.#pending.take(key.name)
      },
    }
  }

  /** Whether copies are enabled. */
  get isEnabled(): boolean {
    return this.#isEnabled
  }

  /** Enables the copies. */
  enable(): void {
    this.#switch(true)
  }

  /** Disables the copies: deletes the copies that this program made. */
  disable(): void {
    this.#switch(false)
  }

  /** Checks every copy again. Sends no request for correct copies. Does nothing before the controller has started. */
  resync(): void {
    for (const namespace of this.#connected?.target.all() ?? []) {
      for (const name of this.#sources.names()) this.#pending.putBack(namespace, name, 'found')
      this.#connected?.target.enqueue(namespace, causeOf('resync'), true)
    }
  }

  /** A summary of the current state. */
  report(): CopiesReport {
    return {
      name: this.name,
      isEnabled: this.#isEnabled,
      sources: this.#sources.size,
      copies: this.#connected?.copies.size ?? 0,
      ...this.#counts.report(),
    }
  }

  #switch(isEnabled: boolean): void {
    if (this.#isEnabled === isEnabled) return
    this.#isEnabled = isEnabled
    for (const name of this.#sources.names()) this.#lookEverywhere(name, causeOf(isEnabled ? 'enabled' : 'disabled'))
  }

  /** Makes the copies with this name pending in all namespaces. */
  #lookEverywhere(name: string, cause: Cause, isInitial = false): void {
    const { target } = this.#connected ?? {}
    for (const namespace of target?.all() ?? []) {
      this.#pending.add(namespace, name, isInitial ? 'found' : 'changed')
      target?.enqueue(namespace, cause, isInitial)
    }
  }

  #receivesSources() {
    return handles<P>(this.#sourceView, (target, informer) => {
      this.#isSourceMissing = () => informer.state === 'missing'
      const { view } = informer
      const named = (key: string, isPresent: boolean, name: () => string): string | undefined => {
        try {
          return name()
        } catch (error) {
          // The error of a former state was reported when that state was present.
          if (!isPresent) return undefined
          this.#counts.failed(sourceText(key), error as Error)
          target.environment.onError(error as Error, { phase: `copies ${this.name}`, resource: view.key, key })
          return undefined
        }
      }
      const changed = (change: CauseChange, key: string, old: P | undefined, now: P | undefined, isInitial = false) => {
        const before = old === undefined ? undefined : named(key, false, () => this.#sources.nameOf(key, old))
        if (before !== undefined) this.#sources.delete(key, before)
        this.#counts.succeeded(sourceText(key))
        const after = now === undefined ? undefined : named(key, true, () => this.#sources.set(key, now))
        const cause = causeOf('watches', change, view as View, key)
        for (const name of new Set([before, after])) {
          if (name === undefined) continue
          this.#lookEverywhere(name, cause, isInitial)
          this.#reportRivals(name, target.environment)
        }
      }
      return {
        add: (object, { key, isInInitialList }) =>
          changed(isInInitialList ? 'initial' : 'added', key, undefined, object, isInInitialList),
        update: (object, { old, key }) => changed('updated', key, old, object),
        delete: (object, { key }) => changed('deleted', key, object, undefined),
      }
    })
  }

  #receivesCopies() {
    return handlesApplied(this.#view as unknown as View, (target, informer) => {
      this.#connected = { target, copies: informer }
      this.#counts.measureWith(target.environment.metrics)
      const view = this.#view as unknown as View
      const received = (change: CauseChange, key: string, by: string | undefined): void => {
        const slash = key.indexOf('/')
        const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)]
        // The program's own write needs no check, if the copy is still wanted.
        if (by === namespace && this.#isWanted(namespace, name)) return
        this.#pending.add(namespace, name, change === 'initial' ? 'found' : 'drift')
        target.enqueue(namespace, causeOf('owns', change, view, key), change === 'initial')
      }
      return {
        add: (object, { key, isInInitialList }) =>
          target.unlessOwn(view, key, object, by => received(isInInitialList ? 'initial' : 'added', key, by)),
        update: (object, { key }) => target.unlessOwn(view, key, object, by => received('updated', key, by)),
        delete: (_, { key }) => received('deleted', key, undefined),
        lost: key => received('deleted', key, undefined),
      }
    })
  }

  /** Reports that several sources want copies with the same name. */
  #reportRivals(name: string, environment: Environment): void {
    const { key: first } = this.#sources.get(name) ?? {}
    if (first !== undefined) this.#counts.succeeded(sourceText(first))
    for (const rival of this.#sources.rivals(name)) {
      if (this.#counts.failing.has(sourceText(rival))) continue
      const error = new CopyNameTakenError(name, rival, `it is one of ${first}`)
      this.#counts.failed(sourceText(rival), error)
      environment.onError(error, { phase: `copies ${this.name}`, resource: this.#sourceView.key, key: rival })
    }
  }

  #isWanted(namespace: string, name: string): boolean {
    const known = this.#namespaces.get(namespace)
    try {
      return this.#isEnabled && known !== undefined && this.#sources.get(name)?.copyIn(known, name) !== undefined
    } catch {
      return false
    }
  }

  /** Makes the pending copies of a namespace as desired. */
  async #reconcile(context: ReconcileContext<PartialObjectMetadata, 'cluster'>): Promise<ReconcileResult | undefined> {
    const { object: namespace, key } = context
    this.#lookAtAllOf(namespace)
    const taken = this.#pending.take(key.name)
    // The server deletes the namespace with all its objects.
    if (namespace.metadata.deletionTimestamp !== undefined) return undefined
    const errors: Error[] = []
    let afterMs = Number.POSITIVE_INFINITY
    await forEach(taken, this.#concurrency, async ([name, reason]) => {
      try {
        const outcome = await this.#bring(namespace, name, reason, context)
        if (outcome === 'done') return
        if (outcome !== 'kept') afterMs = Math.min(afterMs, outcome.afterMs)
      } catch (error) {
        this.#counts.failed(`${key.name}/${name}`, error as Error)
        errors.push(error as Error)
      }
      this.#pending.putBack(key.name, name, reason)
    })
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new CopiesFailedError(key.name, errors)
    return afterMs === Number.POSITIVE_INFINITY ? undefined : { requeueAfterMs: afterMs }
  }

  /** Makes all copies of a namespace pending if the namespace is new or has changed. */
  #lookAtAllOf(namespace: PartialObjectMetadata): void {
    const name = namespace.metadata.name as string
    const known = this.#namespaces.get(name)
    if (known === namespace) return
    this.#namespaces.set(name, namespace)
    for (const copy of this.#sources.names())
      this.#pending.putBack(name, copy, known === undefined ? 'found' : 'changed')
  }

  /** Makes a copy as desired. */
  async #bring(namespace: PartialObjectMetadata, name: string, reason: Reason, context: Context): Promise<Outcome> {
    const source = this.#isEnabled ? this.#sources.get(name) : undefined
    const key = `${namespace.metadata.name}/${name}`
    let desired: FullObject<T> | undefined
    try {
      desired = source?.copyIn(namespace, name)
      // Called for its checks, so that an invalid status is an error before the first write.
      if (desired !== undefined) source?.status()
    } catch (error) {
      this.#unbuilt(source as Source<P, T>, key, error as Error, context.client.environment)
      return { afterMs: this.#maxRetryMs }
    }
    if (source === undefined || desired === undefined) return this.#remove(namespace, name, context.client)
    return this.#make(source, desired, key, reason, context)
  }

  async #make(
    source: Source<P, T>,
    desired: FullObject<T>,
    key: string,
    reason: Reason,
    context: Context,
  ): Promise<Outcome> {
    const { apply, client } = context
    const { formerManagers, fieldValidation, timeoutMs } = this.#options
    // An object with the set's label is adopted as a copy, even if another program wrote it. An object that has replaced this object is not.
    const seen = this.#connected?.copies.get(key)
    const { uid } = seen?.metadata ?? {}
    const adopt = uid !== undefined && { uid }
    const options = { owner: false, adopt, formerManagers, fieldValidation, timeoutMs, onDelay: 'resolve' } as const
    let applied: Applied<T>
    try {
      applied = await source.afterFirst(() => apply(this.#view, desired as never, options))
    } catch (error) {
      if (await isImmutable(client, this.#view, desired, error))
        return this.#replace(source, key, error as ApiError, client)
      if (!(error instanceof NotOursError)) throw error
      const by = error.managers.length === 0 ? '' : `, written by ${error.managers.join(', ')}`
      const taken = new CopyNameTakenError(key, source.key, `an object of that name exists${by}`, error)
      const isReported = this.#counts.failing.get(key) instanceof CopyNameTakenError
      this.#counts.failed(key, taken)
      const about = { phase: `copies ${this.name}`, resource: this.#view.key, key }
      if (!isReported) client.environment.onError(taken, about)
      // Each run checks the object: only a run that has read it is followed by another when its managers change or it is deleted.
      return 'kept'
    }
    this.#counts.applied(reason, applied)
    if (applied.outcome === 'delayed' || applied.outcome === 'refused') {
      this.#counts.delayed(key)
      // The key runs again by itself when the write may be sent.
      return 'kept'
    }
    const at = { namespace: desired.metadata?.namespace as string, name: desired.metadata?.name as string }
    // The apply has waited until the cache shows this program's earlier writes.
    const shown = this.#connected?.copies.get(key)
    const afterMs = (await this.#statuses?.bring(source, { at, seen: shown, applied, reason }, context)) ?? 0
    if (afterMs > 0) {
      this.#counts.delayed(key)
      return { afterMs }
    }
    this.#counts.succeeded(key)
    return 'done'
  }

  /** Deletes a copy that can't be changed in place. The event of the deletion runs the namespace again, and that run makes the copy. */
  async #replace(source: Source<P, T>, key: string, refusal: ApiError, client: Client): Promise<Outcome> {
    const { whenImmutable = 'recreate', timeoutMs } = this.#options
    const seen = this.#connected?.copies.get(key)
    const immutable = new ImmutableFieldError(this.#view.key, key, refusal)
    if (seen?.owned === undefined) {
      const taken = `another program made the object there, and ${immutable.fields.join(', ')} can't be changed in place`
      throw new CopyNameTakenError(key, source.key, taken, immutable)
    }
    if (whenImmutable === 'fail') throw immutable
    const [namespace, name] = key.split('/')
    const preconditions = { uid: seen.metadata.uid }
    const deleted = await client.delete(this.#view, { namespace, name } as never, {
      ...{ preconditions, propagationPolicy: 'Background', timeoutMs },
    })
    if (deleted !== undefined) this.#counts.deleted('immutable')
    return 'kept'
  }

  /** Deletes a copy that is not wanted, if this program has made it. */
  async #remove(namespace: PartialObjectMetadata, name: string, client: Client): Promise<Outcome> {
    const at = { namespace: namespace.metadata.name as string, name }
    const key = keyText(at)
    this.#counts.succeeded(key)
    const seen = this.#connected?.copies.get(key)
    if (seen?.owned === undefined || seen.metadata.deletionTimestamp !== undefined) return 'done'
    // The server may serve the sources again soon, so their copies stay.
    if (this.#isEnabled && this.#isSourceMissing()) return { afterMs: this.#maxRetryMs }
    const { uid, resourceVersion } = seen.metadata
    const { timeoutMs } = this.#options
    const deleted = await client.delete(this.#view, at as never, { preconditions: { uid, resourceVersion }, timeoutMs })
    if (deleted !== undefined) this.#counts.deleted('unwanted')
    return 'done'
  }

  /** Reports that a copy can't be built. The copy stays unchanged. */
  #unbuilt(source: Source<P, T>, key: string, error: Error, environment: Environment): void {
    this.#counts.failed(key, error)
    if (source.isReported) return
    source.isReported = true
    environment.onError(error, { phase: `copies ${this.name}`, resource: this.#sourceView.key, key: source.key })
  }
}

/** Distinguishes a source from a copy of the same key. */
function sourceText(key: string): string {
  return `source ${key}`
}

function causeOf(source: string, change: CauseChange = 'told', view?: View<unknown, Scope>, object?: string): Cause {
  return { source, change, view: view?.key, object, from: undefined, to: undefined }
}

/** Calls `work` for each item, with at most `width` calls at a time. */
async function forEach<I>(items: Iterable<I>, width: number, work: (item: I) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
