/**
 * How a read is kept up to date: by an informer that covers it, by a watch of the one object, by the metadata watch that
 * objects of a resource share when there are many (rule N11), or by asking the server from time to time (rule C16).
 */
export type Served = 'informer' | 'single' | 'escalated' | 'polled'

/** One thing that a key depends on. */
export type Dependency = ObjectDependency | SelectionDependency

export interface ObjectDependency {
  readonly type: 'object'
  /** Key of the view that was read. */
  readonly view: string
  /** `namespace/name` */
  readonly object: string
  /** Whether there is such an object. */
  readonly present: boolean
  readonly served: Served
  /** How often the server is asked for it, in milliseconds, where it is polled. */
  readonly pollMs: number | undefined
  /** As it is known now; `undefined` where it is absent, or the view does not keep it. */
  readonly resourceVersion: string | undefined
  /** Whether all of it counts, or what was selected of it only. */
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
  /** The uid of the object that controls them; `undefined`: whoever does. */
  readonly owner: string | undefined
  /** The value of an index that they are found by, or a digest of it if the view is of Secrets; `undefined`: no index was asked. */
  readonly value: string | undefined
  /** How many objects it selects now. */
  readonly objects: number
  readonly served: 'informer'
  /** Whether all of each object counts, or what was selected of it only. */
  readonly tracks: 'whole' | 'selected'
}
