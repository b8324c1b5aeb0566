import { AsyncLocalStorage } from 'node:async_hooks'
import type { LoopRun } from '../loops/loops.ts'

/** A run, as what it calls sees it. */
export interface CurrentRun extends LoopRun {
  readonly isOver: boolean
}

/** The run that code is called from. */
export const reconciling: AsyncLocalStorage<CurrentRun> = new AsyncLocalStorage()

/** Whether it is called from within a reconcile, of whichever controller: then a stop begins, and does not wait (rule R23). */
export function isReconciling(): boolean {
  return reconciling.getStore()?.isOver === false
}
