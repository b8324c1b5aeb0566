import type { Client } from '@wherry/client'
import type { Controller } from '../controller/controller.ts'
import { LeaderElection } from '../leader/leader-election.ts'
import type { LeaderElectionOptions } from '../leader/options.ts'

/** What is to lead. */
export interface Leading {
  readonly leader: Omit<LeaderElectionOptions, 'client'>
  readonly client: Client
  readonly controllers: readonly Controller<unknown>[]
  /** Asks it to end. */
  readonly signal: AbortSignal
  /** How long the controllers may take to stop, in milliseconds. */
  readonly timeoutMs: number
}

/** How much longer a stop may take: what is left of events is sent for 5 s at most. */
const sendingMs = 6000

/** Runs what only a leader may (rule C5). Resolves when that was asked to end, and has; rejects as the election or a start does. */
export async function lead({ leader, client, controllers, signal, timeoutMs }: Leading): Promise<void> {
  // The controllers end by themselves in time, and say what has not.
  const election = new LeaderElection({ ...leader, graceMs: leader.graceMs ?? timeoutMs + sendingMs, client })
  await election.run({
    signal,
    lead: async term => {
      const bounds = { signal: term.signal, stopTimeoutMs: timeoutMs }
      const starts = controllers.map(controller => controller.start({ client: term.client, ...bounds }))
      const failed = Promise.all(starts).then(() => undefined)
      try {
        await Promise.race([failed, aborted(term.signal)])
        await aborted(term.signal)
      } finally {
        failed.catch(() => {})
        const reason = term.signal.reason instanceof Error ? term.signal.reason : undefined
        await Promise.all(controllers.map(controller => controller.stop({ reason, timeoutMs })))
      }
    },
  })
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
