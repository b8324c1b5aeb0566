import type { Client, View } from '@wherry/client'
import type { InformerState, ReadingOptions, Store, StoreWriter } from '@wherry/informer'
import { formFor, type HeldReads, type ReadForm, type StreamingSupport } from '@wherry/informer/internal'
import { Feed } from './feed.ts'
import { suits } from './suits.ts'

/** The events of a shared watch, for the entries that it feeds. */
export interface SharedWatchListeners {
  /** It is proved that the server does not serve the resource. */
  missing(error: Error): void
  /** It does know it now. */
  found(): void
  /** It could not list or watch, and tries again. */
  error(error: Error): void
  /** Nothing is left to feed. It may be joined again. */
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
  /** What it is of, once it is here. */
  readonly view: View
  /** Takes it from the other watch, and gives the writers that it had there. */
  retire(): readonly StoreWriter[]
  /** It is here. */
  done(): void
}

interface Member {
  readonly store: Store<unknown>
  move: Move | undefined
  /** The store of full objects that it is filled from, or was. */
  source: Store<unknown> | undefined
  /** Writers of feeds that ended before all of their namespaces had come: what did come is in the store. */
  orphans: StoreWriter[]
}

/**
 * The one watch of a scope, for all its views (rule D12): each object is decoded once, and goes to the store of each view.
 *
 * What joins later is filled from a store of full objects where there is one. Otherwise a second feed is opened next to the
 * live one, wide enough for all; once it has its first state it *becomes* the live one, and stores that were there already
 * get only what differs. The watch narrows to metadata in the same way when the last view of whole objects leaves.
 */
export class SharedWatch {
  readonly #options: SharedWatchOptions
  readonly #members = new Map<Store<unknown>, Member>()
  #live: Feed | undefined
  /** The feed that is to become the live one. */
  #next: Feed | undefined
  #isSettling = false
  readonly #closing = new Set<Promise<void>>()

  constructor(options: SharedWatchOptions) {
    this.#options = options
  }

  /** How many stores it feeds. */
  get size(): number {
    return this.#members.size
  }

  /** Streams that it has open, or is about to open. */
  get watches(): number {
    return (this.#live?.watches ?? 0) + (this.#next?.watches ?? 0)
  }

  /** What the store's feed is doing. A store that waits for a feed of its own is `idle`, or what that feed does. */
  state(store: Store<unknown>): InformerState {
    return this.#feedOf(store)?.state ?? 'idle'
  }

  lastSyncedResourceVersion(store: Store<unknown>): string | undefined {
    return store.synced ? this.#feedOf(store)?.lastSyncedResourceVersion : undefined
  }

  lastError(store: Store<unknown>): Error | undefined {
    return (this.#feedOf(store) ?? this.#live)?.lastError
  }

  /** The resource is gone, or was never there. */
  isMissing(store: Store<unknown>): boolean {
    return this.#feedOf(store)?.isMissing === true
  }

  /** Feeds a store too, as soon as it can. */
  join(store: Store<unknown>, move?: Move | undefined): void {
    this.#members.set(store, { store, move, source: undefined, orphans: [] })
    this.#settleSoon()
  }

  /**
   * Feeds a store no more, from now on, and gives its writers, which are still open.
   */
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

  /** Tries again at once what waits. */
  retryNow(): void {
    this.#live?.retryNow()
    this.#next?.retryNow()
  }

  /** Reads all again, and reuses nothing. */
  relist(): void {
    this.#live?.relist()
    this.#next?.relist()
  }

  /** Has what was refused try again for a new wait. Returns whether an answer is to come. */
  tryNow(): boolean {
    return [this.#live, this.#next].map(feed => feed?.tryNow()).includes(true)
  }

  /** Resolves when all streams that it ended until now are closed. */
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
    // Nobody is fed by it any more: the feed that is to become the live one need not wait.
    if (this.#live?.size === 0) {
      this.#drop(this.#live)
      this.#live = this.#next
      this.#next = undefined
    }
    // What has not begun to bring anything is no loss.
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
    if (!this.#live.synced) return // settled again when it is, or gets nowhere
    if (this.#next !== undefined && this.#serves(this.#next, form)) return
    // Before anything is filled: what it has brought is not to be waited for any more.
    this.#cancelNext()
    if (suits(this.#live.form, form) && this.#fill(this.#live)) return
    this.#next = this.#open(form)
  }

  /** Whether a feed is of a form that suits, and feeds all members. */
  #serves(feed: Feed, form: ReadForm): boolean {
    return suits(feed.form, form) && [...this.#members.values()].every(({ store }) => feed.has(store))
  }

  /** Fills members that are not fed from a store of full objects. Returns whether that could be done. */
  #fill(live: Feed): boolean {
    const outside = [...this.#members.values()].filter(({ store }) => !live.has(store))
    const full = [...this.#members.values()].find(
      ({ store, move }) => store.view.projection.kind === 'full' && live.has(store) && move === undefined,
    )
    // A member that comes from elsewhere needs to know when it has all.
    if (full === undefined || live.state === 'stopped') return false
    if (outside.some(({ move, orphans }) => move !== undefined || orphans.length > 0)) return false
    for (const member of outside) {
      member.source = full.store
      live.add(member.store, false, full.store as Store<object>)
    }
    return true
  }

  /** What it is filled from is no more, or is moving elsewhere: if that was not all, it needs another feed. */
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

  /** A feed has its first state: from now on it is the live one, and stores that were fed by others are its own. */
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

  /** A feed feeds a member no more. Writers without a visible state are closed; the others are kept for the feed that takes over. */
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
