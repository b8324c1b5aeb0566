/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { HeldInformer, Hold, WatchedCache } from './cache.ts'
export type { FailedView } from './errors.ts'
export type { RegistrarStats, ReplaceOptions, SyncedOptions, WaitOptions } from './registrar.ts'
export type { SinkFunction } from './sink.ts'
export type { CallbackSinkOptions } from './sinks/callback.ts'
export type { IteratorSink, IteratorSinkOptions } from './sinks/iterator.ts'
export type { KeyQueue } from './sinks/queue.ts'
export type { IfWatching, WatchManagerOptions } from './watch-manager.ts'
