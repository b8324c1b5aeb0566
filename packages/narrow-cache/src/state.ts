import { type ChangeType, compareResourceVersions } from '@wherry/client'
import type { Intake } from '@wherry/informer'
import type { Level } from './level.ts'
import type { NarrowView } from './narrow-view.ts'
import { type Known, type Version, versionOf } from './source.ts'

/**
 * What was known when the server was asked for what it has now, by a list without a resourceVersion. The answer is not older, whichever
 * of several API servers gives it, unless the cluster was restored from a backup and counts anew.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export interface Asked {
  /** How far the state had come, and each watch that feeds it, or may. */
  readonly reached: readonly (string | undefined)[]
  /** How often the server was known to count anew. */
  readonly era: number
  /** How often this process had been told of anything past its watch: the answer settles that, and nothing that is told later. */
  readonly told: number
}

/** A view that is fed, and how. */
interface Feed {
  readonly view: NarrowView
  readonly intake: Intake
}

/**
 * What is known of one object, and the stores of all views of it, which it is written to (rule N2). Of the object itself
 * nothing is kept here but its version.
 */
export class State {
  /** How much the views need: the most that any of them does. */
  level: Level = 0
  readonly #text: string
  /** Replaced, never changed. Of most there is one. */
  #feeds: readonly Feed[] = []
  #isKnown = false
  #wasKnown = false
  /** As the stores have it; `undefined`: absent. */
  #held: Version | undefined
  #bytes = 0
  /** Of the last state or change: nothing older is to be heard. */
  #reached: string | undefined
  #era = 0
  /** What is read next may be of the same number as what is held, and another state. */
  #wentBack = false

  /** @param text the key's */
  constructor(text: string) {
    this.#text = text
  }

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** It is known, or was so once: somebody may have been told of it, and follow it. */
  get wasKnown(): boolean {
    return this.#wasKnown
  }

  /** What the stores have; `undefined`: it is absent, or not known. */
  get held(): Version | undefined {
    return this.#held
  }

  get reached(): string | undefined {
    return this.#reached
  }

  get views(): NarrowView[] {
    return this.#feeds.map(({ view }) => view)
  }

  /** Each of the views has been told a state. */
  get isWhole(): boolean {
    return this.#isKnown && this.#feeds.every(({ intake }) => intake.synced)
  }

  has(view: NarrowView): boolean {
    return this.#feeds.some(feed => feed.view === view)
  }

