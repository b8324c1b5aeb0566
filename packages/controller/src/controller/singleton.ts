import type { ContextEvents, ReconcileContext } from './context.ts'
import type { ReconcileResult } from './result.ts'

/**
 * The context of a singleton's reconcile: that of any reconcile, without the parts about a primary object. An `apply` gives its objects no owner.
 */
export interface SingletonContext
  extends Omit<ReconcileContext<object, 'cluster'>, 'key' | 'object' | 'status' | 'prune' | 'read' | 'events'> {
  /** Reads objects and tracks what was read: the controller runs again when any of it changes, appears or disappears. */
  readonly read: Omit<ReconcileContext<object>['read'], 'owned'>
  readonly events: Pick<ContextEvents, 'about'>
}

/** The reconcile of a controller without primary objects; otherwise as {@link Reconcile}. */
export type SingletonReconcile = (
  context: SingletonContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return gives
) => ReconcileResult | undefined | void | Promise<ReconcileResult | undefined | void>
