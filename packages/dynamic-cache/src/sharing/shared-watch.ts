import type { Client, View } from '@wherry/client'
import type { InformerState, ReadingOptions, Store, StoreWriter } from '@wherry/informer'
import { formFor, type HeldReads, type ReadForm, type StreamingSupport } from '@wherry/informer/internal'
import { Feed } from './feed.ts'
import { suits } from './suits.ts'

/** The events of a shared watch. */
export interface SharedWatchListeners {
  /** Called when the server is proved not to serve the resource. */
  missing(error: Error): void
  /** Called when a feed watches the resource, so the server serves it. */
  found(): void
  /** Called when the watch has failed to list or watch, and tries again. */
  error(error: Error): void
  /** Called when the watch has no store left. A store may join it again. */
  empty(): void
}

export interface SharedWatchOptions {
  readonly client: Client
  /** Any view of the scope. */
  readonly scope: View
  readonly reading: ReadingOptions
  readonly streaming: StreamingSupport
  readonly held: HeldReads
  readonly on: SharedWatchListeners
}

/** A store that moves here from another watch (rule D9). */
export interface Move {
  /** The view of the store after the move. */
  readonly view: View
  /** Takes the store from the other watch. Returns the writers that it had there. */
  retire(): readonly StoreWriter[]
  /** Called when the store has arrived. */
  done(): void
}

interface Member {
  readonly store: Store<unknown>
  move: Move | undefined
  /** The store of full objects from which this one is, or was, filled. */
  source: Store<unknown> | undefined
  /** The writers of ended feeds. Their objects stay in the store until another feed takes over. */
  orphans: StoreWriter[]
}

/**
 * The one watch of a scope, for all its views (rule D12): each object is decoded once, and goes to the store of each view.
 *
 * A store that joins later is filled from a store of full objects, if there is one. Otherwise a second feed is opened next to the
 * live one, wide enough for all stores; once it has its first state it *becomes* the live one, and earlier stores
 * receive only the differences. The watch narrows to metadata in the same way when the last view of whole objects leaves.
 */
export class SharedWatch {
  readonly #options: SharedWatchOptions
  readonly #members = new Map<Store<unknown>, Member>()
  #live: Feed | undefined
  /** The feed that will become the live one. */
  #next: Feed | undefined
  #isSettling = false
  readonly #closing = new Set<Promise<void>>()

  constructor(options: SharedWatchOptions) {
    this.#options = options
  }

  /** The number of stores. */
  get size(): number {
    return this.#members.size
  }

