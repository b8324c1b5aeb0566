import type { Entry } from '../entries/entry.ts'
import { identityOf, isSameState } from '../entries/identity.ts'
import type { Replacement } from './intake.ts'
import type { IntakeTarget, PlainIntake } from './plain-intake.ts'

/** A list while it is being read. Of an object that the store has in that very state nothing is kept but a mark there. */
export class PlainReplacement<C> implements Replacement {
  /** What is not in the store in that state. */
  pending: Map<string, Entry<C>> = new Map<string, Entry<C>>()
  /** Entries that are in the store in that state, but came by another intake. */
  readonly others: Entry<C>[] = []
  /** Of what is pending, what the store has in that very state by its resourceVersion, and otherwise (rule R5). */
  readonly anew: Set<Entry<C>> = new Set<Entry<C>>()
  /** What entries are marked with that are in the store in that state. */
  readonly mark: number
  /** See {@link ReplaceOptions}. */
  readonly reuse: boolean
  readonly #target: IntakeTarget<C>
  readonly #intake: PlainIntake<C>
  #isOver = false

  constructor(target: IntakeTarget<C>, intake: PlainIntake<C>, reuse: boolean) {
    this.#target = target
    this.#intake = intake
    this.reuse = reuse
    this.mark = target.nextMark()
  }

  put(object: object, bytes: number): void {
    if (this.#isOver) return
    const identity = identityOf(object)
    const { key } = identity
    const isStaged = this.#intake.staged !== undefined
    const held = this.#target.entries.get(key)
    // Of what is staged each state is noted: by the time that it is published the store may be ahead.
    if (!isStaged && held !== undefined && isSameState(held, identity)) {
      const differing = this.reuse ? undefined : this.#target.receiveAnew(object, identity, bytes)
      if (differing !== undefined) {
        this.anew.add(differing)
        this.#set(key, differing)
        return
      }
      this.#set(key, undefined)
      held.mark = this.mark
      if (held.owner !== this.#intake.owner) this.others.push(held)
      return
    }
    const pending = this.pending.get(key)
    if (pending !== undefined && isSameState(pending, identity)) return
    this.#set(key, this.#target.receive(object, identity, bytes))
  }

  remove(object: object): void {
    const { key } = identityOf(object)
    this.#set(key, undefined)
    const held = this.#target.entries.get(key)
    if (held?.mark === this.mark) held.mark = 0
  }

  commit(resourceVersion?: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#intake.isOpen) this.#intake.committed(this, resourceVersion)
    else this.drop()
    this.pending = new Map()
  }

  drop(): void {
    this.#isOver = true
    this.pending = new Map()
  }

  #set(key: string, entry: Entry<C> | undefined): void {
    if (entry === undefined) this.pending.delete(key)
    else this.pending.set(key, entry)
  }
}
