import { type Environment, resourceName, type View } from '@wherry/client'
import { isSameFunction, PlainStore, type Store, TransformError, ViewConflictError } from '@wherry/informer'
import { NarrowClosedError } from './errors.ts'
import type { NarrowHandler } from './handler.ts'
import { type Level, levelOf } from './level.ts'
import { Subscriber } from './subscriber.ts'

/** An entry whose object the view has. */
export interface ViewEntry {
  readonly key: { readonly text: string }
}

/** One view of which objects are cached: its one store, with its one journal, and who subscribes to which of them. */
export class NarrowView<C = unknown> {
  readonly view: View<C>
  readonly level: Level
  readonly store: Store<C>
  /** By the key of the object. */
  readonly entries: Map<string, ViewEntry> = new Map<string, ViewEntry>()
  /** Whether later views can be filled from what it keeps: it keeps all that is received at its level. */
  readonly keepsAll: boolean
  readonly #environment: Environment
  readonly #subscribers = new Map<string, readonly Subscriber<C>[]>()
  /** What is to be told once other views have the same state; `undefined`: all is told at once. */
  #held: (() => void)[] | undefined

  constructor(view: View<C>, environment: Environment, freeze: boolean | undefined) {
    this.view = view
    this.level = levelOf(view)
    this.keepsAll = view.projection.kind !== 'named'
    this.#environment = environment
    this.store = new PlainStore<C>({ view, environment, freeze })
    // Synced from the start: whoever follows it hears what there is, and `synced`, however few entries there are.
    const nothing = this.store.intake()
    nothing.replace().commit()
    nothing.close()
    this.store.register({
      add: (object, { key }) => this.#tell(key, one => one.added(object, false)),
      update: (object, old, { key }) => this.#tell(key, one => one.updated(object, old)),
      delete: (object, { key, finalStateUnknown }) => this.#tell(key, one => one.deleted(object, finalStateUnknown)),
      untold: ({ key, isThere }) => this.#tell(key, one => one.untold(isThere)),
    })
  }

  /** @throws ViewConflictError for another function of the same name. */
  mustBe(view: View): void {
    if (view !== this.view && !isSameFunction(view.projection, this.view.projection)) {
      throw new ViewConflictError(view.key)
    }
  }

  /** Tells nothing until {@link NarrowView.release}. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held
    this.#held = undefined
    for (const tell of held ?? []) tell()
  }

  /** Nobody needs it: it holds no object, and nobody follows it. */
  get isIdle(): boolean {
    return this.entries.size === 0 && this.#subscribers.size === 0 && this.store.stats().cursors === 0
  }

  get subscribers(): number {
    let sum = 0
    for (const all of this.#subscribers.values()) sum += all.length
    return sum
  }

  /**
   * Tells a handler the present state, which must be there, and from now on what happens. Gives what ends that.
   * @throws NarrowClosedError
   */
  subscribe(handler: NarrowHandler<C>, key: string): () => void {
    let object: C | undefined
    let isKnown = true
    try {
      object = this.store.lister.get(key)
    } catch (error) {
      // It is there, and what it is was told to `onError`: told as an add when it can be.
      if (!(error instanceof TransformError)) throw error
      isKnown = false
    }
    const subscriber = new Subscriber<C>(handler, key, (error, about) => this.#report(error, about))
    this.#subscribers.set(key, [...(this.#subscribers.get(key) ?? []), subscriber])
    if (object !== undefined) subscriber.added(object, true)
    else if (isKnown) subscriber.absent()
    else subscriber.untold(true)
    return () => {
      subscriber.end()
      const left = (this.#subscribers.get(key) ?? []).filter(other => other !== subscriber)
      if (left.length === 0) this.#subscribers.delete(key)
      else this.#subscribers.set(key, left)
    }
  }

  close(): void {
    for (const all of this.#subscribers.values()) for (const one of all) one.end()
    this.#subscribers.clear()
    this.store.close(new NarrowClosedError())
  }

  #tell(key: string, call: (one: Subscriber<C>) => void): void {
    const subscribers = this.#subscribers.get(key)
    if (subscribers === undefined) return
    // Who joins or leaves meanwhile makes another list.
    const tell = (): void => {
      for (const one of subscribers) call(one)
    }
    if (this.#held === undefined) tell()
    else this.#held.push(tell)
  }

  #report(error: unknown, key: string): void {
    const known = error instanceof Error ? error : new Error(`a handler of ${this.view.key} failed`, { cause: error })
    this.#environment.onError(known, { resource: resourceName(this.view.resource), phase: 'handler', key })
  }
}
