/**
 * What a view makes of the objects that it selects.
 *
 * - `default`: the object without `metadata.managedFields`.
 * - `full`: the object as the server sends it.
 * - `exact`: as `full`, with integers beyond 2^53 − 1 as `bigint`.
 * - `metadata`: only metadata is asked for, and `managedFields` left out.
 * - `named`: what `project` gives for the object as decoded (`managedFields` may be there).
 */
export type ProjectionKind = 'default' | 'full' | 'exact' | 'metadata' | 'named'

export interface Projection<out C> {
  readonly kind: ProjectionKind
  /** The name in the view's key: the kind, or the name that a named one was given. */
  readonly name: string
  /**
   * The function of a named projection; its identity tells whether two projections of one name are
   * one and the same. `undefined` for the others, which every reader builds alike.
   */
  readonly project?: ((object: never) => C) | undefined
}
