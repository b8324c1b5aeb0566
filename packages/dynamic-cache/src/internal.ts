/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { CachedInformer } from './cached-informer.ts'
export type { ReadListOptions, ReadOptions } from './dynamic-cache.ts'
export type { WhenUnknown } from './entry.ts'
export type { Hold } from './hold.ts'
export type { NarrowReader, OnMissing, ResourcePolicy } from './options.ts'
export type { InformerReport } from './report.ts'
