import { OptionTypeError } from '@wherry/client'
import { callback, type ReadTarget } from '@wherry/client/internal'

/** A resource in all its versions. */
export interface HeldResource {
  /** `''`: the core group. */
  readonly group: string
  readonly plural: string
}

/** Checks the group and the plural of a resource: a view, for example, would match no resource. @throws OptionTypeError */
export function checkHeldResource(option: string, value: unknown): void {
  const { group, plural } = Object(value) as { readonly group?: unknown; readonly plural?: unknown }
  if (typeof group === 'string' && typeof plural === 'string') return
  throw new OptionTypeError(option, "the { group, plural } of a resource, as a view's `resource` is", typeof value)
}

/** Returns a promise if a list has to wait, or `undefined` if it may begin. `namespace`: that of the objects, if they are of one namespace. */
export type HoldReads = (namespace: string | undefined) => Promise<void> | undefined

/**
 * Resources that must not be listed yet, because the server's answer is known to be wrong. Reflectors ask before each
 * list and each streaming list. A watch goes on meanwhile.
 */
export class HeldReads {
  readonly #holds = new Map<string, HoldReads>()

  /**
   * Holds back the reads of a resource. A later hold replaces an earlier one. Returns a function that ends this.
   * @throws OptionTypeError
   */
  hold(resource: HeldResource, until: HoldReads): () => void {
    checkHeldResource('holdReads.resource', resource)
    callback('holdReads.until', until)
    const key = `${resource.group}/${resource.plural}`
    this.#holds.set(key, until)
    return () => {
      if (this.#holds.get(key) === until) this.#holds.delete(key)
    }
  }

  /** The promise that a list has to wait for; `undefined`: it may begin. The promise rejects with the error of a hold's function. */
  of({ resource, namespace }: ReadTarget): Promise<void> | undefined {
    if (this.#holds.size === 0) return undefined
    const parts = resource.split('/')
    const group = parts.length === 3 ? parts[0] : ''
    try {
      return this.#holds.get(`${group}/${parts.at(-1)}`)?.(namespace)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
