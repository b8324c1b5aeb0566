import { integer } from '@wherry/client/internal'
import type { Change } from '../change.ts'
import type { Entry } from '../entries/entry.ts'
import { Tombstone } from '../entries/tombstone.ts'
import type { Cursor } from './cursor.ts'
import type { Journal, JournalReader } from './journal.ts'

const checkMax = integer(1)

/**
 * What a reader is doing:
 *
 * - `start`: it has read nothing, or must begin again; `reset` is next.
 * - `tombstones`: a lap's first part, for a cursor that has read some objects: which of them are gone.
 * - `births`: a lap over all objects, in the order of birth.
 * - `following`: the order of change.
 */
type Phase = 'start' | 'tombstones' | 'births' | 'following' | 'closed'

const marks = { reset: 'reset', synced: 'synced' } as const
type Mark = keyof typeof marks

/** The journal's {@link Cursor}: a few numbers, and the keys that `synced` said to be there without a value. It holds no object. */
export class JournalCursor<C> implements Cursor<C>, JournalReader {
  readonly #journal: Journal<C>
  #phase: Phase = 'start'
  /** Between `reset` and `synced`. */
  #isReplaying = false
  /** When the lap began, all changes up to this number had been read. */
  #place = 0
  /** Where the lap goes on in the order of change. */
  #lapEnd = 0
  /** The number up to which the order that it is in was read, the index that is next, and the generation of that index. */
  #at = 0
  #index = 0
  #generation = 0
  /** How many changes were read since the end was reached, or a lap. */
  #reads = 0
  /** When the replay or lap began, or what it is to catch up with. */
  #tick: number
  #resets = 0
  /** Before the last `reset`, deletions up to this number had been read. */
  #deletionsReadUpTo = -1
  /** The failed keys of its last `synced`. Its user may hold a value of them from before. */
  #kept: Set<string> | undefined
  #fn: (() => void) | undefined

  constructor(journal: Journal<C>) {
    this.#journal = journal
    this.#tick = journal.tick
    journal.readers.add(this)
  }

  get resets(): number {
    return this.#resets
  }

  get closed(): boolean {
    return this.#phase === 'closed'
  }

