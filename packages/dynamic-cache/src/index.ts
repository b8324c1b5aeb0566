export { NotSyncedError, ViewConflictError } from '@wherry/informer'
export type { CachedInformer } from './cached-informer.ts'
export type { ReadListOptions, ReadOptions } from './dynamic-cache.ts'
export { DynamicCache } from './dynamic-cache.ts'
export type { WhenUnknown } from './entry.ts'
export {
  AlreadyCachedError,
  CacheClosedError,
  InformerRemovedError,
  NotCachedError,
  ViewHeldError,
} from './errors.ts'
export type { Hold } from './hold.ts'
export type { CachePolicy, DynamicCacheOptions, NarrowReader, OnMissing, ResourcePolicy } from './options.ts'
export type { CacheReport, InformerReport } from './report.ts'
