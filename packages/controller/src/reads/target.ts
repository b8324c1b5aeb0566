import type { ReadCause } from './cause.ts'
import type { Link } from './link.ts'
import type { Reader } from './reader.ts'

/**
 * Something that keys depend on: an object, or a selection. It is watched once, however many they are, and let go of when
 * the last of them does (rule C14).
 */
export abstract class Target {
  /** Most have one: a set for each would cost more than all else. */
  #links: Link | Set<Link> | undefined
  /** Reads that are under way. */
  #pins = 0
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  /** Those who depend on it now. */
  get links(): readonly Link[] {
    if (this.#links === undefined) return []
    return this.#links instanceof Set ? [...this.#links] : [this.#links]
  }

  join(link: Link): void {
    if (this.#links === undefined) this.#links = link
    else if (this.#links instanceof Set) this.#links.add(link)
    else this.#links = new Set([this.#links, link])
  }

  leave(link: Link): void {
    if (this.#links instanceof Set) {
      this.#links.delete(link)
      if (this.#links.size === 0) this.#links = undefined
    } else this.#links = undefined
    this.#look()
  }

  /** It is not let go of before {@link Target.unpin}. */
  pin(): void {
    this.#pins += 1
  }

  unpin(): void {
    this.#pins -= 1
    this.#look()
  }

  /** Lets go of it, whoever depends on it. Idempotent. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#links = undefined
    this.release()
  }

  /** Tells each key once that depends on what has changed. @param told those that know it already; grows */
  protected tell(cause: () => ReadCause, isConcerned: (link: Link) => boolean, told: Set<Reader> = new Set()): void {
    const concerned = new Set<Reader>()
    for (const link of this.links) if (isConcerned(link) && !told.has(link.reader)) concerned.add(link.reader)
    let why: ReadCause | undefined
    for (const reader of concerned) {
      told.add(reader)
      why ??= cause()
      reader.changed(why)
    }
  }

  /** Nothing is to be watched for it any more. */
  protected abstract release(): void

  #look(): void {
    if (this.#pins === 0 && this.#links === undefined) this.end()
  }
}
