import type { CheckedKey, View } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { TransformError } from '@wherry/informer'
import { versionOf } from '../objects/version.ts'
import type { ReadCause, ReadChange } from './cause.ts'
import type { ObjectDependency, Served } from './dependency.ts'
import { type DependencyEdge, DependencyTarget, type DependentKey, notify } from './dependency-graph.ts'

/**
 * The known state of an object: something that stands for it, the same for the same state; `undefined`: absent. Or the
 * error of an object that is there and could not be transformed.
 */
export type Known = { readonly state: unknown; readonly error?: undefined } | { readonly error: Error }

/** What stands for an object that is there and could not be transformed. */
const notTransformed = Symbol('not transformed')

/** One object as one view has it, present or absent, that keys depend on. */
export abstract class TrackedObject extends DependencyTarget {
  readonly view: View
  readonly key: CheckedKey
  readonly #released: () => void
  /** The state that was received last. */
  state: unknown
  /** How many states were received. */
  seen = 0

  constructor(view: View, key: CheckedKey, released: () => void) {
    super()
    this.view = view
    this.key = key
    this.#released = released
  }

  /** How the object is kept up to date. */
  abstract readonly served: Exclude<Served, 'escalated'>

  /** How often the server is asked for it, in milliseconds, where it is polled. */
  get pollMs(): number | undefined {
    return undefined
  }

  /** The value of the state that was received last; `undefined`: it is absent. @throws if it could not be transformed */
  get value(): unknown {
    if (this.state === notTransformed) throw new TypeError('it could not be transformed')
    return this.valueIn({ state: this.state })
  }

  /** What it reads as; `undefined`: it is absent. @throws the error of an object that could not be transformed */
  valueIn(known: Known): unknown {
    if (known.error !== undefined) throw known.error
    return known.state === undefined ? undefined : this.projected(known.state)
  }

  /** Whether that is the state that was received last. */
  isAt(known: Known): boolean {
    const state = stateOf(known)
    return this.state === state || isSame(this.state, state)
  }

  override async catchUp(signal: AbortSignal | undefined): Promise<void> {
    await this.ready(signal)
    // If only the server knows, it has to be asked.
    if (this.isCatchingUp) await this.live(signal)
  }

  /** Its known state, if that is as new as it has to be. */
  peek(): Known | undefined {
    const known = this.shown()
    // That may be ahead of what was delivered.
    if (known !== undefined) this.observe(known)
    return known
  }

  /** Resolves when {@link TrackedObject.peek} may know. Rejects if the object can't be watched. */
  abstract ready(signal: AbortSignal | undefined): Promise<void>

  /** The object as the server has it, for when `peek` does not know. */
  abstract live(signal: AbortSignal | undefined): Promise<Known>

  /** Asks the server for the object if it is read by its name, so that its state is received. */
  abstract compare(signal: AbortSignal | undefined): Promise<void>

  /** It is known to be so now. */
  protected observe(known: Known): void {
    const state = stateOf(known)
    const before = this.state
    const isFirst = this.seen === 0
    if (!isFirst && before === state) return
    this.seen += 1
    this.state = state
    if (isFirst || isSame(before, state)) return
    let made: { readonly value: unknown } | undefined
    const valueNow = (): unknown => {
      made ??= { value: this.value }
      return made.value
    }
    const change = before === undefined ? 'appeared' : state === undefined ? 'vanished' : 'changed'
    const concerned = this.edges.filter(edge => edge.hasChanged(valueNow))
    notify(concerned, this.#cause(change, before))
  }

  /** A state was received that a key may have missed. */
  reportAgain(dependent: DependentKey): void {
    dependent.changed(this.#cause('changed', undefined))
  }

  #cause(change: ReadChange, before: unknown): ReadCause {
    const { view, key } = this
    return { view: view.key, object: key.text, change, from: versionOf(before), to: versionOf(this.state) }
  }

  describe(edge: DependencyEdge): ObjectDependency {
    return {
      type: 'object',
      view: this.view.key,
      object: this.key.text,
      present: this.state !== undefined,
      served: this.served,
      pollMs: this.pollMs,
      resourceVersion: versionOf(this.state),
      tracks: edge.tracks,
    }
  }

  /** Its known state, delivered or not; `undefined` if it may be older than what this process knows. */
  protected abstract shown(): Known | undefined

  /** What a state reads as: the object as the view has it. */
  protected projected(state: unknown): unknown {
    return state
  }

  protected override release(): void {
    this.#released()
  }
}

/** That an object could not be transformed is something to know of it. @throws any other error */
export function untransformed(error: unknown): Known {
  if (error instanceof TransformError) return { error }
  throw error
}

function stateOf(known: Known): unknown {
  return known.error === undefined ? known.state : notTransformed
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
