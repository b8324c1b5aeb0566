/**
 * Returns the JSON value of a part of an object; `undefined` if the object does not have the part. The function must not change the object, and must
 * return equal values for equal content.
 */
export type PartFunction<in T> = (object: T) => unknown

/** A part of an object that is hashed, compared and written separately. */
export interface Part<in T> {
  readonly of: PartFunction<T>
  /** The place to which a difference is written: the object itself, or its status. @default the object itself */
  readonly subresource?: 'status' | undefined
  /**
   * Returns whether the part includes the label or annotation with this key. Labels and annotations that no part includes belong to others, and are kept when
   * the object is written. @default none
   */
  readonly holds?: ((what: 'labels' | 'annotations', key: string) => boolean) | undefined
}
