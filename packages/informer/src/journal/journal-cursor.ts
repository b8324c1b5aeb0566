import { integer } from '@wherry/client/internal'
import type { Change } from '../change.ts'
import type { Entry } from '../entries/entry.ts'
import { Tombstone } from '../entries/tombstone.ts'
import type { Cursor } from './cursor.ts'
import type { Journal, JournalReader } from './journal.ts'

const checkMax = integer(1)

/**
 * The phase of a reader:
 *
 * - `start`: the reader has read nothing, or must begin again; `reset` is next.
 * - `tombstones`: the first part of a lap, for a cursor that has read some objects: it reads which of them were deleted.
 * - `births`: a lap over all objects, in the order of their creation.
 * - `following`: it reads changes, in the order of change.
 */
type Phase = 'start' | 'tombstones' | 'births' | 'following' | 'closed'

const marks = { reset: 'reset', synced: 'synced' } as const
type Mark = keyof typeof marks

/** The journal's {@link Cursor}: a few numbers, and the keys that its last `synced` reported as failed. It holds no object. */
export class JournalCursor<C> implements Cursor<C>, JournalReader {
  readonly #journal: Journal<C>
  #phase: Phase = 'start'
  /** Whether the cursor is between `reset` and `synced`. */
  #isReplaying = false
  /** The number up to which all changes had been read when the lap began. */
  #place = 0
  /** The number of the last change before the lap. After the lap, the cursor reads the changes that follow it. */
  #lapEnd = 0
  /** The number up to which the present order was read, the next index, and the generation of that index. */
  #at = 0
  #index = 0
  #generation = 0
  /** How many changes were read since the end was reached, or since the last lap. */
  #reads = 0
  /** The tick from which {@link lagMs} counts during a replay or a lap. */
  #tick: number
  #resets = 0
  /** The number up to which deletions had been read before the last `reset`. */
  #deletionsReadUpTo = -1
  /** The failed keys of the last `synced`. The user may hold an earlier value of these objects. */
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

  /** Whether `take` has a change, or the cursor was closed. */
  get isPending(): boolean {
    // The usual case, which is checked for each waiting cursor at each change.
    if (this.#phase === 'following' && !this.#isReplaying) return this.#journal.changes.last > this.#at
    if (this.closed) return true
    const before = this.readUpTo
    const found = this.#find() !== undefined
    this.#journal.tombstones.moved(before, this.readUpTo)
    return found
  }

  /** As for any {@link TombstoneReader}. */
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

  /** Calls the function of {@link wake}, and returns its result. */
  awake(): unknown {
    const fn: (() => unknown) | undefined = this.#fn
    this.#fn = undefined
    return fn?.()
  }

  /** Makes the cursor begin again: it fell behind the bounds on tombstones, or no event can express a deletion of an object that its user may hold. */
  lose(tick: number): void {
    if (!this.#isReplaying) {
      this.#tick = tick
      this.#deletionsReadUpTo = this.readUpTo
    }
    this.#phase = 'start'
    this.#resets++
  }

  /** Handles the deletion of an object without a value. The cursor begins again if its user may hold an earlier object of that key. */
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

  /** The next entry to read; entries that need not be read are skipped. */
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
   * Whether a lap is needed. A replay needs the objects from before the sync as well. And a cursor that never reaches the end of
   * the changes might otherwise never read some keys.
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

  /** The number of a node in the present order. */
  #numberOf(node: Entry<C> | Tombstone<C>): number {
    return this.#phase === 'births' ? (node as Entry<C>).born : node.changed
  }

  /** Handles the end of a lap, which ends a replay if the store had synced before the lap. */
  #findEnd(): Mark | undefined {
    const { changes, syncedAt } = this.#journal
    if (this.#isReplaying && this.#lapEnd >= syncedAt) return 'synced'
    this.#enter('following', this.#lapEnd, changes.after(this.#lapEnd), changes.generation)
    return undefined
  }

  /** Begins a lap. Changes up to `place` need not be read again. */
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

  /** Returns the keys of all objects without a value, for `synced`. Keeps the keys for which the user may hold an earlier object. */
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

  /** The next index in the present order. */
  #located(order: Journal<C>['changes'] | Journal<C>['births']): number {
    if (this.#generation !== order.generation) {
      this.#index = order.after(this.#at)
      this.#generation = order.generation
    }
    return this.#index
  }

  /** The number of marks that are still to come: 1 if `synced` is to come, else 0. */
  #ends(): number {
    const isReplaying = this.#isReplaying || this.#phase === 'start'
    return isReplaying && this.#journal.syncedAt <= this.#journal.head ? 1 : 0
  }
}
