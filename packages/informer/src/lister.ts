import type { KeyOf, LabelSelectorInput, Scope } from '@wherry/client'

/** Which objects to list. All given options must hold. */
export interface ListerOptions {
  /** Those of one namespace. @default all */
  readonly namespace?: string | undefined
  /** Those with these labels; served by an index where there is one for labels. @default all */
  readonly labels?: LabelSelectorInput | undefined
  /** Those that an index has under a value. An index of that name must have been added. @default all */
  readonly index?: { readonly name: string; readonly value: string } | undefined
}

/** What a covered lister asks of the wide one: what a view makes of an object need not say which it is. */
export interface KeyedListerOptions extends ListerOptions {
  /** Returns true for the keys of objects to list. @default all */
  readonly keys?: ((key: string) => boolean) | undefined
}

/** The version of a stored object, whatever the view makes of it. */
export interface ObjectVersion {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

/**
 * The reading side of a store. The objects are those of the store itself: change a `structuredClone(object)`, never one of them (rule R37).
 */
export interface Lister<C, S extends Scope = Scope> {
  /**
   * One object; `undefined` if there is none. The key is `{ name, namespace }` or its text, `namespace/name`.
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
  /** The uid and resourceVersion of one object; `undefined` if there is none. */
  version(key: KeyOf<S> | string): ObjectVersion | undefined
}
