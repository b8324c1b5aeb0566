import type { KubernetesObject } from '@wherry/client'
import type { DependentKey } from './dependency-graph.ts'
import type { Selection } from './selection.ts'
import { ownerUids, type SelectionScope } from './selection-scope.ts'

/**
 * Selections by what they ask for, so that a change of one object is looked up by its namespace and its labels and not
 * compared with each: with 20,000 keys that list their own objects, one change must not cost 20,000 comparisons. By their names.
 */
export class SelectionIndex extends Map<string, Selection> {
  readonly #places = new Map<string, Set<Selection>>()

  add(selection: Selection): void {
    this.set(nameOf(selection.scope), selection)
    for (const place of placesOf(selection.scope)) {
      const there = this.#places.get(place)
      if (there === undefined) this.#places.set(place, new Set([selection]))
      else there.add(selection)
    }
  }

  remove(selection: Selection): void {
    this.delete(nameOf(selection.scope))
    for (const place of placesOf(selection.scope)) {
      const there = this.#places.get(place)
      there?.delete(selection)
      if (there?.size === 0) this.#places.delete(place)
    }
  }

  /** An object was `before`, and is `object` now; `undefined`: absent. Tells all that it may be in. */
  changed(key: string, object: unknown, before: unknown): void {
    if (this.size === 0) return
    const namespace = key.slice(0, Math.max(key.indexOf('/'), 0))
    const places = new Set(['', ...ownerUids(before), ...ownerUids(object), ...labelsOf(before), ...labelsOf(object)])
    const concerned = new Set<Selection>()
    for (const within of new Set(['', namespace])) {
      for (const place of places) {
        for (const selection of this.#places.get(placeOf(within, place)) ?? []) concerned.add(selection)
      }
    }
    const told = new Set<DependentKey>()
    for (const selection of concerned) selection.changed(key, object, before, told)
  }
}

/** Equal selections have equal names. */
export function nameOf({ view, namespace, labels, owner }: SelectionScope): string {
  return JSON.stringify([view.key, namespace ?? null, labels.text, owner])
}

/** Where it is looked for: under its owner, under each value of one label that it asks for, or else under its namespace alone. */
function placesOf({ view, namespace = '', filter, owner }: SelectionScope): string[] {
  if (owner !== undefined) return [placeOf(namespace, owner)]
  const one = filter.requirements.find(({ operator }) => operator === 'in')
  // Of what keeps no labels it can't be told whether it is in: all of it is looked at.
  if (one === undefined || view.projection.kind === 'named') return [placeOf(namespace, '')]
  return one.values.map(value => placeOf(namespace, labelText(one.key, value)))
}

function placeOf(namespace: string, label: string): string {
  return `${namespace}\n${label}`
}

function labelText(key: string, value: string): string {
  return `${key}=${value}`
}

function labelsOf(object: unknown): string[] {
  const labels = (object as KubernetesObject | undefined)?.metadata?.labels
  return labels === undefined ? [] : Object.entries(labels).map(([key, value]) => labelText(key, value))
}
