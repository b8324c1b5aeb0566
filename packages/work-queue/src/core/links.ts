import { resized } from './resized.ts'

/** The links of doubly linked lists of small whole numbers. A number is in at most one list of these links. */
export class Links {
  next: Int32Array
  previous: Int32Array

  constructor(capacity: number) {
    this.next = new Int32Array(capacity)
    this.previous = new Int32Array(capacity)
  }

  /** Makes room for the items below `capacity`. All linked items must be below it; they stay linked. */
  resize(capacity: number): void {
    this.next = resized(this.next, new Int32Array(capacity))
    this.previous = resized(this.previous, new Int32Array(capacity))
  }
}

/** A list: first in, first out, with removal from anywhere. It makes no object for an item, so no garbage. */
export class LinkedList {
  readonly #links: Links
  #first = -1
  #last = -1
  #size = 0

  constructor(links: Links) {
    this.#links = links
  }

  /** The item that has been in the list the longest; -1 if the list is empty. */
  get first(): number {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  /** The item behind `item`; -1 for the last one. */
  after(item: number): number {
    return this.#links.next[item] as number
  }

  /** Appends an item that is in no list of these links. */
  push(item: number): void {
    const { next, previous } = this.#links
    next[item] = -1
    previous[item] = this.#last
    if (this.#last === -1) this.#first = item
    else next[this.#last] = item
    this.#last = item
    this.#size += 1
  }

  /** Removes an item that is in this list. */
  remove(item: number): void {
    const { next, previous } = this.#links
    const behind = next[item] as number
    const before = previous[item] as number
    if (before === -1) this.#first = behind
    else next[before] = behind
    if (behind === -1) this.#last = before
    else previous[behind] = before
    this.#size -= 1
  }
}
