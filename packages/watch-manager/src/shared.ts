import type { Environment } from '@wherry/client'
import type { WatchedCache } from './cache.ts'
import type { FairScheduler } from './delivery/fair-scheduler.ts'
import type { CallContext } from './delivery/running.ts'
import type { SubscriptionIndex } from './subscription-index.ts'

/** What all registrars of a manager share. */
export interface Shared {
  readonly cache: WatchedCache
  readonly environment: Environment
  readonly scheduler: FairScheduler
  readonly context: CallContext
  readonly subscriptions: SubscriptionIndex
  readonly closeTimeoutMs: number
  /** Subscriptions are begun; before, they are kept. */
  readonly started: boolean
  /** Resolves once they are. Rejects with the signal's reason. */
  whenStarted(signal: AbortSignal): Promise<void>
}
