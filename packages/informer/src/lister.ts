import type { Scope } from '@wherry/client'
import type { KeyOf, LabelSelectorInput } from '@wherry/client/internal'

/** Which objects to list. What is given must all hold. */
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
  /** Those of whose keys it holds. @default all */
  readonly keys?: ((key: string) => boolean) | undefined
}

/** What is known of a stored object, whatever the view makes of it. */
export interface ObjectVersion {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

/**
 * The reading side of a store. The objects are those of the store itself: change a `structuredClone(object)`, never one of them (rule R37). A
 * packed store makes them anew at each read.
 */
export interface Lister<C, S extends Scope = Scope> {
  /**
   * One object; `undefined` where there is none. The key is `{ name, namespace }` or its text, `namespace/name`.
   * @throws TransformError where the object is there and could not be transformed.
   */
  get(key: KeyOf<S> | string): C | undefined
  /** All objects that `options` select, in no particular order, in an array of the caller's own. */
  list(options?: ListerOptions): C[]
  /** The keys of all objects that are there, failed ones among them: `namespace/name`. */
  keys(): IterableIterator<string>
  /** How many objects are there, failed ones among them. */
  readonly size: number
  /** Keys of objects that are there and could not be transformed; those with an earlier value (stale) among them. */
  failed(): readonly string[]
  /** The uid and resourceVersion of one object as the server has them; `undefined` where there is none. */
  version(key: KeyOf<S> | string): ObjectVersion | undefined
}
