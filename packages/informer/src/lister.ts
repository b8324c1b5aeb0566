import type { KeyOf, LabelSelectorInput, Scope } from '@wherry/client'

/** Which objects to list. All given options must hold. */
export interface ListerOptions {
  /** Only objects of this namespace. @default all */
  readonly namespace?: string | undefined
  /** Only objects with these labels. A label index is used if there is one. @default all */
  readonly labels?: LabelSelectorInput | undefined
  /** Only objects with this value of an index, which must have been added. @default all */
  readonly index?: { readonly name: string; readonly value: string } | undefined
}

/** The options that a covered lister passes to the wide lister. They select by keys, too, because a projected value may lack its object's key. */
export interface KeyedListerOptions extends ListerOptions {
  /** Returns true for the keys of objects to list. @default all */
  readonly keys?: ((key: string) => boolean) | undefined
}

/** The version of a stored object, even if the view's projection drops it. */
export interface ObjectVersion {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

/**
 * The reading side of a store. The objects are those of the store: never change one, change a `structuredClone(object)` (rule R37).
 */
export interface Lister<C, S extends Scope = Scope> {
  /**
   * Returns one object; `undefined` if it does not exist. The key is `{ name, namespace }` or its text, `namespace/name`.
   * @throws TransformError if the object exists and could not be transformed.
   */
  get(key: KeyOf<S> | string): C | undefined
  /** All objects that `options` select, in no particular order, in a new array. */
  list(options?: ListerOptions): C[]
  /** The keys of all objects (`namespace/name`), also of those that could not be transformed. */
  keys(): IterableIterator<string>
  /** The number of objects, also of those that could not be transformed. */
  readonly size: number
  /** The keys of objects that could not be transformed in their newest state, even if an earlier value is still served. */
  failed(): readonly string[]
  /** The uid and resourceVersion of one object; `undefined` if it does not exist. */
  version(key: KeyOf<S> | string): ObjectVersion | undefined
}
