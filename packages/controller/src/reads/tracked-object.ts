import type { View } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { versionOf } from '../objects/version.ts'
import type { ObjectDependency } from './dependency.ts'
import { type DependencyEdge, DependencyTarget, type DependentKey } from './dependency-graph.ts'
import type { Feed, Known } from './feed.ts'
import type { ObjectName } from './object-key.ts'

/** What stands for an object that is there and could not be transformed. */
const untold = Symbol('untold')

/** One object as one view has it, present or absent, that keys depend on. */
export class TrackedObject extends DependencyTarget {
  readonly view: View
  readonly key: ObjectName
  readonly #released: () => void
  readonly feed: Feed
  #isKnown = false
  #state: unknown
  #heard = 0

  constructor(view: View, key: ObjectName, feed: (object: TrackedObject) => Feed, released: () => void) {
    super()
    this.view = view
    this.key = key
    this.#released = released
    this.feed = feed(this)
  }

  /** What was heard last. */
  get state(): unknown {
    return this.#state
  }

  /** How often something was heard of it. */
  get heard(): number {
    return this.#heard
  }

  /** Whether that is what was heard of it last. */
  isAt(known: Known): boolean {
    const state = stateOf(known)
    return this.#state === state || isSame(this.#state, state)
  }

  override get isCatchingUp(): boolean {
    return this.feed.isCatchingUp
  }

  override async catchUp(signal: AbortSignal | undefined): Promise<void> {
    await this.feed.ready(signal)
    // Where only the server can tell, it has to be asked.
    if (this.feed.isCatchingUp) await this.feed.live(signal)
  }

  /** What is known of it now, if that is as new as it has to be. */
  peek(): Known | undefined {
    const known = this.feed.peek()
    // The feed may be ahead of what it has told.
    if (known !== undefined) this.observe(known)
    return known
  }

  /** It is known to be so now. */
  observe(known: Known): void {
    const state = stateOf(known)
    const before = this.#state
    const isFirst = !this.#isKnown
    if (!isFirst && before === state) return
    this.#heard += 1
    this.#isKnown = true
    this.#state = state
    if (isFirst || isSame(before, state)) return
    let value: unknown
    let isMade = false
    const valueNow = (): unknown => {
      if (state === untold) throw new TypeError('it could not be transformed')
      if (!isMade) value = state === undefined ? undefined : this.feed.value(state)
      isMade = true
      return value
    }
    this.tell(
      () => ({
        view: this.view.key,
        object: this.key.text,
        change: before === undefined ? 'appeared' : state === undefined ? 'vanished' : 'changed',
        from: versionOf(before),
        to: versionOf(state),
      }),
      edge => edge.hasChanged(valueNow),
    )
  }

  /** Something was heard of it that a key may have missed. */
  tellAgain(dependent: DependentKey): void {
    const to = versionOf(this.#state)
    dependent.changed({ view: this.view.key, object: this.key.text, change: 'changed', from: undefined, to })
  }

  describe(edge: DependencyEdge): Omit<ObjectDependency, 'served' | 'pollMs'> {
    return {
      type: 'object',
      view: this.view.key,
      object: this.key.text,
      present: this.#state !== undefined,
      resourceVersion: versionOf(this.#state),
      tracks: edge.tracks,
    }
  }

  protected override release(): void {
    this.feed.close()
    this.#released()
  }
}

function stateOf(known: Known): unknown {
  return known.error === undefined ? known.state : untold
}

/** One state may come in two ways, as two objects. Of what a projection makes, the version may be missing: its values are compared. */
function isSame(before: unknown, state: unknown): boolean {
  const version = versionOf(before)
  if (version !== undefined) return version === versionOf(state)
  if (before === undefined || state === undefined) return false
  try {
    return hash(before, { integers: 'bigint' }) === hash(state, { integers: 'bigint' })
  } catch {
    // A value that is no JSON can't be compared: it counts as another state.
    return false
  }
}
