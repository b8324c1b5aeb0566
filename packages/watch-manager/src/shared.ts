import type { Environment } from '@wherry/client'
import type { WatchedCache } from './cache.ts'
import type { CallContext } from './delivery/running.ts'
import type { Turns } from './delivery/turns.ts'
import type { WantIndex } from './want-index.ts'

/** What all registrars of a manager share. */
export interface Shared {
  readonly cache: WatchedCache
  readonly environment: Environment
  readonly turns: Turns
  readonly context: CallContext
  readonly wants: WantIndex
  readonly closeTimeoutMs: number
  /** Wants are begun; before, they are kept. */
  readonly started: boolean
  /** Resolves once they are. Rejects with the signal's reason. */
  whenStarted(signal: AbortSignal): Promise<void>
}
