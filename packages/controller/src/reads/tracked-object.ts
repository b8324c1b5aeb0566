import type { CheckedKey, View } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { TransformError } from '@wherry/informer'
import { versionOf } from '../objects/version.ts'
import type { ReadCause, ReadChange } from './cause.ts'
import type { ObjectDependency, Served } from './dependency.ts'
import { type DependencyEdge, DependencyTarget, type DependentKey, notify } from './dependency-graph.ts'

/**
 * The known state of an object, `undefined` if it is absent, or the error of an object that exists and could not be transformed.
 */
export type Known = { readonly state: unknown; readonly error?: undefined } | { readonly error: Error }

/** The state of an object that exists and could not be transformed. */
const notTransformed = Symbol('not transformed')

/** An object of a view, present or absent, that keys depend on. */
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

  /** The interval of polls, in milliseconds; `undefined` if the object is not polled. */
  get pollMs(): number | undefined {
    return undefined
  }

  /** The value of the last received state; `undefined`: the object is absent. @throws if the object could not be transformed */
  get value(): unknown {
    if (this.state === notTransformed) throw new TypeError('it could not be transformed')
    return this.valueIn({ state: this.state })
  }

  /**
   * The value of a known state, as a read returns it; `undefined`: the object is absent.
   * @throws the error of an object that could not be transformed
   */
  valueIn(known: Known): unknown {
    if (known.error !== undefined) throw known.error
    return known.state === undefined ? undefined : this.projected(known.state)
  }

  /** Whether a known state is the state that was received last. */
  isAt(known: Known): boolean {
    const state = stateOf(known)
    return this.state === state || isSame(this.state, state)
  }

  override async catchUp(signal: AbortSignal | undefined): Promise<void> {
    await this.ready(signal)
    // The cache may be behind, so the server is asked.
    if (this.isCatchingUp) await this.live(signal)
  }

  /** The known state, if it is not older than the writes of this process. */
  peek(): Known | undefined {
    const known = this.shown()
    // The known state may be newer than the last delivered one.
    if (known !== undefined) this.observe(known)
    return known
  }

  /** Resolves when {@link TrackedObject.peek} may return a state. Rejects if the object can't be watched. */
  abstract ready(signal: AbortSignal | undefined): Promise<void>

  /** Reads the object from the server, if `peek` returns `undefined`. */
  abstract live(signal: AbortSignal | undefined): Promise<Known>

  /** Asks the server for the object if it is read by its name, so that its state is received. */
  abstract compare(signal: AbortSignal | undefined): Promise<void>

  /** Records the present state. */
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

  /** Makes a key run again, because it may have missed a state that was received. */
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

  /** The known state, delivered or not; `undefined` if it may be older than a write of this process. */
  protected abstract shown(): Known | undefined

  /** The view's projection of a state. */
  protected projected(state: unknown): unknown {
    return state
  }

  protected override release(): void {
    this.#released()
  }
}

/** The known state of an object that could not be transformed. @throws any other error */
export function untransformed(error: unknown): Known {
  if (error instanceof TransformError) return { error }
  throw error
}

function stateOf(known: Known): unknown {
  return known.error === undefined ? known.state : notTransformed
}

/**
 * Whether two values are the same state: two sources may deliver one state as two objects. Projected values may lack the version, so they are
 * compared by value.
 */
function isSame(before: unknown, state: unknown): boolean {
  const version = versionOf(before)
  if (version !== undefined) return version === versionOf(state)
  if (before === undefined || state === undefined) return false
  try {
    return hash(before, { integers: 'bigint' }) === hash(state, { integers: 'bigint' })
  } catch {
    // A value that is not JSON can't be compared, so it counts as another state.
    return false
  }
}
