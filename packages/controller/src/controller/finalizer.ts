import { type KubernetesObject, OptionTypeError, type Scope, type View } from '@wherry/client'
import { callback, checkFinalizerName, text } from '@wherry/client/internal'
import { addFinalizer, BeingDeletedError, hasFinalizer, removeFinalizer } from '../objects/finalizers.ts'
import type { Reconcile } from './context.ts'
import { readResult } from './result.ts'

/** A finalizer, and the cleanup before the object may go. */
export interface Finalizer<C, S extends Scope> {
  /** `domain/name` */
  readonly name: string
  readonly cleanup: Reconcile<C, S>
}

/** @throws OptionTypeError, and InvalidNameError for a name that no server takes */
export function checkFinalizer<C, S extends Scope>(view: View<C, S>, { name, cleanup }: Finalizer<C, S>): void {
  text('finalizer', name)
  checkFinalizerName(name)
  callback('finalizer.cleanup', cleanup)
  const { projection } = view
  if (projection.kind === 'named') {
    throw new OptionTypeError('finalizer', 'a view with whole metadata', `the projection ${projection.name}`)
  }
}

/**
 * Wraps a reconcile with a finalizer: the object has the finalizer before `reconcile` begins, and loses it when `cleanup` has succeeded (rule C18). An
 * object that is being deleted is not reconciled; if it lacks the finalizer, it is left alone.
 */
export function withFinalizer<C, S extends Scope>(
  view: View<C, S>,
  { name, cleanup }: Finalizer<C, S>,
  reconcile: Reconcile<C, S>,
): Reconcile<C, S> {
  const held = view as unknown as View<KubernetesObject, S>
  const finalizing: Reconcile<C, S> = async context => {
    const { client, signal } = context
    const object = context.object as KubernetesObject
    if (object.metadata?.deletionTimestamp === undefined) {
      try {
        await addFinalizer(client, held, object, name, { signal })
      } catch (error) {
        // The object is being deleted, or gone. The key runs again when the cache receives that event.
        if (error instanceof BeingDeletedError) return undefined
        throw error
      }
      return reconcile(context)
    }
    if (!hasFinalizer(object, name)) return undefined
    const result = await cleanup(context)
    if (readResult(result).outcome === 'success') await removeFinalizer(client, held, object, name, { signal })
    return result
  }
  return Object.assign(finalizing, { [holds]: name })
}

/** The property that marks a reconcile with a finalizer. */
const holds = Symbol('finalizer')

/** Whether {@link withFinalizer} made a reconcile. */
export function isFinalizing(reconcile: object): boolean {
  return holds in reconcile
}
