import type { ReadTarget } from '@wherry/client/internal'

/** A resource in all its versions. */
export interface HeldResource {
  /** `''`: the core group. */
  readonly group: string
  readonly plural: string
}

/** Returns a promise if a list has to wait, or `undefined` if it may begin. `namespace`: that of the objects, if they are of one namespace. */
export type HoldReads = (namespace: string | undefined) => Promise<void> | undefined

/**
 * Resources that must not be listed yet, because the server's answer is known to be wrong. Reflectors ask before each
 * list and each streaming list. A watch goes on meanwhile.
 */
export class HeldReads {
  readonly #holds = new Map<string, HoldReads>()

  /** Holds back the reads of a resource. A later hold replaces an earlier one. Returns a function that ends this. */
  hold({ group, plural }: HeldResource, until: HoldReads): () => void {
    const key = `${group}/${plural}`
    this.#holds.set(key, until)
    return () => {
      if (this.#holds.get(key) === until) this.#holds.delete(key)
    }
  }

  /** The promise that a list has to wait for; `undefined`: it may begin. */
  of({ resource, namespace }: ReadTarget): Promise<void> | undefined {
    if (this.#holds.size === 0) return undefined
    const parts = resource.split('/')
    const group = parts.length === 3 ? parts[0] : ''
    return this.#holds.get(`${group}/${parts.at(-1)}`)?.(namespace)
  }
}
