import { ignored, watched } from '@wherry/client/internal'
import { hash } from '@wherry/hash-compare'
import type { ReadCause } from './cause.ts'

/** Receives keys that are to run again. */
export interface DependencyListener {
  changed(key: string, cause: ReadCause): void
  /** A key no longer depends on anything. */
  freed(dependent: DependentKey): void
}

/** A key, and its dependencies. */
export class DependentKey {
  readonly key: string
  readonly #listener: DependencyListener
  /** The reads of the last run that succeeded. */
  #succeeded: readonly DependencyEdge[] = none
  /** The reads of the last run, if it failed. */
  #failed: readonly DependencyEdge[] = none
  /** The run that is under way. */
  run: { fail(): void; cancel(): void } | undefined

  constructor(key: string, listener: DependencyListener) {
    this.key = key
    this.#listener = listener
  }

  /** The objects and selections that the key depends on, without the reads of a run that is under way. */
  get edges(): readonly DependencyEdge[] {
    return this.#failed.length === 0 ? this.#succeeded : [...this.#succeeded, ...this.#failed]
  }

  changed(cause: ReadCause): void {
    this.#listener.changed(this.key, cause)
  }

  /** Replaces all dependencies (rule C11). */
  succeed(edges: readonly DependencyEdge[]): void {
    const before = this.edges
    this.#succeeded = edges.length === 0 ? none : edges
    this.#failed = none
    remove(before)
    if (edges.length === 0) this.#listener.freed(this)
  }

  /** Adds the dependencies of a failed run, which replace those of an earlier failed run (rule C12). */
  fail(edges: readonly DependencyEdge[]): void {
    const before = this.#failed
    this.#failed = edges.length === 0 ? none : edges
    remove(before)
    if (this.edges.length === 0) this.#listener.freed(this)
  }
}

/** Shared, since most keys have no failed run. */
const none: readonly DependencyEdge[] = []

/** Notifies each key that has read a changed object, once. @param notified the keys that were notified already; new ones are added */
export function notify(
  edges: readonly DependencyEdge[],
  cause: ReadCause,
  notified: Set<DependentKey> = new Set(),
): void {
  for (const { dependent } of edges) {
    if (notified.has(dependent)) continue
    notified.add(dependent)
    dependent.changed(cause)
  }
}

/** Takes edges out of the graph. */
export function remove(edges: readonly DependencyEdge[]): void {
  for (const edge of edges) edge.target.removeEdge(edge)
}

/** A part of an object that was read, and a digest of its value. */
interface Part {
  readonly select: (object: never) => unknown
  digest: string
}

/** The digest of a part of an absent object. */
const nothing = ''
/** The digest of a part that can't be read: it differs from every digest, also from itself. */
const unknown = '?'

/** An object or a selection that one run of a key has read, with the read parts. */
export class DependencyEdge {
  readonly dependent: DependentKey
  readonly target: DependencyTarget
  #isWhole = false
  #parts: Part[] | undefined

  constructor(dependent: DependentKey, target: DependencyTarget) {
    this.dependent = dependent
    this.target = target
  }

  get tracks(): 'whole' | 'selected' {
    return this.#isWhole ? 'whole' : 'selected'
  }

  /** Records that the whole object was read. */
  whole(): void {
    this.#isWhole = true
    this.#parts = undefined
  }

  /**
   * Records that a run read the part of `object` that `select` returns, and returns the part. If the part can't be tracked, the whole object is.
   * @throws the error of `select`, or a NotJsonError for its result
   */
  part<V>(select: (object: never) => V, object: unknown): V | undefined {
    let digest = unknown
    try {
      const selected = selectedOf(select, object)
      digest = digestOf(selected)
      return selected
    } finally {
      if (digest === unknown) this.whole()
      else if (!this.#isWhole) {
        this.#parts ??= []
        this.#parts.push({ select, digest })
      }
    }
  }

