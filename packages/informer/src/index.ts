export type { Change, Changed, Deleted, Reset, Synced } from './change.ts'
export { coveredLister } from './covering/covered-lister.ts'
export { covers, isSameFunction } from './covering/covers.ts'
export {
  HandlerRemovedError,
  InformerStoppedError,
  LabelsNotKeptError,
  NotSyncedError,
  TransformError,
  UnpackableValueError,
  ViewConflictError,
} from './errors.ts'
export { guarded } from './guarded.ts'
export type { InformerOptions, WhenSyncedOptions } from './informer.ts'
export { Informer } from './informer.ts'
export type { InformerState } from './informer-state.ts'
export { changesOf } from './journal/changes-of.ts'
export type { Cursor } from './journal/cursor.ts'
export type { LifecycleEvents } from './lifecycle.ts'
export type { Lister, ListerOptions, ObjectVersion } from './lister.ts'
export type { Gate } from './reflector/gate.ts'
export type { InitialRead, ReadingOptions, ReflectorListeners, ReflectorOptions } from './reflector/options.ts'
export type { JoinOptions } from './reflector/reflector.ts'
export { Reflector } from './reflector/reflector.ts'
export type { ReflectorStats } from './reflector/reflector-context.ts'
export type { FillSource } from './reflector/sinks.ts'
export { StreamingSupport } from './reflector/streaming-support.ts'
export type { Handler, Registration, RegistrationOptions } from './registrations/handler.ts'
export type { SharedInformer } from './shared-informer.ts'
export type { LabelIndex } from './store/by-label.ts'
export { byLabel } from './store/by-label.ts'
export { clone } from './store/freeze.ts'
export type { Intake, IntakeOptions, Replacement, ReplaceOptions } from './store/intake.ts'
export type { Packing } from './store/packing.ts'
export type { PlainStoreOptions } from './store/plain-store.ts'
export { PlainStore } from './store/plain-store.ts'
export type { IndexFunction, PackedStats, Store, StoreStats } from './store/store.ts'
