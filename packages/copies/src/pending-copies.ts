/**
 * The reason why a copy is checked. `found`: the copy or its source existed at the start, its namespace is new to the controller, or all copies are
 * checked again. `changed`: its source or its namespace has changed. `drift`: another program has changed or deleted the copy.
 */
export type Reason = 'found' | 'changed' | 'drift'

/** The copies to check, by namespace and name. */
export class PendingCopies {
  readonly #namespaces = new Map<string, Map<string, Reason>>()

  add(namespace: string, name: string, reason: Reason): void {
    const names = this.#namespaces.get(namespace)
    if (names === undefined) this.#namespaces.set(namespace, new Map([[name, reason]]))
    else names.set(name, reason)
  }

  /** Adds a copy, unless it is pending already: a copy that was taken may have been added again for a newer reason. */
  putBack(namespace: string, name: string, reason: Reason): void {
    if (this.#namespaces.get(namespace)?.has(name) !== true) this.add(namespace, name, reason)
  }

  /** Returns the pending copies of a namespace, and forgets them. */
  take(namespace: string): ReadonlyMap<string, Reason> {
    const names = this.#namespaces.get(namespace) ?? new Map<string, Reason>()
    this.#namespaces.delete(namespace)
    return names
  }
}