  /** A state of it is in the view's store. */
  isIn(view: NarrowView): boolean {
    if (!this.#isKnown) return false
    for (const feed of this.#feeds) if (feed.view === view) return feed.intake.synced
    return false
  }

  /** How often the server was known to count anew. */
  get era(): number {
    return this.#era
  }

  /** Whether the server was asked before it was known to count anew: the answer may be of before. */
  isOutdated({ era }: Asked): boolean {
    return era !== this.#era
  }

  /** Whether the answer, with `resourceVersion`, proves that the server counts anew (rule R5). */
  isProof(asked: Asked, resourceVersion: string | undefined): boolean {
    const isOlder = (one: string | undefined): boolean => compareResourceVersions(resourceVersion, one) === 'older'
    return !this.isOutdated(asked) && asked.reached.some(isOlder)
  }

  /** Whether what comes with `resourceVersion` is older than what is known. */
  isBefore(resourceVersion: string | undefined): boolean {
    return this.#isKnown && compareResourceVersions(resourceVersion, this.#reached) === 'older'
  }

  /** Whether what comes with `resourceVersion` is certainly newer than what is known, if anything is of what the server has now. */
  isSurelyBehind(resourceVersion: string | undefined): boolean {
    if (!this.#isKnown || (this.#wentBack && this.#reached === undefined)) return true
    return compareResourceVersions(resourceVersion, this.#reached) === 'newer'
  }

  /** Whether what is known is at least as new as what comes with `resourceVersion`. */
  isAsNew(resourceVersion: string | undefined): boolean {
    const order = compareResourceVersions(this.#reached, resourceVersion)
    return this.#isKnown && (order === 'newer' || order === 'same')
  }

  /** Whether each of the views has been told that version; `undefined`: that there is no object. */
  isAt(version: Version | undefined): boolean {
    if (!this.isWhole || this.#wentBack) return false
    if (version === undefined) return this.#held === undefined
    return version.resourceVersion !== undefined && version.resourceVersion === this.#held?.resourceVersion
  }

  /**
   * Feeds a view too, and fills it from what another one keeps. Gives whether it has what there is: it must be read anew
   * where none keeps enough.
   * @param isFed what comes is enough for that view. Until it is the view has nothing, not even that there is no object: what
   * comes next would be told to it.
   */
  add(view: NarrowView, isFed: boolean): boolean {
    const intake = view.store.intake({ key: this.#text })
    this.#feeds = this.#feeds.concat({ view, intake })
    if (view.level > this.level) {
      this.level = view.level
      return false
    }
    return isFed && (!this.#isKnown || this.#fill(view, intake))
  }

  /** Brings a state to all views that `level` is enough for. */
  publish({ object, bytes, resourceVersion }: Known, level: Level): void {
    this.#hold(object, bytes, resourceVersion)
    const reuse = !this.#wentBack
    if (level >= this.level) this.#wentBack = false
    this.#write(({ view, intake }) => {
      if (view.level > level) return
      const replacement = intake.replace({ reuse })
      if (object !== undefined) replacement.put(object, bytes)
      replacement.commit(resourceVersion)
    })
  }

  /** Brings a change to all views that have a state. */
  change(type: ChangeType, object: object, bytes: number): void {
    this.#hold(type === 'DELETED' ? undefined : object, bytes, versionOf(object).resourceVersion)
    this.#write(({ intake }) => {
      if (intake.synced) intake.change(type, object, bytes)
    })
  }

  /** The resource is gone, and so is the object; whether it is absent is not known. */
  clear(): void {
    this.#isKnown = false
    this.#held = undefined
    this.#write(({ intake }) => intake.clear())
  }

  /** The server was restored from a backup and counts anew: what comes next is not older, whatever its number (rule R5). */
  wentBack(): void {
    this.#reached = undefined
    this.#era += 1
    this.#wentBack = true
  }

  /** Lets go of it, without a word to whoever follows the views. */
  close(): void {
    for (const { view, intake } of this.#feeds) {
      intake.close({ forget: true })
      view.entries.delete(this.#text)
    }
    this.#feeds = []
  }

  /** Writes to the stores of all views; only then is anybody told, who may read any of them. */
  #write(write: (feed: Feed) => void): void {
    const feeds = this.#feeds
    const [only] = feeds
    if (only === undefined) return
    if (feeds.length === 1) return write(only)
    for (const { view } of feeds) view.hold()
    try {
      for (const feed of feeds) write(feed)
    } finally {
      for (const { view } of feeds) view.release()
    }
  }

  #hold(object: object | undefined, bytes: number, resourceVersion: string | undefined): void {
    const held = object === undefined ? undefined : versionOf(object)
    this.#isKnown = true
    this.#wasKnown = true
    this.#held = held
    this.#bytes = bytes
    this.#reached = resourceVersion ?? held?.resourceVersion
  }

  #fill(view: NarrowView, intake: Intake): boolean {
    let object: object | undefined
    if (this.#held !== undefined) {
      const donor = this.#feeds.find(
        ({ view: other, intake: { synced } }) => synced && other.keepsAll && other.level >= view.level,
      )
      object = donor?.view.store.lister.get(this.#text) as object | undefined
      if (object === undefined) return false
    }
    const replacement = intake.replace()
    if (object !== undefined) replacement.put(object, this.#bytes)
    replacement.commit(this.#reached)
    return true
  }
}
