import type { Environment } from '@wherry/client'
import type { WatchedCache } from './cache.ts'
import type { FairScheduler } from './delivery/fair-scheduler.ts'
import type { CallContext } from './delivery/running.ts'
import type { SubscriptionIndex } from './subscription-index.ts'

/** The parts that all registrars of a manager share. */
export interface Shared {
  readonly cache: WatchedCache
  readonly environment: Environment
  readonly scheduler: FairScheduler
  readonly context: CallContext
  readonly subscriptions: SubscriptionIndex
  readonly closeTimeoutMs: number
  /** Whether the manager has started: subscriptions begin only then. */
  readonly started: boolean
  /** Resolves when the manager has started. Rejects with the signal's reason. */
  whenStarted(signal: AbortSignal): Promise<void>
}
