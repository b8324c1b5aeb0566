import { type Client, type Clock, isAlreadyExists, isConflict, isObjectNotFound } from '@wherry/client'
import { type Lease, leases } from '@wherry/client/resources/coordination'
import { isSameRecord, type LeaseRecord, microTime, recordOf, specOf } from './lease-record.ts'
import type { ElectionSettings } from './options.ts'

/** Bounds of one attempt. */
export interface AttemptBounds {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** How often a write that met another one is tried again, with what is there now. */
const maxRounds = 3

/**
 * One candidate's view of the lease, and what it writes to it. Time is that of the monotonic clock: what leases say in
 * wall-clock time is never compared with ours.
 */
export class Candidate {
  readonly #settings: ElectionSettings
  readonly #client: Client
  readonly #clock: Clock
  /** The lease as last read or written; `undefined`: there is none, or nothing was read. */
  #lease: Lease | undefined
  /** Whether `#lease` is what we wrote last, so that it need not be read again. */
  #fresh = false
  /** The last state of the lease that was seen, and since when it has been that. */
  #seen: { readonly record: LeaseRecord; readonly at: number } | undefined
  /** The `acquireTime` that our writes have since we last saw the lease to be another's: by it a write whose answer was lost is known. */
  #acquireTime: string | undefined

  constructor(settings: ElectionSettings) {
    this.#settings = settings
    this.#client = settings.client
    this.#clock = settings.client.environment.clock
  }

  /** Who holds the lease, as far as is known; `''`: nobody. */
  get holder(): string {
    return this.#seen?.record.holder ?? ''
  }

  /** How often the lease had changed hands when we got it. */
  get transitions(): number {
    return this.#seen?.record.transitions ?? 0
  }

  /** How long another's lease must stay as it is until we may take it, in milliseconds; 0: we may. */
  waitMs(): number {
    if (this.#seen === undefined) return 0
    const { record, at } = this.#seen
    if (record.holder === '' || this.#isOurs(record)) return 0
    return Math.max(0, at + record.durationMs - this.#clock.monotonic())
  }

  /**
   * One attempt to get the lease: resolves with when the write began by which it is ours, `undefined` while it is
   * another's. Rejects where neither is known.
   */
  acquire(bounds: AttemptBounds): Promise<number | undefined> {
    return this.#replace(() => {
      if (this.waitMs() === 0) return this.#next()
      this.#acquireTime = undefined
      return undefined
    }, bounds)
  }

  /** One attempt to keep the lease: as `acquire`, `undefined` once it is another's. */
  renew(bounds: AttemptBounds): Promise<number | undefined> {
    const { client, name } = this.#settings
    if (!this.#fresh) client.environment.metrics.count('leader_election_slowpath_total', { name })
    return this.#replace(
      () => (this.#lease === undefined || this.#isOurs(recordOf(this.#lease)) ? this.#next() : undefined),
      bounds,
    )
  }

  /** Gives the lease up if it is ours. Resolves with whether it was. */
  async release(bounds: AttemptBounds): Promise<boolean> {
    if (this.#acquireTime === undefined) return false
    const began = await this.#replace(() => {
      if (this.#lease === undefined || !this.#isOurs(recordOf(this.#lease))) return undefined
      const time = microTime(this.#clock.now(), this.#seen?.record.renewTime)
      const { transitions } = recordOf(this.#lease)
      return { holder: '', durationMs: 1000, acquireTime: time, renewTime: time, transitions }
    }, bounds)
    return began !== undefined
  }

  /**
   * Writes what `make` makes of the lease as it is now; nothing if that is `undefined`. Where another write came first, it is read and
   * made again. Resolves with when the write began.
   */
  async #replace(make: () => LeaseRecord | undefined, bounds: AttemptBounds): Promise<number | undefined> {
    for (let round = 1; ; round += 1) {
      if (!this.#fresh) await this.#read(bounds)
      const record = make()
      if (record === undefined) return undefined
      try {
        return await this.#write(record, bounds)
      } catch (error) {
        if (!met(error) || round >= maxRounds) throw error
      }
    }
  }

  async #read(bounds: AttemptBounds): Promise<void> {
    const { name, namespace } = this.#settings
    this.#lease = await this.#client.get(leases, { name, namespace }, bounds)
    if (this.#lease !== undefined) this.#see(recordOf(this.#lease))
  }

  #see(record: LeaseRecord): void {
    const before = this.#seen
    if (before !== undefined && isSameRecord(before.record, record)) return
    this.#seen = { record, at: this.#clock.monotonic() }
    if (before?.record.holder !== record.holder) this.#settings.onNewLeader(record.holder)
  }

  /** An identity is one process's only; still, what we did not write is not ours. */
  #isOurs(record: LeaseRecord): boolean {
    return record.holder === this.#settings.identity && record.acquireTime === this.#acquireTime
  }

  #next(): LeaseRecord {
    const { identity, leaseMs } = this.#settings
    const renewTime = microTime(this.#clock.now(), this.#seen?.record.renewTime)
    // A lease of ours that was deleted is made again as it was.
    const found = this.#lease === undefined ? undefined : recordOf(this.#lease)
    const last = found ?? this.#seen?.record
    const isOurs = last !== undefined && this.#isOurs(last)
    this.#acquireTime ??= renewTime
    const acquireTime = this.#acquireTime
    const transitions = isOurs ? last.transitions : found === undefined ? 0 : found.transitions + 1
    return { holder: identity, durationMs: leaseMs, acquireTime, renewTime, transitions }
  }

  /** Writes the lease if it is still as we know it. Resolves with when that began. */
  async #write(record: LeaseRecord, bounds: AttemptBounds): Promise<number> {
    const { name, namespace } = this.#settings
    const began = this.#clock.monotonic()
    const before = this.#lease
    this.#fresh = false
    this.#lease =
      before === undefined
        ? await this.#client.create(leases, { metadata: { name, namespace }, spec: specOf(record) }, bounds)
        : await this.#client.update(leases, { ...before, spec: specWith(before, record) }, bounds)
    this.#fresh = true
    this.#see(record)
    return began
  }
}

/** What others have put into the lease stays. */
function specWith(lease: Lease, record: LeaseRecord): Lease['spec'] {
  const { holderIdentity: _, ...rest } = lease.spec ?? {}
  return { ...rest, ...specOf(record) }
}

/** Another write came first. */
function met(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || isObjectNotFound(error)
}
