/**
 * Gives the JSON value that a part of an object is; `undefined`: this object has no such part. It must not change the
 * object, and must give the same for the same content.
 */
export type PartFunction<in T> = (object: T) => unknown

/** A part of an object that is hashed, compared and written by itself. */
export interface Part<in T> {
  readonly of: PartFunction<T>
  /** Where a difference is written: to the object itself, or to its status. @default the object itself */
  readonly subresource?: 'status' | undefined
  /**
   * Whether the part holds all labels or annotations of this key. What no part holds is another's, and is kept when the
   * object is written. @default none
   */
  readonly holds?: ((what: 'labels' | 'annotations', key: string) => boolean) | undefined
}
