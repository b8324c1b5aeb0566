/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { Clock, Timer } from './clock.ts'
export type { BucketOptions } from './limiters/bucket.ts'
export type { ExponentialOptions } from './limiters/exponential.ts'
export type { RateLimiter } from './limiters/rate-limiter.ts'
export type { QueueErrorContext, WorkQueueObserver } from './observer.ts'
export type { OptionProblem } from './option.ts'
export type { AddOptions, AddRateLimitedOptions, AgeingOptions, StopOptions, TakeOptions } from './options.ts'
export type { UnfinishedKey, WorkQueueState } from './work-queue.ts'