  /** The number of streams that are open, or about to be opened. */
  get watches(): number {
    return (this.#live?.watches ?? 0) + (this.#next?.watches ?? 0)
  }

  /** The state of a store's feed. A store that waits for a new feed has the state of that feed, or `idle`. */
  state(store: Store<unknown>): InformerState {
    return this.#feedOf(store)?.state ?? 'idle'
  }

  lastSyncedResourceVersion(store: Store<unknown>): string | undefined {
    return store.synced ? this.#feedOf(store)?.lastSyncedResourceVersion : undefined
  }

  lastError(store: Store<unknown>): Error | undefined {
    return (this.#feedOf(store) ?? this.#live)?.lastError
  }

  /** Whether the resource is gone, or never existed. */
  isMissing(store: Store<unknown>): boolean {
    return this.#feedOf(store)?.isMissing === true
  }

  /** Adds a store, which is fed as soon as possible. */
  join(store: Store<unknown>, move?: Move | undefined): void {
    this.#members.set(store, { store, move, source: undefined, orphans: [] })
    this.#settleSoon()
  }

  /** Removes a store. Returns its writers with a visible state, which are still open. */
  leave(store: Store<unknown>): readonly StoreWriter[] {
    const member = this.#members.get(store)
    if (member === undefined) return []
    for (const feed of [this.#live, this.#next]) if (feed !== undefined) this.#takeFrom(feed, member)
    this.#members.delete(store)
    for (const other of this.#members.values()) if (other.source === store) this.#loseSource(other)
    if (this.#members.size === 0) this.#endAll()
    else this.#settleSoon()
    return member.orphans
  }

  /** Makes waiting feeds retry at once. */
  retryNow(): void {
    this.#live?.retryNow()
    this.#next?.retryNow()
  }

  /** Reads all again, and reuses nothing. */
  relist(): void {
    this.#live?.relist()
    this.#next?.relist()
  }

  /** Makes refused feeds retry for a new wait. Returns whether an answer will come. */
  tryNow(): boolean {
    return [this.#live, this.#next].map(feed => feed?.tryNow()).includes(true)
  }

  /** Resolves when all streams that were ended before the call are closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing)
  }

  #feedOf(store: Store<unknown>): Feed | undefined {
    return [this.#live, this.#next].find(feed => feed?.has(store))
  }

  /** Joins and leaves of the same turn are settled together. */
  #settleSoon(): void {
    if (this.#isSettling) return
    this.#isSettling = true
    queueMicrotask(() => {
      this.#isSettling = false
      this.#settle()
    })
  }

  /** Opens, changes or ends feeds until they are what the members need. */
  #settle(): void {
    const members = [...this.#members.values()]
    if (members.length === 0) return this.#endAll()
    const form = formFor(members.map(({ store }) => store.view))
    // The live feed has no store any more, so the next feed need not wait.
    if (this.#live?.size === 0) {
      this.#drop(this.#live)
      this.#live = this.#next
      this.#next = undefined
    }
    // A feed that has delivered nothing can be ended without loss.
    if (this.#live !== undefined && !this.#serves(this.#live, form) && !this.#live.synced && this.#live.isStuck) {
      this.#drop(this.#live)
      this.#live = undefined
    }
    if (this.#live === undefined) {
      this.#cancelNext()
      this.#live = this.#open(form)
      return
    }
    if (this.#serves(this.#live, form)) return this.#cancelNext()
    if (!this.#live.synced) return // settled again when the live feed has synced, or is stuck
    if (this.#next !== undefined && this.#serves(this.#next, form)) return
    // The next feed is cancelled before stores are filled, so that they do not wait for it.
    this.#cancelNext()
    if (suits(this.#live.form, form) && this.#fill(this.#live)) return
    this.#next = this.#open(form)
  }

  /** Whether a feed has a suitable form, and feeds all members. */
  #serves(feed: Feed, form: ReadForm): boolean {
    return suits(feed.form, form) && [...this.#members.values()].every(({ store }) => feed.has(store))
  }

  /** Fills the members that the live feed does not feed yet, from a store of full objects. Returns false if that is not possible. */
  #fill(live: Feed): boolean {
    const outside = [...this.#members.values()].filter(({ store }) => !live.has(store))
    const full = [...this.#members.values()].find(
      ({ store, move }) => store.view.projection.kind === 'full' && live.has(store) && move === undefined,
    )
    // A store that moves here can't be filled: its move needs the moment when the store has all objects.
    if (full === undefined || live.state === 'stopped') return false
    if (outside.some(({ move, orphans }) => move !== undefined || orphans.length > 0)) return false
    for (const member of outside) {
      member.source = full.store
      live.add(member.store, false, full.store as Store<object>)
    }
    return true
  }

  /** Handles the loss of the store that fills a member: unless the member has all objects, it needs another feed. */
  #loseSource(member: Member): void {
    member.source = undefined
    if (!member.store.synced && this.#live !== undefined) this.#takeFrom(this.#live, member)
  }

  #open(form: ReadForm): Feed {
    const { client, scope, reading, streaming, held, on } = this.#options
    const members = [...this.#members.values()].map(({ store, move, orphans }) => ({
      store,
      staged: move !== undefined || orphans.length > 0 || this.#live?.has(store) === true,
    }))
    const feed: Feed = new Feed({
      client,
      scope,
      form,
      takesOver: members.some(({ staged }) => staged),
      reading,
      streaming,
      held,
      on: {
        synced: () => this.#synced(feed),
        state: () => {
          if (feed.state === 'watching') on.found()
          if (feed === this.#live && !feed.synced && feed.isStuck) this.#settleSoon()
        },
        missing: error => on.missing(error),
        error: error => on.error(error),
      },
    })
    for (const { store, staged } of members) feed.add(store, staged)
    feed.start()
    return feed
  }

  /** Makes a feed with its first state the live one, which takes over the stores of other feeds. */
  #synced(feed: Feed): void {
    if (feed !== this.#live && feed !== this.#next) return
    const old = feed === this.#next ? this.#live : undefined
    if (feed === this.#next) {
      this.#live = feed
      this.#next = undefined
    }
    for (const member of [...this.#members.values()]) {
      if (!feed.has(member.store)) continue
      const { store, move, orphans } = member
      if (old !== undefined) this.#takeFrom(old, member)
      member.move = undefined
      member.source = undefined
      member.orphans = []
      if (feed.isStaged(store)) feed.promote(store, [...orphans, ...(move?.retire() ?? [])], move?.view)
      move?.done()
    }
    if (old !== undefined) this.#drop(old)
    this.#settleSoon()
  }

  #cancelNext(): void {
    const next = this.#next
    if (next === undefined) return
    this.#next = undefined
    this.#drop(next)
  }

  /** Takes a store from a feed. Writers without a visible state are closed; the others are kept for the feed that takes over. */
  #takeFrom(feed: Feed, { store, orphans }: Member): void {
    const isStaged = feed.isStaged(store)
    const writers = feed.remove(store)
    const isSeen = !isStaged && writers.some(({ synced }) => synced)
    if (isSeen) orphans.push(...writers)
    else for (const writer of writers) writer.close()
  }

  /** Ends a feed. */
  #drop(feed: Feed): void {
    for (const member of this.#members.values()) this.#takeFrom(feed, member)
    const closing = feed.stop().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #endAll(): void {
    this.#cancelNext()
    if (this.#live !== undefined) this.#drop(this.#live)
    this.#live = undefined
    this.#options.on.empty()
  }
}
