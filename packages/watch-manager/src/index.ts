export type { Hold, WatchedCache } from './cache.ts'
export type { FailedView } from './errors.ts'
export { RegistrarClosedError, ViewsFailedError } from './errors.ts'
export type {
  PendingView,
  Registrar,
  RegistrarOptions,
  RegistrarStats,
  ReplaceOptions,
  SyncedOptions,
  WaitOptions,
} from './registrar.ts'
export type { Sink, SinkEvent, SinkFunction, SinkSynced } from './sink.ts'
export type { CallbackSinkOptions } from './sinks/callback.ts'
export { callbackSink } from './sinks/callback.ts'
export type { IteratorSink, IteratorSinkOptions } from './sinks/iterator.ts'
export { iteratorSink } from './sinks/iterator.ts'
export type { KeyQueue } from './sinks/queue.ts'
export { queueSink } from './sinks/queue.ts'
export type { IfWatching, WatchManagerOptions } from './watch-manager.ts'
export { WatchManager } from './watch-manager.ts'