  /**
   * Records that a run read a part of each of these objects, and returns the parts. If a part can't be tracked, the whole objects are.
   * @throws the error of `select`, or a NotJsonError for its result
   */
  partOfEach<V>(select: (object: never) => V, objects: readonly unknown[]): V[] {
    let isTracked = false
    try {
      const selected = objects.map(object => selectedOf(select, object) as V)
      for (const one of selected) digestOf(one)
      isTracked = true
      return selected
    } finally {
      if (!isTracked) this.whole()
      else if (!this.#isWhole) {
        this.#parts ??= []
        this.#parts.push({ select, digest: nothing })
      }
    }
  }

  /** Whether a part that a run read of an object differs between two states of the object. */
  differs(was: () => unknown, is: () => unknown): boolean {
    if (this.#isWhole) return true
    return (this.#parts ?? []).some(part => {
      const digest = digestNow(part, is)
      return digest === unknown || digest !== digestNow(part, was)
    })
  }

  /** Returns whether a part that was read has another value now, and remembers the new values. Call it once for each change. */
  hasChanged(object: () => unknown): boolean {
    if (this.#isWhole) return true
    let hasChanged = false
    for (const part of this.#parts ?? []) {
      const digest = digestNow(part, object)
      if (digest !== part.digest || digest === unknown) hasChanged = true
      part.digest = digest
    }
    return hasChanged
  }
}

function digestNow({ select }: Part, object: () => unknown): string {
  try {
    return digestOf(selectedOf(select, object()))
  } catch {
    // The key runs again, and its read gets the error.
    return unknown
  }
}

function selectedOf<V>(select: (object: never) => V, object: unknown): V | undefined {
  if (object === undefined) return undefined
  const selected = select(object as never)
  // A promise is not JSON, so it is an error in any case. Its own rejection must not end the process.
  watched(selected, ignored)
  return selected
}

function digestOf(value: unknown): string {
  return value === undefined ? nothing : hash(value, { integers: 'bigint' })
}

/**
 * An object or a selection that keys depend on. It is watched once, however many keys depend on it, and is released when
 * no key depends on it any more (rule C14).
 */
export abstract class DependencyTarget {
  /** Most targets have one edge. A set for each target would take more memory than all else. */
  #edges: DependencyEdge | Set<DependencyEdge> | undefined
  /** Reads that are under way. */
  #pins = 0
  /** Whether the target was released: nothing is watched for it any more. */
  protected isOver = false

  /** The edges of the keys that depend on the target now. */
  get edges(): readonly DependencyEdge[] {
    if (this.#edges === undefined) return []
    return this.#edges instanceof Set ? [...this.#edges] : [this.#edges]
  }

  addEdge(edge: DependencyEdge): void {
    if (this.#edges === undefined) this.#edges = edge
    else if (this.#edges instanceof Set) this.#edges.add(edge)
    else this.#edges = new Set([this.#edges, edge])
  }

  removeEdge(edge: DependencyEdge): void {
    if (this.#edges instanceof Set) {
      this.#edges.delete(edge)
      if (this.#edges.size === 0) this.#edges = undefined
    } else if (this.#edges === edge) this.#edges = undefined
    this.#look()
  }

  /** Keeps the target until {@link DependencyTarget.unpin}. */
  pin(): void {
    this.#pins += 1
  }

  unpin(): void {
    this.#pins -= 1
    this.#look()
  }

  /** Releases the target, even if keys depend on it. Idempotent. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.#edges = undefined
    this.release()
  }

  /** Whether the known state may be older than the server's. */
  abstract get isCatchingUp(): boolean

  /** Resolves when the target may have caught up. Rejects if it can't. */
  abstract catchUp(signal: AbortSignal | undefined): Promise<void>

  /** Ends the watch of the target. */
  protected abstract release(): void

  #look(): void {
    if (this.#pins === 0 && this.#edges === undefined) this.end()
  }
}
