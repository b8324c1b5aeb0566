import type { Environment } from '@wherry/client'
import { abortSignal, asError, callback, callGuarded, checkOptions, keyText, sleep } from '@wherry/client/internal'
import { aborted, late, within } from '@wherry/informer/internal'
import { UsageError } from '../usage-error.ts'
import { Candidate } from './candidate.ts'
import { LeaderStuckError, LeadershipLostError } from './errors.ts'
import { LeaseWatch } from './lease-watch.ts'
import { type ElectionSettings, electionSettings, type LeaderElectionOptions } from './options.ts'
import { OwnTerm, type Term } from './term.ts'

/** What {@link LeaderElection.run} takes. */
export interface LeadOptions {
  /** Ends the run in an orderly way: `lead` is asked to end, then the lease is released. */
  readonly signal?: AbortSignal | undefined
  /** The work of the leader. Called when this process holds the lease. `run` ends when `lead` has ended. */
  readonly lead: (term: Term) => unknown
}

/** `idle` before it is run; `over` after its term, or its wait for one, has ended. */
export type ElectionState = 'idle' | 'waiting' | 'leading' | 'over'

/**
 * Elects a leader among processes that share a `Lease`. The protocol, the lease and the times are those of client-go's leader
 * election, so that candidates of both kinds can share a lease.
 *
 * **Guarantees about the leader.**
 *
 * - The `signal` of its term is aborted, and the `client` of its term sends nothing, from the moment that is `renewDeadlineMs`
 *   after the *start* of its last successful renewal, by the monotonic clock, even if the process stood still meanwhile. Calls
 *   that are under way then end, so that none outlasts the lease.
 * - A lease that is lost is lost for good: `run` rejects with a {@link LeadershipLostError}, and the election can't be run again.
 *   End the process, as Kubernetes' own controllers do: the next leader should know nothing of the past.
 *
 * **Guarantees about the other candidates.** A candidate takes the lease of another holder only after it was unchanged for its whole
 * duration, on the candidate's own monotonic clock, and writes it only at the resourceVersion that it has seen. Wall clocks do not matter.
 * While all is well, another candidate leads at most `leaseMs + retryMs` after the last renewal of a leader that died, and at
 * once after a release, or within `retryMs` if it may not watch the lease.
 *
 * **Limits.** A lease carries no fencing token. A request that has left this process, and is held up on its way for longer than the
 * rest of the lease, may still be carried out when another process leads. If such a write must not replace a later one, send
 * it with a `resourceVersion`, or as a patch with `test` operations. And a machine that stands still as a whole (a suspended
 * virtual machine) may not count that time: its monotonic clock stood still too.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { LeaderElection } from '@wherry/controller'
 *
 * const election = new LeaderElection({ client: await Client.connect(), namespace: 'arcade', name: 'importer' })
 * await election.run({
 *   // Writes of this client are refused once the term is over.
 *   lead: async ({ client, signal }) => {
 *     await client.patch(configMaps, { namespace: 'arcade', name: 'state' }, { data: { leader: election.identity } }, { signal })
 *   },
 * })
 * ```
 */
export class LeaderElection {
  readonly #settings: ElectionSettings
  readonly #environment: Environment
  readonly #candidate: Candidate
  readonly #lease: string
  #state: ElectionState = 'idle'

