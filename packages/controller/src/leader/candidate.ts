import { type CallOptions, type Clock, isAlreadyExists, isConflict } from '@wherry/client'
import { isAtLeast, isObjectNotFound } from '@wherry/client/internal'
import { type Lease, type LeaseSpec, leases } from '@wherry/client/resources/coordination'
import { isSameSpec, microTime, readSpec } from './lease-record.ts'
import type { ElectionSettings } from './options.ts'

/** How often a write is tried in all, if it conflicts: each time with the present lease. */
const maxRounds = 3

/**
 * Reads and writes the lease for one candidate. All times are of the monotonic clock: wall-clock times in leases are never compared
 * with ours.
 */
export class Candidate {
  readonly #settings: ElectionSettings
  readonly #onNewLeader: (identity: string) => void
  readonly #clock: Clock
  /** The lease as last read or written; `undefined` if there is no lease, or none was read. */
  #lease: Lease | undefined
  /** Whether this candidate wrote `#lease` last, so that it need not read it again. */
  #fresh = false
  /** The last seen state of the lease, and when it was first seen. */
  #seen: { readonly spec: LeaseSpec; readonly at: number } | undefined
  /** The `acquireTime` of our writes since we last saw another holder: if the answer of a write was lost, this shows that the write was ours. */
  #acquireTime: string | undefined

  constructor(settings: ElectionSettings, onNewLeader: (identity: string) => void) {
    this.#settings = settings
    this.#onNewLeader = onNewLeader
    this.#clock = settings.client.environment.clock
  }

  /** The holder of the lease, as far as is known; `''`: nobody. */
  get holder(): string {
    return this.#seen?.spec.holderIdentity ?? ''
  }

  /** How often the lease had changed hands when this candidate got it. */
  get transitions(): number {
    return this.#seen?.spec.leaseTransitions ?? 0
  }

