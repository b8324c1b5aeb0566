import { OptionTypeError, type View } from '@wherry/client'
import {
  abortSignal,
  anySignal,
  anything,
  type Check,
  callback,
  checkOptions,
  isAtLeast,
  resourceName,
  viewCheck,
} from '@wherry/client/internal'
import { versionOf } from '../objects/version.ts'
import { DependencyEdge, type DependencyTarget, type DependentKey, remove } from './dependency-graph.ts'
import { ReadClosedError } from './errors.ts'
import { indexCheck, type SourceIndex } from './object-index.ts'
import { callName, OpenCalls } from './open-calls.ts'
import type { Read, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './read.ts'
import type { Selection } from './selection.ts'
import type { TrackedObject } from './tracked-object.ts'

/** The sources of a run's reads. */
export interface Sources {
  object(view: View, key: ReadKey, primary: string | undefined): TrackedObject
  selection(view: View, options: SelectionOptions, owner?: string): Selection
  indexed(view: View, index: SourceIndex, value: string, signal: AbortSignal | undefined): Promise<Map<string, unknown>>
  peek(view: View, key: ReadKey, primary: string | undefined, signal: AbortSignal | undefined): Promise<unknown>
}

const getChecks: Readonly<Record<keyof SelectOptions<unknown, unknown>, Check>> = {
  signal: abortSignal,
  select: callback,
}
const listChecks: Readonly<Record<keyof ListOptions, Check>> = {
  signal: abortSignal,
  namespace: anything,
  labels: anything,
  select: callback,
  index: indexCheck,
  value: (option, value) => {
    if (typeof value !== 'string') throw new OptionTypeError(option, 'a string', typeof value)
  },
}

type Select = (object: never) => unknown
type ListOptions = SelectionOptions & Partial<SelectOptions<never, unknown>>

/** The primary object of a run. */
export interface ReadPrimary {
  /** The namespace of a read that names none. */
  readonly namespace?: string | undefined
  /** The uid of the object that controls the objects of `read.owned`. */
  readonly uid?: string | undefined
}

/** An object that a run is about to write. */
interface Writing<C> {
  /** The present object; `undefined` if it does not exist. */
  readonly object: C | undefined
  /**
   * Ends the write. Later changes by others make the key run.
   * @param written the object from the server's answer
   * @param isReceived whether the key receives each change of the object by another source, so that it need not be tracked
   */
  settle(written?: C | undefined, isReceived?: boolean): void
}

/** Names an object that is absent, by its resource and its key. */
export function absentId(view: View, key: string): string {
  return `${resourceName(view.resource)} ${key}`
}

/** One run of a reconcile, with its reads. An object is tracked from the moment of its read (rule C13). */
export class Run {
  /** The reads of the reconcile. */
  readonly read: Read
  /** The calls of the run that have not ended: its reads and others. */
  readonly calls: OpenCalls = new OpenCalls()
  /** The objects that this run has read as absent: `group/version/plural namespace/name`, whatever the view. */
  readonly absent: Set<string> = new Set()
  readonly #dependent: DependentKey
  readonly #sources: Sources
  readonly #primary: ReadPrimary
  readonly #signal: AbortSignal | undefined
  readonly #edges = new Map<DependencyTarget, DependencyEdge>()
  #hasEnded = false

  constructor(dependent: DependentKey, sources: Sources, primary: ReadPrimary, signal: AbortSignal | undefined) {
    this.#dependent = dependent
    this.#sources = sources
    this.#primary = primary
    this.#signal = signal
    const noted = <T>(name: string, call: Promise<T>, view: View, key?: ReadKey): Promise<T> =>
      this.calls.note(call, () => callName(name, [view, key]))
    const read = {
      get: (view: View, key: ReadKey, options?: Partial<SelectOptions<never, unknown>>) =>
        noted('read.get', this.#get(view, key, options), view, key),
      list: (view: View, options?: ListOptions) => noted('read.list', this.#list(view, options), view),
      owned: (view: View, options?: ListOptions) => noted('read.owned', this.#owned(view, options), view),
      getUntracked: (view: View, key: ReadKey, options?: ReadOptions) =>
        noted('read.getUntracked', this.#peek(view, key, options), view, key),
    }
    this.read = read as Read
  }

  /** Ends a successful run: its reads replace all dependencies of the key (rule C11). */
  succeed(): void {
    if (this.#end()) this.#dependent.succeed([...this.#edges.values()])
  }

  /** Ends a failed run: its reads are added to those of the last successful run (rule C12). */
  fail(): void {
    if (this.#end()) this.#dependent.fail([...this.#edges.values()])
  }

  /** Ends the run, and drops its reads. */
  cancel(): void {
    if (this.#end()) remove([...this.#edges.values()])
  }

  /** The namespace of a key that names none: the view's, if it has only one, else that of the primary object, as for an apply. */
  #home({ namespaces }: View): string | undefined {
    return namespaces?.length === 1 ? namespaces[0] : this.#primary.namespace
  }

  async #get(view: View, key: ReadKey, options: Partial<SelectOptions<never, unknown>> = {}): Promise<unknown> {
    viewCheck('view', view)
    checkOptions('get', options, getChecks)
    const signal = this.#bounded(options.signal)
    const object = this.#sources.object(view, key, this.#home(view as View))
    object.pin()
    try {
      const value = await this.#valueOf(object, signal)
      if (value === undefined) this.absent.add(absentId(view, object.key.text))
      const edge = this.#edge(object)
      if (options.select !== undefined) return edge.part(options.select, value)
      edge.whole()
      return value
    } finally {
      object.unpin()
    }
  }

  /**
   * Reads an object before a write, and tracks the part that `select` returns. The write itself does not make the key run.
   * Rejects as `read.get` does.
   */
  async writing<C>(
    view: View<C>,
    key: ReadKey,
    select: (object: C) => unknown,
    given?: AbortSignal,
  ): Promise<Writing<C>> {
    const signal = this.#bounded(given)
    const object = this.#sources.object(view as View, key, this.#home(view as View))
    object.pin()
    try {
      const value = (await this.#valueOf(object, signal)) as C | undefined
      // Changes of the object meanwhile are looked at when the write is over.
      this.#untrack(object)
      const received = object.seen
      const settle = (written?: C, isReceived = false): void => {
        const { state } = object
        const isGone = state === undefined && object.seen !== received
        // The informer has not received the write yet. Its event is still to come.
        const isBehind = written !== undefined && !isGone && !isAtLeast(versionOf(state), versionOf(written))
        const edge = new DependencyEdge(this.#dependent, object)
        edge.part(select as Select, written ?? value)
        if (this.#hasEnded || (!isBehind && edge.hasChanged(() => object.value))) object.reportAgain(this.#dependent)
        this.#untrack(object)
        if (!isReceived && !this.#hasEnded) this.#add(edge)
        object.unpin()
      }
      return { object: value, settle }
    } catch (error) {
      object.unpin()
      throw error
    }
  }

  /** The objects of a declared view with a value of an index, by their keys. They are not tracked. */
  indexed(view: View, index: SourceIndex, value: string): Promise<ReadonlyMap<string, unknown>> {
    return this.#sources.indexed(view, index, value, this.#bounded(undefined))
  }

  /** The present object. An error of its transform is tracked, too. */
  async #valueOf(object: TrackedObject, signal: AbortSignal | undefined): Promise<unknown> {
    let known = object.peek()
    if (known === undefined) {
      await object.ready(signal)
      this.#mustLive()
      // From here to the edge nothing is waited for: each later change is received.
      known = object.peek()
    }
    if (known === undefined) {
      const { seen } = object
      known = await object.live(signal)
      this.#mustLive()
      // A state that was received meanwhile may be newer than the answer.
      if (object.seen !== seen && !object.isAt(known)) object.reportAgain(this.#dependent)
    }
    // A reconcile that catches the error depends on the object, too.
    if (known.error !== undefined) this.#edge(object).whole()
    return object.valueIn(known)
  }

  async #owned(view: View, options?: ListOptions): Promise<unknown[]> {
    const { uid } = this.#primary
    if (uid === undefined) throw new OptionTypeError('begin.primary.uid', 'the uid of the primary object', 'nothing')
    return this.#list(view, options, uid)
  }

  async #list(view: View, options: ListOptions = {}, owner?: string): Promise<unknown[]> {
    viewCheck('view', view)
    checkOptions('list', options, listChecks)
    if ((options.index === undefined) !== (options.value === undefined))
      throw new OptionTypeError('list.index', 'an index together with a value', 'one of them')
    const signal = this.#bounded(options.signal)
    const selection = this.#sources.selection(view, options, owner)
    selection.pin()
    try {
      for (;;) {
        const objects = selection.list()
        if (objects !== undefined) {
          const edge = this.#edge(selection)
          if (options.select !== undefined) return edge.partOfEach(options.select, objects)
          edge.whole()
          return objects
        }
        await selection.catchUp(signal)
        this.#mustLive()
      }
    } finally {
      selection.unpin()
    }
  }

  async #peek(view: View, key: ReadKey, options: ReadOptions = {}): Promise<unknown> {
    viewCheck('view', view)
    checkOptions('getUntracked', options, { signal: abortSignal })
    const signal = this.#bounded(options.signal)
    return this.#sources.peek(view, key, this.#home(view as View), signal)
  }

  #edge(target: DependencyTarget): DependencyEdge {
    return this.#edges.get(target) ?? this.#add(new DependencyEdge(this.#dependent, target))
  }

  #add(edge: DependencyEdge): DependencyEdge {
    this.#edges.set(edge.target, edge)
    edge.target.addEdge(edge)
    return edge
  }

  /** Removes an object from the dependencies of the key, for all its runs. */
  #untrack(object: TrackedObject): void {
    remove(object.edges.filter(({ dependent }) => dependent === this.#dependent))
    this.#edges.delete(object)
  }

  /** @throws ReadClosedError */
  #mustLive(): void {
    if (this.#hasEnded) throw new ReadClosedError(this.#dependent.key)
  }

  /** The signal that ends a call that begins now. @throws ReadClosedError, or the reason of a signal that is aborted already */
  #bounded(own: AbortSignal | undefined): AbortSignal | undefined {
    this.#mustLive()
    const signal = own && this.#signal ? anySignal(own, this.#signal) : (own ?? this.#signal)
    signal?.throwIfAborted()
    return signal
  }

  /** Ends the run. Returns false if it had ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#dependent.run = undefined
    return true
  }
}
