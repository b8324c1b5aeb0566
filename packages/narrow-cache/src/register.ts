import { type ChangeType, compareResourceVersions, type ResourceVersionOrder } from '@wherry/client'
import type { Intake } from '@wherry/informer'
import type { NarrowView } from './narrow-view.ts'

/** Which object it is, and which state of it. */
export interface Version {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

/** A state of one object: the object, or its absence. */
export interface Known {
  readonly object: object | undefined
  readonly bytes: number
  /** How new the state is: the resourceVersion of the list, of the object, or of its deletion. */
  readonly resourceVersion: string | undefined
}

export function versionOf(object: object): Version {
  const { uid, resourceVersion } = (object as { metadata?: { uid?: string; resourceVersion?: string } }).metadata ?? {}
  return { uid, resourceVersion }
}

interface Feed {
  readonly view: NarrowView
  readonly intake: Intake
}

/**
 * The state of one object, as the stores of its views have it. The newer resourceVersion wins, whichever source brings it: the
 * register only grows. Absence carries the resourceVersion that proved it. A higher epoch makes all of before count for nothing.
 */
export class Register {
  /** The state was known once, so somebody may follow it. */
  wasKnown = false
  /** What the stores have; `undefined`: absent, or not known. */
  held: Version | undefined
  /** Nothing older is published. */
  reached: string | undefined
  readonly #text: string
  /** Replaced, never changed. Most entries have one. */
  #feeds: readonly Feed[] = []
  #isKnown = false
  #epoch = 0
  #bytes = 0

  /** @param text the key's */
  constructor(text: string) {
    this.#text = text
  }

  get views(): NarrowView[] {
    return this.#feeds.map(({ view }) => view)
  }

  /** A state of that epoch is known. */
  isKnown(epoch: number): boolean {
    return this.#isKnown && this.#epoch === epoch
  }

  /** Each of the views has been told a state of that epoch. */
  isWhole(epoch: number): boolean {
    return this.isKnown(epoch) && this.#feeds.every(({ intake }) => intake.synced)
  }

  /** The view's store has a state of that epoch. */
  isIn(view: NarrowView, epoch: number): boolean {
    if (!this.isKnown(epoch)) return false
    for (const feed of this.#feeds) if (feed.view === view) return feed.intake.synced
    return false
  }

  has(view: NarrowView): boolean {
    return this.#feeds.some(feed => feed.view === view)
  }

  /** How a resourceVersion compares with what is known; `unknown` where nothing of that epoch is. */
  order(resourceVersion: string | undefined, epoch: number): ResourceVersionOrder {
    return this.isKnown(epoch) ? compareResourceVersions(resourceVersion, this.reached) : 'unknown'
  }

  /**
   * Feeds one more view, from what another view keeps. Returns false if none keeps enough, so that the object must be read for it.
   */
  join(view: NarrowView, epoch: number): boolean {
    const intake = view.store.intake({ key: this.#text })
    const donors = this.#feeds
    this.#feeds = donors.concat({ view, intake })
    if (!this.isKnown(epoch)) return true
    const object = donors
      .find(feed => feed.intake.synced && feed.view.keepsAll && feed.view.level >= view.level)
      ?.view.store.lister.get(this.#text) as object | undefined
    if (this.held !== undefined && object === undefined) return false
    const replacement = intake.replace()
    if (object !== undefined) replacement.put(object, this.#bytes)
    replacement.commit(this.reached)
    return true
  }

  /** Publishes a state, unless it is older than what is known. Returns whether it was published. */
  publish({ object, bytes, resourceVersion }: Known, epoch: number): boolean {
    if (this.order(resourceVersion, epoch) === 'older') return false
    const reuse = !this.wasKnown || this.#epoch === epoch
    this.#hold(object, bytes, resourceVersion)
    this.#epoch = epoch
    this.#write(({ intake }) => {
      const replacement = intake.replace({ reuse })
      if (object !== undefined) replacement.put(object, bytes)
      replacement.commit(resourceVersion)
    })
    return true
  }

  /** Publishes a change of what is known to all views that have a state. It must not be older. */
  change(type: ChangeType, object: object, bytes: number): void {
    this.#hold(type === 'DELETED' ? undefined : object, bytes, versionOf(object).resourceVersion)
    this.#write(({ intake }) => {
      if (intake.synced) intake.change(type, object, bytes)
    })
  }

  /** What is known was still so at that resourceVersion. */
  confirm(resourceVersion: string | undefined): void {
    if (compareResourceVersions(resourceVersion, this.reached) === 'newer') this.reached = resourceVersion
  }

  /** The resource is gone, and the object with it; whether the object is absent is not known. */
  clear(): void {
    this.#isKnown = false
    this.held = undefined
    this.#write(({ intake }) => intake.clear())
  }

  /** Lets go of the object, without a word to those who follow the views. */
  close(): void {
    for (const { view, intake } of this.#feeds) {
      intake.close({ forget: true })
      view.entries.delete(this.#text)
    }
    this.#feeds = []
  }

  #hold(object: object | undefined, bytes: number, resourceVersion: string | undefined): void {
    this.held = object === undefined ? undefined : versionOf(object)
    this.reached = resourceVersion ?? this.held?.resourceVersion
    this.#bytes = bytes
    this.#isKnown = true
    this.wasKnown = true
  }

  /** Writes to the stores of all views, and only then tells anybody, who may read any of them. */
  #write(write: (feed: Feed) => void): void {
    const feeds = this.#feeds
    const [only] = feeds
    if (only !== undefined && feeds.length === 1) return write(only)
    for (const { view } of feeds) view.hold()
    try {
      for (const feed of feeds) write(feed)
    } finally {
      for (const { view } of feeds) view.release()
    }
  }
}

/** The name of an object as received. */
export function nameOf(object: object): string {
  return (object as { readonly metadata: { readonly name: string } }).metadata.name
}
