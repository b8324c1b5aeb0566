import type { KubernetesObject, View } from '@wherry/client'
import type { Sink, SinkEvent } from '@wherry/watch-manager'
import { textOf } from './kinds.ts'
import { ObjectsOfKind } from './objects-of-kind.ts'

/** Receives that an object has come (`before` is missing), changed, or gone (`after` is missing); or, without both, that a kind has. */
export type OnChange<C> = (kind: string, before?: C, after?: C) => void

/**
 * The objects of the kinds that a registrar watches. A kind that the registrar no longer wants leaves the store at once.
 *
 * Decide nothing on a kind that is not ready: it may lack objects that the cluster has.
 */
export class ObjectStore<C extends KubernetesObject> implements Sink<C> {
  readonly #kinds = new Map<string, ObjectsOfKind<C>>()
  readonly #onChange: OnChange<C>

  constructor(onChange: OnChange<C>) {
    this.#onChange = onChange
  }

  /** The kinds that it has objects of, or could have. */
  get kinds(): readonly string[] {
    return [...this.#kinds.keys()]
  }

  /** Whether it has all objects of a kind. */
  isReady(kind: string): boolean {
    return this.#kinds.get(kind)?.isReady === true
  }

  /** How many objects of a kind it has. */
  count(kind: string): number {
    return this.#kinds.get(kind)?.size ?? 0
  }

  /** The objects of a kind; none if it is not watched. */
  objects(kind: string): readonly C[] {
    return this.#kinds.get(kind)?.all ?? []
  }

  /** The objects of a kind that have a value at a path such as `spec.rules.host`; lists on the way are looked through. */
  lookup(kind: string, path: string, value: unknown): readonly C[] {
    return this.#kinds.get(kind)?.index(path).get(value) ?? []
  }

  event(event: SinkEvent<C>): void {
    const kind = textOf(event.view.resource)
    let objects = this.#kinds.get(kind)
    if (objects === undefined) {
      objects = new ObjectsOfKind()
      this.#kinds.set(kind, objects)
    }
    if (event.type === 'changed') this.#onChange(kind, objects.set(event.key, event.object), event.object)
    else if (event.type === 'deleted') this.#onChange(kind, objects.delete(event.key) ?? event.object)
    else {
      if (event.type === 'reset') objects.begin()
      else objects.end(event.failed)
      this.#onChange(kind)
    }
  }

  removed(view: View<C>): void {
    const kind = textOf(view.resource)
    this.#kinds.delete(kind)
    this.#onChange(kind)
  }
}
