export { ViewConflictError } from '@wherry/informer'
export {
  NarrowClosedError,
  NarrowListError,
  NarrowTimeoutError,
  NarrowWatchRefusedError,
} from './errors.ts'
export type { NarrowHandler, Subscription } from './handler.ts'
export type { EscalationPhase } from './namespace-watch.ts'
export { NarrowCache, type NarrowReadOptions } from './narrow-cache.ts'
export type { NarrowCacheOptions } from './options.ts'
export type { EscalationReport, NarrowReport, ViewReport } from './report.ts'
