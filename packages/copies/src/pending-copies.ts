/**
 * Why a copy is looked at. `found`: it, or its source or namespace, was there at the start, or all copies are looked at again. `changed`: its
 * source or its namespace has changed. `drift`: somebody else has changed the copy.
 */
export type Reason = 'found' | 'changed' | 'drift'

/** The copies that are to be looked at, by namespace and name. */
export class PendingCopies {
  readonly #namespaces = new Map<string, Map<string, Reason>>()

  add(namespace: string, name: string, reason: Reason): void {
    const names = this.#namespaces.get(namespace)
    if (names === undefined) this.#namespaces.set(namespace, new Map([[name, reason]]))
    else names.set(name, reason)
  }

  /** Puts back what was taken, unless it was added again for a newer reason. */
  putBack(namespace: string, name: string, reason: Reason): void {
    if (this.#namespaces.get(namespace)?.has(name) !== true) this.add(namespace, name, reason)
  }

  /** Gives the copies of a namespace, and forgets them. */
  take(namespace: string): ReadonlyMap<string, Reason> {
    const names = this.#namespaces.get(namespace) ?? new Map<string, Reason>()
    this.#namespaces.delete(namespace)
    return names
  }
}
