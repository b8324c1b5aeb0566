import { hash } from 'node:crypto'
import type { View } from '@wherry/client'
import { isSensitive } from '@wherry/client/internal'
import type { Lister } from '@wherry/informer'
import { versionOf } from '../objects/version.ts'
import type { ReadCause } from './cause.ts'
import type { SelectionDependency } from './dependency.ts'
import { type DependencyEdge, DependencyTarget, type DependentKey, notify } from './dependency-graph.ts'
import { ownerIndex, type SelectionScope, selects } from './selection-scope.ts'

/** The part of an informer that a selection needs. */
export interface SelectionSource {
  /** Whether the informer is current, and shows all writes of this process to the selected objects. */
  has(scope: SelectionScope): boolean
  /** Resolves when {@link SelectionSource.has} is true. Rejects with the signal's reason, an `OwnWriteTimeoutError`, or as the informer's `whenSynced` does. */
  ready(scope: SelectionScope, signal: AbortSignal | undefined): Promise<void>
  lister(view: View): Lister<unknown>
  projection(view: View): (object: object) => unknown
  drop(selection: Selection): void
}

/** A selection that keys have listed: objects of a view by labels, in one namespace or all, or those that an index finds, such as that of owners. */
export class Selection extends DependencyTarget {
  readonly scope: SelectionScope
  readonly #source: SelectionSource
  readonly #lister: Lister<unknown>
  readonly #project: (object: object) => unknown

  constructor(source: SelectionSource, scope: SelectionScope) {
    super()
    this.scope = scope
    this.#source = source
    this.#lister = source.lister(scope.view)
    this.#project = source.projection(scope.view)
  }

  override get isCatchingUp(): boolean {
    return !this.#source.has(this.scope)
  }

  /** The objects; `undefined` if the informer is not current, or lacks a write of this process. */
  list(): unknown[] | undefined {
    return this.isCatchingUp ? undefined : this.#list()
  }

  /** Resolves when {@link Selection.list} may return the objects. */
  override catchUp(signal: AbortSignal | undefined): Promise<void> {
    return this.#source.ready(this.scope, signal)
  }

  /**
   * Handles a change of an object of the source from `before` to `object`; `undefined`: absent.
   * @param reported the keys that were notified already; new ones are added
   */
  changed(key: string, object: unknown, before: unknown, reported: Set<DependentKey>): void {
    const was = before !== undefined && selects(this.scope, key, before)
    const is = object !== undefined && selects(this.scope, key, object)
    if (!was && !is) return
    const cause: ReadCause = {
      view: this.scope.view.key,
      object: key,
      change: !was ? 'appeared' : is ? 'changed' : 'vanished',
      from: was ? versionOf(before) : undefined,
      to: is ? versionOf(object) : undefined,
    }
    if (!was || !is) return notify(this.edges, cause, reported)
    const old = once(() => this.#project(before as object))
    const now = once(() => this.#project(object as object))
    const concerned = this.edges.filter(edge => !reported.has(edge.dependent) && edge.differs(old, now))
    notify(concerned, cause, reported)
  }

  describe({ tracks }: DependencyEdge): SelectionDependency {
    const { view, namespace, labels, indexed } = this.scope
    const isOwner = indexed?.index === ownerIndex
    const owner = isOwner ? indexed.value : undefined
    const value = isOwner ? undefined : shown(view, indexed?.value)
    const objects = this.#list().length
    return {
      type: 'selection',
      view: view.key,
      namespace,
      labels: labels.text,
      owner,
      value,
      objects,
      served: 'informer',
      tracks,
    }
  }

  #list(): unknown[] {
    const { namespace, labels, indexed } = this.scope
    const index = indexed && { name: indexed.index.name, value: indexed.value }
    return this.#lister.list({ namespace, labels, index })
  }

  protected override release(): void {
    this.#source.drop(this)
  }
}

/** A value of an index for messages. For Secrets it is a digest, because the value may be the Secret's data (rule X3). */
export function shown({ resource }: Pick<View, 'resource'>, value: string | undefined): string | undefined {
  return value === undefined || !isSensitive(resource)
    ? value
    : `sha256:${hash('sha256', value, 'base64url').slice(0, 22)}`
}

/** Returns a function that calls `make` at its first call, and then returns the same value. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