  /** Whether `take` would give something, or it was closed. */
  get isPending(): boolean {
    // Nearly always so, and asked of each that waits at each change.
    if (this.#phase === 'following' && !this.#isReplaying) return this.#journal.changes.last > this.#at
    if (this.closed) return true
    const before = this.readUpTo
    const found = this.#find() !== undefined
    this.#journal.tombstones.moved(before, this.readUpTo)
    return found
  }

  /** As a reader. */
  get readUpTo(): number {
    switch (this.#phase) {
      case 'tombstones':
      case 'following':
        return this.#at
      case 'births':
        return this.#lapEnd
      default:
        return Number.POSITIVE_INFINITY
    }
  }

  get lag(): number {
    const { changes, births } = this.#journal
    switch (this.#phase) {
      case 'start':
        return births.size + this.#ends() + 1
      case 'tombstones':
        return changes.countFrom(changes.after(this.#at)) + births.size + this.#ends()
      case 'births':
        return births.countFrom(births.after(this.#at)) + changes.countFrom(changes.after(this.#lapEnd)) + this.#ends()
      case 'following':
        return changes.countFrom(this.#located(changes)) + this.#ends()
      default:
        return 0
    }
  }

  get lagMs(): number {
    if (!(this.#phase === 'following' ? this.lag > 0 : this.isPending) || this.closed) return 0
    if (this.#phase !== 'following') return this.#journal.since(this.#tick)
    const { changes } = this.#journal
    const index = changes.next(this.#located(changes))
    return index < changes.end ? this.#journal.since(changes.at(index).tick) : this.#journal.since(this.#tick)
  }

  take(max: number): Change<C>[] {
    checkMax('max', max)
    const changes: Change<C>[] = []
    if (this.closed) return changes
    const before = this.readUpTo
    while (changes.length < max) {
      const found = this.#find()
      if (found === undefined) break
      changes.push(typeof found === 'string' ? this.#takeMark(found) : this.#takeNode(found))
    }
    this.#journal.tombstones.moved(before, this.readUpTo)
    return changes
  }

  wake(fn: () => void): void {
    const isWaiting = this.#fn !== undefined
    this.#fn = fn
    if (!isWaiting) this.#journal.wait(this)
  }

  /** Calls what {@link wake} was given, and gives what that gave. */
  awake(): unknown {
    const fn: (() => unknown) | undefined = this.#fn
    this.#fn = undefined
    return fn?.()
  }

  /** Begins again: it fell behind the bounds on tombstones, or its user may hold an object and no event can express the deletion. */
  lose(tick: number): void {
    if (!this.#isReplaying) {
      this.#tick = tick
      this.#deletionsReadUpTo = this.readUpTo
    }
    this.#phase = 'start'
    this.#resets++
  }

  /** An object without a value was deleted. The cursor begins again if it has reported that key to its user as failed. */
  mustReset(key: string): void {
    const before = this.readUpTo
    if (this.#isReplaying || before === Number.POSITIVE_INFINITY || this.#kept?.has(key) !== true) return
    this.lose(this.#journal.tick)
    this.#journal.tombstones.moved(before, this.readUpTo)
  }

  close(): void {
    if (this.closed) return
    const before = this.readUpTo
    this.#phase = 'closed'
    this.#kept = undefined
    this.#journal.readers.delete(this)
    this.#journal.tombstones.moved(before, Number.POSITIVE_INFINITY)
    if (this.#fn !== undefined) this.#journal.wake()
  }

  /** The next entry to read; those of no interest on the way there are passed. */
  #find(): Entry<C> | Tombstone<C> | Mark | undefined {
    for (;;) {
      switch (this.#phase) {
        case 'following': {
          const found = this.#findChange()
          if (!this.#isLapDue(found)) return found
          this.#beginLap(this.#at)
          break
        }
        case 'tombstones': {
          const found = this.#findInLap()
          if (found !== undefined) return found
          this.#enter('births', 0, 0, this.#journal.births.generation)
          break
        }
        case 'births': {
          const found = this.#findInLap() ?? this.#findEnd()
          if (found !== undefined) return found
          break
        }
        case 'start':
          return 'reset'
        default:
          return undefined
      }
    }
  }

  #findChange(): Entry<C> | Tombstone<C> | undefined {
    const { changes, head } = this.#journal
    this.#index = changes.next(this.#located(changes))
    if (this.#index < changes.end) return changes.at(this.#index)
    this.#at = head
    this.#reads = 0
    return undefined
  }

  /**
   * A replay needs more than what came before the store synced. And a cursor that always reads as much as there is, and does
   * not come to the end, may never read some keys.
   */
  #isLapDue(next: Entry<C> | Tombstone<C> | undefined): boolean {
    const { births, tombstones, head, syncedAt } = this.#journal
    if (this.#isReplaying && syncedAt <= head) return true
    if (next === undefined || this.#reads < births.size + tombstones.size) return false
    if (!this.#isReplaying) this.#tick = next.tick
    return true
  }

  /** The next in a part of a lap: a tombstone, or an object that was not read yet. */
  #findInLap(): Entry<C> | Tombstone<C> | undefined {
    const isOfTombstones = this.#phase === 'tombstones'
    const order = isOfTombstones ? this.#journal.changes : this.#journal.births
    this.#located(order)
    for (;;) {
      this.#index = order.next(this.#index)
      if (this.#index >= order.end) return undefined
      const node = order.at(this.#index)
      if (this.#numberOf(node) > this.#lapEnd) return undefined
      if (isOfTombstones ? node instanceof Tombstone : node.changed > this.#place) return node
      this.#at = this.#numberOf(node)
      this.#index++
    }
  }

  /** By what the order is that it is in. */
  #numberOf(node: Entry<C> | Tombstone<C>): number {
    return this.#phase === 'births' ? (node as Entry<C>).born : node.changed
  }

  /** A lap is over: so is a replay, if the store had synced before the lap. */
  #findEnd(): Mark | undefined {
    const { changes, syncedAt } = this.#journal
    if (this.#isReplaying && this.#lapEnd >= syncedAt) return 'synced'
    this.#enter('following', this.#lapEnd, changes.after(this.#lapEnd), changes.generation)
    return undefined
  }

  /** What was read up to `place` need not be read again. */
  #beginLap(place: number): void {
    const { changes, births, head } = this.#journal
    this.#place = place
    this.#lapEnd = head
    if (place === 0) this.#enter('births', 0, 0, births.generation)
    else this.#enter('tombstones', place, changes.after(place), changes.generation)
  }

  #enter(phase: Phase, at: number, index: number, generation: number): void {
    this.#phase = phase
    this.#at = at
    this.#index = index
    this.#generation = generation
    this.#reads = 0
  }

  #takeMark(mark: Mark): Change<C> {
    const { view, changes } = this.#journal
    if (mark === 'reset') {
      this.#isReplaying = true
      this.#beginLap(0)
      return { type: 'reset', view }
    }
    this.#isReplaying = false
    this.#enter('following', this.#lapEnd, changes.after(this.#lapEnd), changes.generation)
    return { type: 'synced', view, failed: this.#failed() }
  }

  /** Keys without a value. If it has read nothing of a key, nor of another object of that name, its user holds nothing. */
  #failed(): readonly string[] {
    const failed: string[] = []
    const kept = new Set<string>()
    for (const { key, changed } of this.#journal.failed()) {
      failed.push(key)
      if (changed > this.#deletionsReadUpTo || this.#kept?.has(key) === true) kept.add(key)
    }
    this.#kept = kept.size === 0 ? undefined : kept
    return failed
  }

  #takeNode(node: Entry<C> | Tombstone<C>): Change<C> {
    const { view } = this.#journal
    const { key } = node
    this.#at = this.#numberOf(node)
    this.#index++
    this.#reads++
    this.#kept?.delete(key)
    if (!(node instanceof Tombstone)) return { type: 'changed', view, key, object: node.value as C }
    const { object, finalStateUnknown } = node
    return { type: 'deleted', view, key, object, finalStateUnknown }
  }

  /** The index that is next in the order that it is in. */
  #located(order: Journal<C>['changes'] | Journal<C>['births']): number {
    if (this.#generation !== order.generation) {
      this.#index = order.after(this.#at)
      this.#generation = order.generation
    }
    return this.#index
  }

  /** One more where `synced` is to come. */
  #ends(): number {
    const isReplaying = this.#isReplaying || this.#phase === 'start'
    return isReplaying && this.#journal.syncedAt <= this.#journal.head ? 1 : 0
  }
}
