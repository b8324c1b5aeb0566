/**
 * How a read is kept up to date: by an informer that covers it, by a watch of the single object, by a metadata watch that many
 * objects of a resource share (rule N11), or by polls of the server (rule C16).
 */
export type Served = 'informer' | 'single' | 'escalated' | 'polled'

/** An object or a selection that a key depends on. */
export type Dependency = ObjectDependency | SelectionDependency

export interface ObjectDependency {
  readonly type: 'object'
  /** Key of the view that was read. */
  readonly view: string
  /** `namespace/name` */
  readonly object: string
  /** Whether the object exists. */
  readonly present: boolean
  readonly served: Served
  /** The interval of polls, in milliseconds; `undefined` if the object is not polled. */
  readonly pollMs: number | undefined
  /** The known resourceVersion; `undefined` if the object is absent, or the view does not keep it. */
  readonly resourceVersion: string | undefined
  /** Whether each change of the object makes the key run, or only a change of the selected parts. */
  readonly tracks: 'whole' | 'selected'
}

export interface SelectionDependency {
  readonly type: 'selection'
  /** Key of the view that was read. */
  readonly view: string
  /** `undefined`: all of the view's. */
  readonly namespace: string | undefined
  /** A label selector's text; `''`: all of the view's. */
  readonly labels: string
  /** The uid of the object that controls the selected objects; `undefined`: any, or none. */
  readonly owner: string | undefined
  /** The value by which an index finds the objects, or a digest of it if the view is of Secrets; `undefined` if the read used no index. */
  readonly value: string | undefined
  /** How many objects it selects now. */
  readonly objects: number
  readonly served: 'informer'
  /** Whether each change of an object makes the key run, or only a change of the selected parts. */
  readonly tracks: 'whole' | 'selected'
}
