export type { Clock, Timer } from './clock.ts'
export { NotRunningError } from './errors.ts'
export type { BucketOptions } from './limiters/bucket.ts'
export { BucketRateLimiter } from './limiters/bucket.ts'
export type { ExponentialOptions } from './limiters/exponential.ts'
export { ExponentialRateLimiter } from './limiters/exponential.ts'
export { MaxOfRateLimiter } from './limiters/max-of.ts'
export type { RateLimiter } from './limiters/rate-limiter.ts'
export type { QueueErrorContext, WorkQueueObserver } from './observer.ts'
export type {
  AddOptions,
  AddRateLimitedOptions,
  AgeingOptions,
  StopOptions,
  TakeOptions,
  WorkQueueOptions,
} from './options.ts'
export { Priority } from './priority.ts'
export type { UnfinishedKey, WorkQueueState } from './work-queue.ts'
export { WorkQueue } from './work-queue.ts'
