export type { OnceServer, ReconcileOnceOptions } from './once/options.ts'
export type { ReconciledOnce } from './once/reconcile-once.ts'
export { reconcileOnce } from './once/reconcile-once.ts'
export type { OnceApplied, OnceEvent, OnceObject } from './once/recorder.ts'
