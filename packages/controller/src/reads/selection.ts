import { hash } from 'node:crypto'
import type { View } from '@wherry/client'
import { isSensitive } from '@wherry/client/internal'
import type { Lister } from '@wherry/informer'
import { versionOf } from '../objects/version.ts'
import type { ReadCause } from './cause.ts'
import type { SelectionDependency } from './dependency.ts'
import { type DependencyEdge, DependencyTarget, type DependentKey, notify } from './dependency-graph.ts'
import { ownerIndex, type SelectionScope, selects } from './selection-scope.ts'

/** The informer of a selection, as the selection needs it. */
export interface SelectionSource {
  /** Whether it shows the selected objects as new as this process knows them. */
  has(scope: SelectionScope): boolean
  /** Resolves when it may. Rejects with the signal's reason, an `OwnWriteTimeoutError`, or as the informer's own `whenSynced` does. */
  ready(scope: SelectionScope, signal: AbortSignal | undefined): Promise<void>
  lister(view: View): Lister<unknown>
  projection(view: View): (object: object) => unknown
  drop(selection: Selection): void
}

/** The objects of a view that some labels select, in one namespace or all, or that one object controls: what keys have listed. */
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

  /** The objects; `undefined` where that would be older than it may be. */
  list(): unknown[] | undefined {
    return this.isCatchingUp ? undefined : this.#list()
  }

  /** Resolves when {@link Selection.list} may know. */
  override catchUp(signal: AbortSignal | undefined): Promise<void> {
    return this.#source.ready(this.scope, signal)
  }

  /** An object of the source was `before`, and is `object` now; `undefined`: absent. @param reported the keys that know it already; grows */
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

/** A value of an index as it may be reported: of a Secret it may be the Secret's data, so a digest names it (rule X3). */
export function shown({ resource }: Pick<View, 'resource'>, value: string | undefined): string | undefined {
  return value === undefined || !isSensitive(resource)
    ? value
    : `sha256:${hash('sha256', value, 'base64url').slice(0, 22)}`
}

/** Made when it is asked for, once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
