import { at, type Version } from './version.ts'

/** Receives each change of a collection, in order, within the commit. Must not throw. */
export interface Observer {
  offer(version: Version): void
}

interface Entry {
  readonly key: string
  current: Version
}

/**
 * The objects of one resource with their history, in key order, and their observers.
 *
 * As in a real server, the history has two parts. The old states, which `Exact` lists and continue tokens read, are kept until compaction. The log of changes,
 * from which watches resume, is kept until the watch cache drops it.
 */
export class Collection {
  readonly #entries = new Map<string, Entry>()
  #ordered: Entry[] = []
  #sorted = true
  #live = 0
  #log: Version[] = []
  #logFloor: number
  readonly #wide = new Set<Observer>()
  readonly #keyed = new Map<string, Set<Observer>>()

  /** `floor` is the resourceVersion below which no watch of this collection can start. */
  constructor(floor: number) {
    this.#logFloor = floor
  }

  /** The current number of objects. */
  get size(): number {
    return this.#live
  }

  /** The resourceVersion below which a watch is answered with 410. */
  get logFloor(): number {
    return this.#logFloor
  }

  get(key: string): Version | undefined {
    const current = this.#entries.get(key)?.current
    return current === undefined || current.type === 'DELETED' ? undefined : current
  }

  /** The newest state of a key, even if it is a deletion. */
  latest(key: string): Version | undefined {
    return this.#entries.get(key)?.current
  }

  commit(version: Version): void {
    const entry = this.#entries.get(version.key)
    if (entry === undefined) {
      const added = { key: version.key, current: version }
      this.#entries.set(version.key, added)
      const last = this.#ordered.at(-1)
      if (last !== undefined && last.key > version.key) this.#sorted = false
      this.#ordered.push(added)
    } else {
      entry.current = version
    }
    if (version.type === 'ADDED') this.#live++
    else if (version.type === 'DELETED') this.#live--
    this.#log.push(version)
    for (const observer of this.#wide) observer.offer(version)
    const keyed = this.#keyed.get(version.key)
    if (keyed !== undefined) for (const observer of [...keyed]) observer.offer(version)
  }

  /** The states at `rv` (default: now) of the keys that begin with `prefix`, from `start` on, in key order. */
  snapshot(prefix: string, start: string = prefix, rv: number = Number.POSITIVE_INFINITY): Version[] {
    const ordered = this.#inOrder()
    const states: Version[] = []
    for (let i = this.#lowerBound(start > prefix ? start : prefix); i < ordered.length; i++) {
      const entry = ordered[i] as Entry
      if (!entry.key.startsWith(prefix)) break
      const state = entry.current.rv <= rv ? entry.current : at(entry.current, rv)
      if (state !== undefined && state.type !== 'DELETED') states.push(state)
    }
    return states
  }

  /** The changes after `rv`, in order. `rv` must not be less than `logFloor`. */
  changesSince(rv: number): Version[] {
    let low = 0
    let high = this.#log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#log[middle] as Version).rv <= rv) low = middle + 1
      else high = middle
    }
    return this.#log.slice(low)
  }

  /** Watches all keys, or a single key. Returns a function that ends the watch. */
  observe(observer: Observer, key?: string): () => void {
    if (key === undefined) {
      this.#wide.add(observer)
      return () => this.#wide.delete(observer)
    }
    const set = this.#keyed.get(key) ?? new Set()
    this.#keyed.set(key, set.add(observer))
    return () => {
      set.delete(observer)
      if (set.size === 0 && this.#keyed.get(key) === set) this.#keyed.delete(key)
    }
  }

  /** Drops the changes up to `rv`. From then on, watches that start below `rv` are answered with 410. */
  forgetLog(rv: number): void {
    if (rv <= this.#logFloor) return
    this.#log = this.changesSince(rv)
    this.#logFloor = rv
  }

  /** Drops the states that no client can read any more: older than `compacted`, and not needed by the log. */
  prune(compacted: number): void {
    const floor = Math.min(compacted, this.#logFloor)
    let gone = false
    for (const entry of this.#entries.values()) {
      const { current } = entry
      if (current.type === 'DELETED' && current.rv <= floor) {
        this.#entries.delete(entry.key)
        gone = true
        continue
      }
      let state: Version | undefined = current
      while (state !== undefined && state.rv > floor) state = state.prev
      if (state !== undefined) state.prev = undefined
    }
    if (gone) this.#ordered = this.#ordered.filter(entry => this.#entries.get(entry.key) === entry)
  }

  /** Goes back to the states at `rv`. The log starts there again. */
  restore(rv: number): void {
    for (const entry of this.#entries.values()) {
      let state: Version | undefined = entry.current
      while (state !== undefined && state.rv > rv) state = state.prev
      if (state === undefined) this.#entries.delete(entry.key)
      else entry.current = state
    }
    this.#ordered = this.#ordered.filter(entry => this.#entries.get(entry.key) === entry)
    this.#live = this.#ordered.filter(entry => entry.current.type !== 'DELETED').length
    this.#log = []
    this.#logFloor = rv
  }

  #inOrder(): Entry[] {
    if (!this.#sorted) {
      this.#ordered.sort((a, b) => (a.key < b.key ? -1 : 1))
      this.#sorted = true
    }
    return this.#ordered
  }

  #lowerBound(key: string): number {
    const ordered = this.#inOrder()
    let low = 0
    let high = ordered.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ordered[middle] as Entry).key < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
