import { AsyncLocalStorage } from 'node:async_hooks'
import type { LoopRun } from '../loops/loops.ts'

/** The run that the present code was called from. */
export interface CurrentRun extends LoopRun {
  readonly isOver: boolean
}

/** The run that code is called from. */
export const reconciling: AsyncLocalStorage<CurrentRun> = new AsyncLocalStorage()

/** Whether a reconcile of any controller has called the present code: then a stop begins, and does not wait for the reconcile (rule R23). */
export function isReconciling(): boolean {
  return reconciling.getStore()?.isOver === false
}
