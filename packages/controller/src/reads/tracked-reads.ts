import { type CheckedKey, LabelSelector, OptionTypeError, type View } from '@wherry/client'
import { abortSignal, asError, callGuarded, checkedKey, checkedNamespace, resourceName } from '@wherry/client/internal'
import { NotCachedError } from '@wherry/dynamic-cache'
import { covers, isSameFunction } from '@wherry/informer/internal'
import { ViewConflictError } from '@wherry/narrow-cache/internal'
import type { ReadCause } from './cause.ts'
import type { Dependency } from './dependency.ts'
import { type DependencyListener, type DependencyTarget, DependentKey } from './dependency-graph.ts'
import { InformerObject } from './informer-object.ts'
import { informerOf } from './informer-of.ts'
import { InformerSource } from './informer-source.ts'
import { NarrowObject, type NarrowObjectParts } from './narrow-object.ts'
import { checkReadsOptions, type TrackedReadsOptions } from './options.ts'
import { isOlder, OwnWrites, resourceKey } from './own-writes.ts'
import { PrimaryObjects } from './primary-objects.ts'
import type { SelectionOptions } from './read.ts'
import { type ReadPrimary, Run, type Sources } from './run.ts'
import type { Selection } from './selection.ts'
import { ownerIndex } from './selection-scope.ts'
import { TrackedObject } from './tracked-object.ts'
import { ViewShares } from './view-shares.ts'

/** The present size of tracked reads, for metrics and for people. */
export interface TrackedReadsReport {
  /** Keys that depend on anything. */
  readonly keys: number
  /** The number of dependencies of all keys. */
  readonly dependencies: number
  /** The number of watched objects, including absent ones. */
  readonly objects: number
  /** The number of objects that are polled instead (rule C16). */
  readonly polled: number
  /** Selections, each once. */
  readonly selections: number
}

/**
 * The share of a view's objects, read by name, from which an informer of the view takes over. A read by name costs as much as some five objects of
 * a list. So if all objects are read in the end, the reads by name and the informer together cost 1.5 times as much as the informer alone.
 */
const loadedFrom = 1 / 10

/** How many objects the server is asked for at a time. */
const comparedAtATime = 16

/**
 * The tracked reads of one controller: which key depends on which objects, and the watches for that (rules C11–C17).
 *
 * Report a key's runs one after the other: {@link TrackedReads.begin}, then its `succeed` or `fail`.
 *
 * So that reads see what this process wrote (rule C10), write by `client.withWriteListeners(narrow, reads.writes)`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { TrackedReads } from '@wherry/controller'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { NarrowCache } from '@wherry/narrow-cache'
 *
 * const client = await Client.connect()
 * const [cache, narrow] = [new DynamicCache({ client }), new NarrowCache({ client })]
 * const onChange = (key: string): void => console.log(`${key} has to run again`)
 * const reads = new TrackedReads({ client, cache, narrow, declared: [], onChange })
 * const run = reads.begin('arcade/chess', { namespace: 'arcade' })
 * await run.read.get(secrets, { name: 'db' })
 * run.succeed()
 * ```
 */
