import type { KubernetesObject } from '@wherry/client'
import type { DependentKey } from './dependency-graph.ts'
import { type IndexValue, type SourceIndex, valuesOf } from './object-index.ts'
import type { Selection } from './selection.ts'
import type { SelectionScope } from './selection-scope.ts'

/**
 * The selections of an informer, by their names. It finds the selections that a changed object may be in by the object's namespace, labels and
 * index values: with 20,000 keys that list their own objects, one change must not cost 20,000 comparisons.
 */
export class SelectionIndex extends Map<string, Selection> {
  readonly #places = new Map<string, Set<Selection>>()
  /** The indices that selections use, each with the number of these selections. */
  readonly #indices = new Map<string, { readonly index: SourceIndex; count: number }>()

  add(selection: Selection): void {
    this.set(nameOf(selection.scope), selection)
    this.#count(selection, 1)
    for (const place of placesOf(selection.scope)) {
      const there = this.#places.get(place)
      if (there === undefined) this.#places.set(place, new Set([selection]))
      else there.add(selection)
    }
  }

  remove(selection: Selection): void {
    this.delete(nameOf(selection.scope))
    this.#count(selection, -1)
    for (const place of placesOf(selection.scope)) {
      const there = this.#places.get(place)
      there?.delete(selection)
      if (there?.size === 0) this.#places.delete(place)
    }
  }

  #count({ scope: { indexed } }: Selection, by: 1 | -1): void {
    if (indexed === undefined) return
    const { index } = indexed
    const found = this.#indices.get(index.name) ?? { index, count: 0 }
    found.count += by
    if (found.count > 0) this.#indices.set(index.name, found)
    else this.#indices.delete(index.name)
  }

  /** Notifies the selections that may contain an object, which has changed from `before` to `object`; `undefined`: absent. */
  changed(key: string, object: unknown, before: unknown): void {
    if (this.size === 0) return
    const namespace = key.slice(0, Math.max(key.indexOf('/'), 0))
    const found = [...this.#indices.values()].flatMap(({ index }) =>
      [before, object].flatMap(state => valuesOf(index, state).map(value => indexText({ index, value }))),
    )
    const places = new Set(['', ...found, ...labelsOf(before), ...labelsOf(object)])
    const concerned = new Set<Selection>()
    for (const within of new Set(['', namespace])) {
      for (const place of places) {
        for (const selection of this.#places.get(placeOf(within, place)) ?? []) concerned.add(selection)
      }
    }
    const reported = new Set<DependentKey>()
    for (const selection of concerned) selection.changed(key, object, before, reported)
  }
}

/** Equal selections have equal names. */
export function nameOf({ view, namespace, labels, indexed }: SelectionScope): string {
  return JSON.stringify([view.key, namespace ?? null, labels.text, indexed?.index.name, indexed?.value])
}

/** The places of a selection in the index: its value of an index, or each value of one of its labels, or else only its namespace. */
function placesOf({ view, namespace = '', filter, indexed }: SelectionScope): string[] {
  if (indexed !== undefined) return [placeOf(namespace, indexText(indexed))]
  const one = filter.requirements.find(({ operator }) => operator === 'in')
  // Projections without labels can't be filtered, so they are indexed by namespace only.
  if (one === undefined || view.projection.kind === 'named') return [placeOf(namespace, '')]
  return one.values.map(value => placeOf(namespace, labelText(one.key, value)))
}

function placeOf(namespace: string, label: string): string {
  return `${namespace}\n${label}`
}

/** The text of an index value. It differs from the text of each label. */
function indexText({ index, value }: IndexValue): string {
  return `\n${index.name}\n${value}`
}

function labelText(key: string, value: string): string {
  return `${key}=${value}`
}

function labelsOf(object: unknown): string[] {
  const labels = (object as KubernetesObject | undefined)?.metadata?.labels
  return labels === undefined ? [] : Object.entries(labels).map(([key, value]) => labelText(key, value))
}