  /** How long the lease of another candidate must stay unchanged until this one may take it, in milliseconds; 0: it may now. */
  waitMs(): number {
    if (this.#seen === undefined) return 0
    const { spec, at } = this.#seen
    if (this.holder === '' || this.#isOurs(spec)) return 0
    return Math.max(0, at + (spec.leaseDurationSeconds as number) * 1000 - this.#clock.monotonic())
  }

  /** Records a state of the lease from the watch, so that the wait for a dead holder begins with its last renewal and not with the next read. */
  seen({ metadata, spec = {} }: Lease): void {
    const { resourceVersion } = metadata ?? {}
    // An event may arrive after the answer to a later read.
    if (this.#lease !== undefined && isAtLeast(this.#lease.metadata?.resourceVersion, resourceVersion)) return
    this.#see(spec)
  }

  /**
   * Tries once to get the lease. Resolves with the time at which the successful write began, or with `undefined` while another candidate
   * has the lease. Rejects if the outcome is unknown.
   */
  acquire(bounds: CallOptions): Promise<number | undefined> {
    return this.#replace(() => {
      if (this.waitMs() === 0) return this.#next()
      this.#acquireTime = undefined
      return undefined
    }, bounds)
  }

  /** Tries once to renew the lease. Resolves as `acquire` does: with `undefined` once another candidate has the lease. */
  renew(bounds: CallOptions): Promise<number | undefined> {
    const { client, name } = this.#settings
    if (!this.#fresh) client.environment.metrics.count('leader_election_slowpath_total', { name })
    return this.#replace(
      () => (this.#lease === undefined || this.#isOurs(this.#lease.spec) ? this.#next() : undefined),
      bounds,
    )
  }

  /** Releases the lease if this candidate holds it. Resolves with whether it did. */
  async release(bounds: CallOptions): Promise<boolean> {
    if (this.#acquireTime === undefined) return false
    const began = await this.#replace(() => {
      if (!this.#isOurs(this.#lease?.spec)) return undefined
      const time = microTime(this.#clock.now(), this.#seen?.spec.renewTime)
      // A released lease has no holder, as client-go writes it.
      return { holderIdentity: undefined, leaseDurationSeconds: 1, acquireTime: time, renewTime: time }
    }, bounds)
    return began !== undefined
  }

  /**
   * Writes the spec that `make` returns for the present lease, or nothing if it returns `undefined`. If another write came first, reads the
   * lease and calls `make` again. Resolves with the time at which the successful write began.
   */
  async #replace(make: () => LeaseSpec | undefined, bounds: CallOptions): Promise<number | undefined> {
    for (let round = 1; ; round += 1) {
      if (!this.#fresh) await this.#read(bounds)
      const spec = make()
      if (spec === undefined) return undefined
      try {
        return await this.#write(spec, bounds)
      } catch (error) {
        const metAnother = isConflict(error) || isAlreadyExists(error) || isObjectNotFound(error)
        if (!metAnother || round >= maxRounds) throw error
      }
    }
  }

  async #read(bounds: CallOptions): Promise<void> {
    const { client, name, namespace } = this.#settings
    this.#lease = await client.get(leases, { name, namespace }, bounds)
    if (this.#lease !== undefined) this.#see(this.#lease.spec ?? {})
  }

  #see(received: LeaseSpec): void {
    const spec = readSpec(received, this.#settings.leaseMs)
    const before = this.#seen
    if (before !== undefined && isSameSpec(before.spec, spec)) return
    this.#seen = { spec, at: this.#clock.monotonic() }
    const { holder } = this
    if (before === undefined || (before.spec.holderIdentity ?? '') !== holder) this.#onNewLeader(holder)
  }

  /** Whether this process has written the spec. The identity alone does not prove it: by mistake, another process may have the same. */
  #isOurs(spec: LeaseSpec | undefined): boolean {
    return spec?.holderIdentity === this.#settings.identity && (spec.acquireTime ?? '') === this.#acquireTime
  }

  #next(): LeaseSpec {
    const { identity, leaseMs } = this.#settings
    const { random } = this.#settings.client.environment
    // By mistake, two processes may have the same identity, and get the lease within a millisecond. Random microseconds distinguish their writes.
    const renewTime =
      this.#acquireTime === undefined
        ? microTime(this.#clock.now(), undefined, Math.floor(random() * 1000))
        : microTime(this.#clock.now(), this.#seen?.spec.renewTime)
    // A lease of ours that was deleted is made again as it was.
    const last = this.#lease === undefined ? this.#seen?.spec : readSpec(this.#lease.spec, leaseMs)
    const transitions = last?.leaseTransitions ?? 0
    const another = this.#lease === undefined ? 0 : transitions + 1
    const isOurs = this.#isOurs(last)
    this.#acquireTime ??= renewTime
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1000,
      acquireTime: this.#acquireTime,
      renewTime,
      leaseTransitions: isOurs ? transitions : another,
    }
  }

  /** Writes the lease if it is still as we know it. Resolves with the time at which the write began. */
  async #write(spec: LeaseSpec, bounds: CallOptions): Promise<number> {
    const { client, name, namespace, labels } = this.#settings
    const began = this.#clock.monotonic()
    const before = this.#lease
    this.#fresh = false
    this.#lease =
      before === undefined
        ? await client.create(leases, { metadata: { name, namespace, labels }, spec }, bounds)
        : // What others have put into the lease stays.
          await client.update(leases, { ...withLabels(before, labels), spec: { ...before.spec, ...spec } }, bounds)
    this.#fresh = true
    this.#see({ ...before?.spec, ...spec })
    return began
  }
}

function withLabels(lease: Lease, labels: Readonly<Record<string, string>>): Lease {
  if (Object.keys(labels).length === 0) return lease
  return { ...lease, metadata: { ...lease.metadata, labels: { ...lease.metadata?.labels, ...labels } } }
}
