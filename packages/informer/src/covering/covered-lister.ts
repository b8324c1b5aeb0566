import { type KeyOf, type KubernetesObject, LabelSelector, type Scope, type View } from '@wherry/client'
import { asKey, keyText, projector } from '@wherry/client/internal'
import { checkKey } from '../entries/identity.ts'
import type { KeyedListerOptions, Lister, ObjectVersion } from '../lister.ts'
import { covers } from './covers.ts'

/**
 * Reads `view` from the lister of a wider one, which must cover it ({@link covers}): selectors and projection are applied
 * on each read, and nothing is kept. If the view projects objects, equal reads return equal objects, not the same ones.
 *
 * An object of the wider view that could not be transformed belongs to the view if its key does.
 *
 * @throws RangeError if `wide` does not cover `view`
 */
export function coveredLister<C, S extends Scope>(wide: View, lister: Lister<unknown>, view: View<C, S>): Lister<C, S> {
  if (!covers(wide, view)) throw new RangeError(`${wide.key} does not cover ${view.key}`)
  return new CoveredLister<C, S>(wide, lister, view)
}

class CoveredLister<C, S extends Scope> implements Lister<C, S> {
  readonly #lister: Lister<unknown>
  readonly #resource: View['resource']
  readonly #project: (object: object) => C
  readonly #namespaces: ReadonlySet<string> | undefined
  readonly #fields: View['fields'] | undefined
  readonly #labels: LabelSelector | undefined
  readonly #hasMetadata: boolean

  constructor(wide: View, lister: Lister<unknown>, view: View<C, S>) {
    this.#lister = lister
    this.#resource = view.resource
    this.#hasMetadata = wide.projection.kind !== 'named'
    const isSame = wide.projection.kind === view.projection.kind
    this.#project = isSame ? object => object as C : projector(view)
    this.#namespaces =
      view.namespaces === undefined || view.namespaces.length === wide.namespaces?.length
        ? undefined
        : new Set(view.namespaces)
    this.#fields = wide.fields.text === view.fields.text ? undefined : view.fields
    this.#labels = wide.labels.text === view.labels.text ? undefined : view.labels
  }

  get(key: KeyOf<S> | string): C | undefined {
    const text = this.#within(key)
    const object = text === undefined ? undefined : this.#lister.get(text)
    return object !== undefined && this.#matches(object) ? this.#project(object as object) : undefined
  }

  list(options: KeyedListerOptions = {}): C[] {
    const { keys } = options
    const own = this.#labels
    const labels = own === undefined || options.labels === undefined ? own : own.and(LabelSelector.of(options.labels))
    const isWhole = this.#namespaces === undefined && this.#fields === undefined
    const within = (key: string): boolean => this.#isWithin(key) && (keys === undefined || keys(key))
    // A value of a caller's own projection may lack the key of its object, so the store is asked.
    const isAsked = !isWhole && !this.#hasMetadata
    const which: KeyedListerOptions = { ...options, labels: labels ?? options.labels, keys: isAsked ? within : keys }
    const objects = this.#lister.list(which)
    const left =
      isWhole || isAsked ? objects : objects.filter(object => this.#isWithin(keyText(asKey(object as KeyOf))))
    return left.map(object => this.#project(object as object))
  }

  *keys(): IterableIterator<string> {
    for (const key of this.#lister.keys()) if (this.#has(key)) yield key
  }

  get size(): number {
    if (this.#namespaces === undefined && this.#labels === undefined && this.#fields === undefined) {
      return this.#lister.size
    }
    let size = 0
    for (const _ of this.keys()) size += 1
    return size
  }

  failed(): readonly string[] {
    return this.#lister.failed().filter(key => this.#has(key))
  }

  version(key: KeyOf<S> | string): ObjectVersion | undefined {
    const text = this.#within(key)
    return text !== undefined && this.#has(text) ? this.#lister.version(text) : undefined
  }

  /** A key's text; `undefined` for a key outside the scope. @throws InvalidNameError for a value that can't be a key (rule X1) */
  #within(key: KeyOf<S> | string): string | undefined {
    const text = typeof key === 'string' ? key : checkKey(this.#resource, key)
    if (this.#isWithin(text)) return text
    checkKey(this.#resource, text)
    return undefined
  }

  #has(key: string): boolean {
    if (!this.#isWithin(key)) return false
    if (this.#labels === undefined) return this.#lister.version(key) !== undefined
    let object: unknown
    try {
      object = this.#lister.get(key)
    } catch {
      return true
    }
    return object !== undefined && this.#matches(object)
  }

  #isWithin(key: string): boolean {
    const slash = key.indexOf('/')
    const namespace = key.slice(0, Math.max(slash, 0))
    if (this.#namespaces !== undefined && !this.#namespaces.has(namespace)) return false
    return this.#fields?.allows({ namespace, name: key.slice(slash + 1) }) ?? true
  }

  #matches(object: unknown): boolean {
    return this.#labels === undefined || this.#labels.matches((object as KubernetesObject).metadata?.labels)
  }
}