  /** @throws OptionTypeError or OptionRangeError for a wrong option. */
  constructor(options: LeaderElectionOptions) {
    this.#settings = electionSettings(options)
    this.#environment = this.#settings.client.environment
    this.#lease = keyText(this.#settings)
    this.#candidate = new Candidate(this.#settings, identity => {
      this.#environment.log('info', identity === '' ? 'nobody holds the lease' : 'the lease has a new holder', {
        lease: this.#lease,
        identity,
      })
      const { onNewLeader } = this.#settings
      callGuarded(
        () => onNewLeader(identity),
        thrown => this.#report(thrown, 'onNewLeader'),
      )
    })
  }

  /** This process' identity in the lease. */
  get identity(): string {
    return this.#settings.identity
  }

  get state(): ElectionState {
    return this.#state
  }

  /** The identity of the leader that was last seen; `''` if there is none. */
  get leader(): string {
    return this.#candidate.holder
  }

  /**
   * Waits for the lease, calls `lead`, and renews the lease until `lead` has ended.
   *
   * Resolves when `lead` has ended, or if the signal is aborted before `lead` is called. Rejects with the error of `lead`. Rejects with a {@link
   * LeadershipLostError} if the lease was lost, after `lead` has ended or `graceMs` have passed, and with a `LeaderStuckError` if `lead` was asked
   * to end and did not. It can be called once: a second call rejects with a {@link UsageError}.
   */
  async run(options: LeadOptions): Promise<void> {
    checkOptions('run', options, { signal: abortSignal, lead: callback })
    callback('run.lead', options?.lead)
    if (this.#state !== 'idle') {
      throw new UsageError('ELECTION_USED', 'this election was run already: create another one')
    }
    const { signal = new AbortController().signal, lead } = options
    this.#enter('waiting')
    try {
      const began = await this.#acquire(signal)
      // The signal may be aborted while the lease comes.
      if (began === undefined || signal.aborted) await this.#release()
      else await this.#lead(began, lead, signal)
    } finally {
      this.#enter('over')
    }
  }

  /** Resolves with the time at which the write began that got the lease, or with `undefined` if the signal was aborted first. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    const { renewDeadlineMs } = this.#settings
    const { clock } = this.#environment
    let waiting = new AbortController()
    /** Whether the watch has ended the last wait. It is then not opened for the next wait, because a wrong event must not end that one too. */
    let wasWoken = false
    const watch = new LeaseWatch(this.#settings, (lease, isGone) => {
      this.#candidate.seen(lease)
      if (!isGone && lease.spec?.holderIdentity) return
      wasWoken = true
      waiting.abort()
    })
    const stop = (): void => {
      watch.close()
      waiting.abort()
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      while (!signal.aborted) {
        waiting = new AbortController()
        try {
          const began = await this.#candidate.acquire({ timeoutMs: renewDeadlineMs / 2, signal })
          if (began !== undefined && clock.monotonic() < began + renewDeadlineMs) return began
        } catch (error) {
          if (!signal.aborted) this.#report(error, 'acquire')
        }
        // No event reports that the lease may be taken, so the wait ends then.
        const left = this.#candidate.waitMs()
        const wait = left === 0 ? Number.POSITIVE_INFINITY : left + this.#jitter()
        if (wait !== Number.POSITIVE_INFINITY && !wasWoken && !signal.aborted) watch.open()
        wasWoken = false
        await sleep(clock, Math.min(wait, this.#pause()), waiting.signal).catch(() => {})
        if (wasWoken) await sleep(clock, this.#jitter(), signal).catch(() => {})
      }
      return undefined
    } finally {
      signal.removeEventListener('abort', stop)
      watch.close()
    }
  }

  async #lead(began: number, lead: LeadOptions['lead'], signal: AbortSignal): Promise<void> {
    const { identity, releaseOnStop } = this.#settings
    const { log } = this.#environment
    const term = new OwnTerm(this.#settings, this.#candidate.transitions, began)
    const { ended } = term
    ended.addEventListener('abort', () => {
      this.#enter('over')
      log(ended.reason instanceof LeadershipLostError ? 'error' : 'info', ended.reason.message, { lease: this.#lease })
    })
    this.#enter('leading')
    log('info', 'holds the lease', { lease: this.#lease, identity })
    const renewing = this.#renew(term)
    signal.addEventListener('abort', () => term.stop(signal.reason), { signal: ended })
    const [part] = await Promise.allSettled([this.#run(term, lead)])
    const error: unknown = part.status === 'rejected' ? part.reason : undefined
    term.finish()
    await renewing
    const { reason } = ended
    if (reason instanceof LeadershipLostError) {
      if (part.status === 'rejected' && error !== reason) this.#report(error, 'lead')
      throw reason
    }
    // A `lead` that is stuck may still act: its lease has to expire.
    if (releaseOnStop && !(error instanceof LeaderStuckError)) await this.#release()
    if (part.status === 'rejected') throw error
  }

  /** Runs `lead` until it has ended. Rejects with its error, or with a LeaderStuckError if it was asked to end and did not end in time. */
  async #run(term: OwnTerm, lead: LeadOptions['lead']): Promise<void> {
    const { graceMs } = this.#settings
    const part = (async () => lead(term))()
    await Promise.race([part, aborted(term.signal)])
    if ((await within(part, graceMs, this.#environment.clock)) !== late) return
    part.catch(error => {
      if (error !== term.ended.reason) this.#report(error, 'lead')
    })
    throw new LeaderStuckError(this.#lease, graceMs)
  }

  /** Keeps the lease until the term is over. Never rejects. */
  async #renew(term: OwnTerm): Promise<void> {
    const { renewDeadlineMs } = this.#settings
    const { clock } = this.#environment
    while (!term.ended.aborted) {
      try {
        await sleep(clock, this.#pause(), term.ended)
        term.check()
        // Two attempts fit into the deadline, so that an attempt that hangs does not lose the lease.
        const timeoutMs = Math.max(1, Math.min(renewDeadlineMs / 2, term.remainingMs))
        const began = await this.#candidate.renew({ timeoutMs, signal: term.ended })
        if (began === undefined) term.lose(`${this.leader || 'nobody'} holds it`)
        else term.renewed(began)
      } catch (error) {
        if (!term.ended.aborted) this.#report(error, 'renew')
      }
    }
  }

  async #release(): Promise<void> {
    const timeoutMs = this.#settings.renewDeadlineMs / 2
    try {
      if (await this.#candidate.release({ timeoutMs })) {
        this.#environment.log('info', 'released', { lease: this.#lease })
      }
    } catch (error) {
      // The lease expires by itself.
      this.#report(error, 'release')
    }
  }

  /** A random extra wait, in milliseconds, because all candidates see a release, and the last renewal, at the same time. */
  #jitter(): number {
    return 100 * this.#environment.random()
  }

  /** A random wait between half of `retryMs` and all of it, in milliseconds, so that candidates do not come in step. */
  #pause(): number {
    return this.#settings.retryMs * (1 - this.#environment.random() / 2)
  }

  #enter(state: ElectionState): void {
    this.#state = state
    const value = state === 'leading' ? 1 : 0
    this.#environment.metrics.gauge('leader_election_master_status', value, { name: this.#settings.name })
  }

  #report(thrown: unknown, phase: string): void {
    const resource = 'coordination.k8s.io/v1/leases'
    this.#environment.onError(asError(thrown), { phase: `leader ${phase}`, resource, key: this.#lease })
  }
}
