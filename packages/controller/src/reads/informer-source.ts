import { type Client, LabelSelector, type View } from '@wherry/client'
import { projector } from '@wherry/client/internal'
import type { CachedInformer, DynamicCache, Hold } from '@wherry/dynamic-cache'
import type { KeyedListerOptions, Lister, Registration } from '@wherry/informer'
import { coveredLister, isAnswer } from '@wherry/informer/internal'
import { OwnWriteTimeoutError } from './errors.ts'
import type { InformerObject, ObjectSource } from './informer-object.ts'
import { untilReported } from './informer-of.ts'
import { type ObjectIndex, type SourceIndex, SourceIndices } from './object-index.ts'
import { type OwnWrites, rememberedMs, UnseenWrites } from './own-writes.ts'
import { Selection, type SelectionSource } from './selection.ts'
import { nameOf, SelectionIndex } from './selection-index.ts'
import { type SelectionScope, selects } from './selection-scope.ts'
import { unlessRefused } from './unless-refused.ts'

export interface InformerSourceOptions {
  readonly client: Client
  readonly cache: DynamicCache
  readonly view: View
  /** The holder of the informer. */
  readonly holder: string
  /** Whether the informer stays when nothing depends on it. */
  readonly stays: boolean
  readonly writes: OwnWrites
  /** Called when the source is closed: later reads need a new one. */
  readonly ended: () => unknown
}

/** What a reader waits for: an object by its key, or a selection. */
type Asked = string | SelectionScope

/** An informer that serves reads, with the objects and selections that depend on it. It is held, so that nobody removes it meanwhile. */
export class InformerSource implements ObjectSource, SelectionSource {
  readonly view: View
  readonly #options: InformerSourceOptions
  readonly #hold: Hold<unknown>
  readonly informer: CachedInformer<unknown>
  readonly #registration: Registration
  /** The writes of this process that the informer does not show yet. */
  readonly unseen: UnseenWrites
  readonly #objects = new Map<string, Set<InformerObject>>()
  readonly selections: SelectionIndex = new SelectionIndex()
  readonly #indices = new SourceIndices()
  /** Whether the server refused the first state, and a read was rejected with its answer. */
  #isRefused = false
  #closing: Promise<void> | undefined

  constructor(options: InformerSourceOptions) {
    const { cache, view, holder, client, writes } = options
    this.#options = options
    this.view = view
    this.#hold = cache.hold(view, holder)
    this.informer = this.#hold.informer
    this.unseen = new UnseenWrites(this.informer, client.environment.clock, writes)
    this.#registration = this.informer.addHandler({
      add: (object, { key }) => this.#received(key, object, undefined),
      update: (object, { old, key }) => this.#received(key, object, old),
      delete: (object, { key }) => this.#received(key, undefined, object),
      // Such an object is in no selection.
      onTransformFailed: ({ key }) => this.#receivedOf(key),
    })
  }

  /** Whether the handler has received all that is in the store, so that it receives each later change. An absent resource has nothing to receive. */
  get #isCurrent(): boolean {
    const { hasSynced, isBehind } = this.#registration
    return !isBehind && (hasSynced || this.informer.isAbsent)
  }

  /** The lister of a view that this one covers. */
  lister(view: View): Lister<unknown> {
    return view.key === this.view.key ? this.informer : coveredLister(this.view, this.informer, view)
  }

  /** The function that projects an object of this view to a view that it covers. */
  projection(view: View): (object: object) => unknown {
    return view.projection.kind === this.view.projection.kind ? object => object : projector(view)
  }

  /** Whether the informer is current, and shows this process's writes of the asked objects. */
  has(asked: Asked): boolean {
    return this.#isCurrent && this.unseen.lacking(keysOf(asked)) === undefined
  }

  /**
   * Resolves when the informer is current, and shows this process's writes of the asked objects. Rejects with the signal's reason, an
   * `OwnWriteTimeoutError`, or as the informer's own `whenSynced` does.
   */
  async ready(asked: Asked, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options.client.environment
    if (!this.#isCurrent) await this.#reported(signal)
    while (this.#registration.isBehind) {
      await clock.turn()
      signal?.throwIfAborted()
    }
    const key = await this.unseen.shown(keysOf(asked), rememberedMs, signal)
    if (key !== undefined) throw new OwnWriteTimeoutError(this.view.key, key, rememberedMs, this.informer.lastError)
  }

  /** An index of a view that this one covers. @throws OptionTypeError for another index of the same name */
  index(view: View, index: ObjectIndex<never>): SourceIndex {
    return this.#indices.of(view, index, this.projection(view))
  }

  /** The objects that an index finds by a value, by their keys, at least as new as this process's writes. Rejects as {@link InformerSource.ready} does. */
  async indexed(
    { name, of }: SourceIndex,
    value: string,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, unknown>> {
    this.informer.addIndex(name, of)
    const { everything } = LabelSelector
    const all = { view: this.view, namespace: undefined, labels: everything, filter: everything }
    while (!this.has(all)) await this.ready(all, signal)
    const keys: string[] = []
    const lister: Lister<unknown> = this.informer
    const options: KeyedListerOptions = { index: { name, value }, keys: key => keys.push(key) > 0 }
    return new Map(lister.list(options).map((object, at) => [keys[at] as string, object]))
  }

  selection(scope: SelectionScope): Selection {
    const found = this.selections.get(nameOf(scope))
    if (found !== undefined) return found
    if (scope.indexed !== undefined) this.informer.addIndex(scope.indexed.index.name, scope.indexed.index.of)
    const selection = new Selection(this, scope)
    this.selections.add(selection)
    return selection
  }

  /** Removes a selection that nothing depends on any more. */
  drop(selection: Selection): void {
    this.selections.remove(selection)
    this.#look()
  }

  join(key: string, object: InformerObject): void {
    const there = this.#objects.get(key)
    if (there === undefined) this.#objects.set(key, new Set([object]))
    else there.add(object)
  }

  leave(key: string, object: InformerObject): void {
    const there = this.#objects.get(key)
    there?.delete(object)
    if (there?.size === 0) this.#objects.delete(key)
    this.#look()
  }

  /** Idempotent. Resolves when the informer is released. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Waits for the first state. If the server refused it, later reads are rejected at once until the informer has asked again. */
  async #reported(signal: AbortSignal | undefined): Promise<void> {
    const { informer } = this
    const { clock } = this.#options.client.environment
    if (this.#isRefused && !informer.hasSynced && isAnswer(informer.lastError)) throw informer.lastError
    this.#isRefused = false
    try {
      await unlessRefused(informer, clock, signal, ending => untilReported(informer, this.#registration, ending))
    } catch (error) {
      this.#isRefused = isAnswer(error)
      throw error
    }
  }

  #close(): Promise<void> {
    this.#registration.remove()
    this.unseen.close()
    this.#options.ended()
    return this.#hold.release()
  }

  #look(): void {
    if (!this.#options.stays && this.#objects.size === 0 && this.selections.size === 0) void this.close()
  }

  #received(key: string, object: unknown, before: unknown): void {
    this.#receivedOf(key)
    this.selections.changed(key, object, before)
  }

  #receivedOf(key: string): void {
    this.unseen.received()
    for (const object of [...(this.#objects.get(key) ?? [])]) object.receive()
  }
}

/** The keys that may be asked for, whatever the labels of their objects: a write may have changed the labels. */
function keysOf(asked: Asked): string | ((key: string) => boolean) {
  if (typeof asked === 'string') return asked
  const { view, namespace, labels } = asked
  return key => selects({ view, namespace, labels, filter: LabelSelector.everything }, key, undefined)
}