export class TrackedReads {
  /** The writes that clients report here: later reads are at least as new (rule C10). */
  readonly writes: OwnWrites
  readonly #options: TrackedReadsOptions
  readonly #stop = new AbortController()
  /** The parts of the objects that are read by name. */
  readonly #named: NarrowObjectParts
  readonly #keys = new Map<string, DependentKey>()
  /** The objects that keys depend on, each once for a view, by the view's key and its own. */
  readonly #objects = new Map<string, TrackedObject>()
  /** The informers that reads are served from, each from its first use on, by the key of its view. */
  readonly #sources = new Map<string, InformerSource>()
  readonly #shares: ViewShares
  readonly #listener: DependencyListener
  readonly #runs: Sources
  #primary: PrimaryObjects | undefined
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: TrackedReadsOptions) {
    checkReadsOptions(options)
    const { client, cache, narrow, poll = [] } = options
    this.#options = options
    const pollMs = new Map(poll.map(({ resource: { resource }, pollMs }) => [resourceKey(resource), pollMs]))
    this.#named = { client, narrow, pollMs, stopped: this.#stop.signal }
    this.writes = options.writes ?? new OwnWrites({ clock: client.environment.clock, cache })
    this.#shares = new ViewShares(client, this.#stop.signal)
    this.#listener = {
      changed: (key, cause) => this.#changed(key, cause),
      freed: dependent => {
        if (dependent.run === undefined && this.#keys.get(dependent.key) === dependent) this.#keys.delete(dependent.key)
      },
    }
    this.#runs = {
      object: (view, key, primary) => this.#object(view, checkedKey(view, key, primary)),
      selection: (view, selected, owner) => this.#selection(view, selected, owner),
      indexed: (view, index, value, signal) => this.#sourceOf(view).indexed(index, value, signal),
      peek: (view, key, primary, signal) => this.#peek(view, checkedKey(view, key, primary), signal),
    }
  }

  /**
   * Begins a run of `key` with tracked reads. An earlier run of the key that has not ended counts as failed.
   *
   * @param primary the primary object: its namespace is the default of reads, and `read.owned` returns the objects that it controls.
   * @param signal bounds all reads of the run, with its reason.
   * @throws OptionTypeError
   */
  begin(key: string, primary: ReadPrimary, signal?: AbortSignal | undefined): Run {
    if (typeof key !== 'string') throw new OptionTypeError('begin.key', 'a string', typeof key)
    if (signal !== undefined) abortSignal('begin.signal', signal)
    const dependent = this.#keys.get(key) ?? new DependentKey(key, this.#listener)
    dependent.run?.fail()
    const run = new Run(dependent, this.#runs, primary, signal)
    if (this.#closing !== undefined) run.cancel()
    else {
      this.#keys.set(key, dependent)
      dependent.run = run
    }
    return run
  }

  /** A run of `key` that has ended: it reads nothing (rule C17), and does not affect other runs. */
  ended(key: string): Run {
    const run = new Run(new DependentKey(key, this.#listener), this.#runs, {}, undefined)
    run.cancel()
    return run
  }

  /**
   * Forgets a key and its dependencies (rule C12). Closes its run that is under way; the outcome of that run
   * does not matter.
   */
  forget(key: string): void {
    const dependent = this.#keys.get(key)
    if (dependent === undefined) return
    this.#keys.delete(key)
    dependent.run?.cancel()
    dependent.succeed([])
  }

  /** Whether a key depends on anything, or is reading. */
  isReader(key: string): boolean {
    return this.#keys.has(key)
  }

  /** The dependencies of a key, without the reads of a run that is under way. */
  dependencies(key: string): readonly Dependency[] {
    const targets = new Map((this.#keys.get(key)?.edges ?? []).map(edge => [edge.target, edge]))
    const escalated = this.#options.narrow.report().escalated
    return [...targets].flatMap(([target, edge]): Dependency[] => {
      if (!(target instanceof TrackedObject)) return [(target as Selection).describe(edge)]
      const isWide = target.served === 'single' && escalated.some(one => isOf(one, target))
      return [{ ...target.describe(edge), ...(isWide && { served: 'escalated' }) }]
    })
  }

  /**
   * Whether a dependency may be older than the server's state, so that keys may be about to run. For some objects only
   * the server knows: {@link TrackedReads.whenQuiet} asks it. Objects that can't be read at all do not count.
   */
  get catchingUp(): boolean {
    return this.#targets.some(({ isCatchingUp }) => isCatchingUp)
  }

  /** Resolves when nothing is catching up. Rejects with the signal's reason. */
  async whenQuiet(signal?: AbortSignal | undefined): Promise<void> {
    const late = this.#targets.filter(({ isCatchingUp }) => isCatchingUp)
    // An object that can't be watched delays nothing: its keys are notified.
    await Promise.allSettled(late.map(target => target.catchUp(signal)))
    signal?.throwIfAborted()
  }

  /**
   * Asks the server for the metadata of each object that is watched by its name, and for each that is polled, and waits until
   * the server's states were received, as {@link TrackedReads.whenQuiet} does. For tests and the like.
   */
  async compare(signal?: AbortSignal | undefined): Promise<void> {
    const objects = [...this.#objects.values()]
    for (let from = 0; from < objects.length; from += comparedAtATime) {
      await Promise.all(objects.slice(from, from + comparedAtATime).map(object => object.compare(signal)))
    }
    await this.whenQuiet(signal)
  }

  /** The primary objects, of a declared view, at least as new as the reported writes. Call it once. */
  primary(view: View): PrimaryObjects {
    const { client } = this.#options
    this.#primary = new PrimaryObjects({ client, source: this.#sourceOf(view), writes: this.writes })
    return this.#primary
  }

  /** The views with informers that serve reads. */
  get views(): readonly View[] {
    return [...this.#sources.values()].map(({ view }) => view)
  }

  report(): TrackedReadsReport {
    const objects = [...this.#objects.values()]
    const edges = [...this.#keys.values()].map(dependent => new Set(dependent.edges.map(({ target }) => target)).size)
    return {
      keys: edges.filter(count => count > 0).length,
      dependencies: edges.reduce((sum, count) => sum + count, 0),
      objects: objects.length,
      polled: objects.filter(({ served }) => served === 'polled').length,
      selections: this.#selections.length,
    }
  }

  /**
   * Ends all reads: after the call no object is read, and no key is reported. Resolves when all watches are closed. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #changed(key: string, cause: ReadCause): void {
    const { client, onChange } = this.#options
    callGuarded(
      () => onChange(key, cause),
      error => {
        const known = asError(error, 'onChange threw')
        client.environment.onError(known, { resource: cause.view, phase: 'onChange', key: cause.object })
      },
    )
  }

  #object(view: View, key: CheckedKey): TrackedObject {
    const id = `${view.key} ${key.text}`
    const found = this.#objects.get(id)
    if (found !== undefined) {
      // Another projection function has the same name (rule D1).
      if (!isSameFunction(found.view.projection, view.projection)) throw new ViewConflictError(view.key)
      return found
    }
    const covering = this.#options.cache.covering(view)
    if (covering === undefined) this.#loadIfMost(view)
    // A resource that may be polled may have no watch, and so no informer.
    const isCounted = covering === undefined && !this.#named.pollMs.has(resourceKey(view.resource))
    const released = (): void => {
      this.#objects.delete(id)
      if (isCounted) this.#shares.remove(view)
    }
    const object =
      covering === undefined
        ? new NarrowObject(view, key, released, this.#named)
        : new InformerObject(view, key, released, this.#sourceOf(covering))
    if (isCounted) this.#shares.add(view)
    this.#objects.set(id, object)
    return object
  }

  /** Starts an informer of a view if it costs less than the reads by name. Objects are read by name until the informer has synced. */
  #loadIfMost(view: View): void {
    const { client, narrow } = this.#options
    if (this.#sources.has(view.key) || !((narrow.part(view) ?? this.#shares.of(view) ?? 0) >= loadedFrom)) return
    this.#sourceOf(view)
    client.environment.onWarning(
      `a tenth of the objects of ${view.key}, or more, is read by name: an informer of all of them serves what else is read; .caches(view) has it from the start, for less`,
      { resource: resourceName(view.resource), view: view.key },
    )
  }

  /** All that keys depend on. */
  get #targets(): DependencyTarget[] {
    return [...this.#objects.values(), ...this.#selections]
  }

  get #selections(): Selection[] {
    return [...this.#sources.values()].flatMap(({ selections }) => [...selections.values()])
  }

  #sourceOf(view: View): InformerSource {
    const found = this.#sources.get(view.key)
    if (found !== undefined) return found
    const { client, cache, declared, name: holder = 'reads' } = this.#options
    const stays = declared.some(({ key }) => key === view.key)
    const ended = (): boolean => this.#sources.delete(view.key)
    const source = new InformerSource({ client, cache, view, holder, stays, writes: this.writes, ended })
    this.#sources.set(view.key, source)
    return source
  }

  #selection(view: View, options: SelectionOptions, owner: string | undefined): Selection {
    const { namespace, labels, index, value } = options
    const declared = [...this.#options.declared, ...(this.#options.alsoListed?.() ?? [])]
    const wide = declared.find(({ key }) => key === view.key) ?? declared.find(one => covers(one, view))
    if (wide === undefined) {
      const near = declared.filter(({ resource }) => resourceName(resource) === resourceName(view.resource))
      const known =
        near.length === 0 ? '' : `the controller caches ${near.map(({ key }) => key).join(', ')}, which is less: `
      const wayOut = `${known}declare it with .caches(view) to list it, or get() single objects by name`
      throw new NotCachedError(view.key, wayOut)
    }
    if (wide.key === view.key && !isSameFunction(wide.projection, view.projection))
      throw new ViewConflictError(view.key)
    if (namespace !== undefined) checkedNamespace(view, namespace)
    const asked = LabelSelector.of(labels ?? LabelSelector.everything, 'list.labels')
    const filter = wide.labels.text === view.labels.text ? asked : view.labels.and(asked)
    const source = this.#sourceOf(wide)
    if (owner !== undefined && index !== undefined)
      throw new OptionTypeError('owned.index', 'nothing: owned objects are found by their owner', 'an index')
    const found = owner === undefined ? value : owner
    const by = index === undefined ? ownerIndex : source.index(view, index)
    const indexed = found === undefined ? undefined : { index: by, value: found }
    return source.selection({ view, namespace, labels: asked, filter, indexed })
  }

  async #peek(view: View, key: CheckedKey, signal: AbortSignal | undefined): Promise<unknown> {
    const { cache, narrow } = this.#options
    const covering = cache.covering(view)
    if (covering === undefined) return narrow.get(view, key as never, { signal })
    const informer = informerOf(cache, covering)
    const min = this.writes.get(view.resource, key.text)
    if (min === undefined || (informer && !isOlder(informer, key.text, min)))
      return cache.get(view, key as never, { signal })
    const object = this.#object(view, key)
    object.pin()
    try {
      return object.valueIn(await object.live(signal))
    } finally {
      object.unpin()
    }
  }

  async #close(): Promise<void> {
    for (const { run } of this.#keys.values()) run?.cancel()
    this.#keys.clear()
    const targets = this.#targets
    this.#primary?.close()
    this.#stop.abort(new Error('tracked reads were closed'))
    const closing = [...this.#sources.values()].map(source => source.close())
    for (const target of targets) target.end()
    await Promise.all(closing)
  }
}

/** Whether a metadata watch has taken over an object (rule N11). */
function isOf(
  { resource, namespace }: { readonly resource: string; readonly namespace: string | undefined },
  { view, key }: TrackedObject,
): boolean {
  return resource === resourceName(view.resource) && (namespace === undefined || namespace === key.namespace)
}
