import { type ChangeType, compareResourceVersions, type ResourceVersionOrder } from '@wherry/client'
import type { Intake } from '@wherry/informer'
import type { EntryScope } from './entry-scope.ts'
import type { CheckedKey } from './key.ts'
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
  readonly scope: EntryScope
  readonly key: CheckedKey
  /** The state was known once, so somebody may follow it. */
  wasKnown = false
  /** What the stores have; `undefined`: absent, or not known. */
  held: Version | undefined
  /** Nothing older is published. */
  reached: string | undefined
  /** Replaced, never changed. Most entries have one. */
  #feeds: readonly Feed[] = []
  #isKnown = false
  #epoch = 0
  #bytes = 0

  constructor(scope: EntryScope, key: CheckedKey) {
    this.scope = scope
    this.key = key
  }

  get views(): NarrowView[] {
    return this.#feeds.map(({ view }) => view)
  }

  /** A state of this epoch is known. */
  get isKnown(): boolean {
    return this.#isKnown && this.#epoch === this.scope.of.epoch
  }

  /** Each of the views has been told a state of this epoch. */
  get isWhole(): boolean {
    return this.isKnown && this.#feeds.every(({ intake }) => intake.synced)
  }

  /** The view's store has a state of this epoch. */
  isIn(view: NarrowView): boolean {
    if (!this.isKnown) return false
    for (const feed of this.#feeds) if (feed.view === view) return feed.intake.synced
    return false
  }

  has(view: NarrowView): boolean {
    return this.#feeds.some(feed => feed.view === view)
  }

  /** How a resourceVersion compares with what is known; `unknown` where nothing of this epoch is. */
  order(resourceVersion: string | undefined): ResourceVersionOrder {
    return this.isKnown ? compareResourceVersions(resourceVersion, this.reached) : 'unknown'
  }

  /** What is known was still so at that resourceVersion. */
  confirm(resourceVersion: string | undefined): void {
    if (compareResourceVersions(resourceVersion, this.reached) === 'newer') this.reached = resourceVersion
  }

  /**
   * Feeds one more view, from what another view keeps. Returns false if none keeps enough, so that the object must be read for it.
   */
  protected feed(view: NarrowView): boolean {
    const { text } = this.key
    const intake = view.store.intake({ key: text })
    const donors = this.#feeds
    this.#feeds = donors.concat({ view, intake })
    if (!this.isKnown) return true
    const object = donors
      .find(feed => feed.intake.synced && feed.view.keepsAll && feed.view.level >= view.level)
      ?.view.store.lister.get(text) as object | undefined
    if (this.held !== undefined && object === undefined) return false
    const replacement = intake.replace()
    if (object !== undefined) replacement.put(object, this.#bytes)
    replacement.commit(this.reached)
    return true
  }

  /** Publishes a state, unless it is older than what is known. Returns whether it was published. */
  protected publish({ object, bytes, resourceVersion }: Known): boolean {
    if (this.order(resourceVersion) === 'older') return false
    const reuse = !this.wasKnown || this.#epoch === this.scope.of.epoch
    this.#hold(object, bytes, resourceVersion)
    this.#epoch = this.scope.of.epoch
    this.#write(({ intake }) => {
      const replacement = intake.replace({ reuse })
      if (object !== undefined) replacement.put(object, bytes)
      replacement.commit(resourceVersion)
    })
    return true
  }

  /** Publishes a change of what is known. */
  protected amend(type: ChangeType, object: object, bytes: number): void {
    this.#hold(type === 'DELETED' ? undefined : object, bytes, versionOf(object).resourceVersion)
    this.#write(({ intake }) => {
      if (intake.synced) intake.change(type, object, bytes)
    })
  }

  /** The resource is gone, and the object with it; whether the object is absent is not known. */
  protected empty(): void {
    this.#isKnown = false
    this.held = undefined
    this.#write(({ intake }) => intake.clear())
  }

  /** Lets go of the object, without a word to those who follow the views. */
  protected release(): void {
    for (const { view, intake } of this.#feeds) {
      intake.close({ forget: true })
      view.entries.delete(this.key.text)
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
