/**
 * The lease could not be renewed in time, or another process has taken it. This process no longer leads, and never will again.
 *
 * @example
 * ```ts
 * import { LeadershipLostError, Operator } from '@wherry/controller'
 *
 * const operator = await Operator.connect({ name: 'game-operator', leader: true })
 * await operator.run().catch(error => {
 *   if (!(error instanceof LeadershipLostError)) throw error
 *   console.error(`${error.lease} is lost: Kubernetes starts this process again`)
 *   process.exitCode = 1
 * })
 * ```
 */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError'
  readonly code = 'LEADERSHIP_LOST'
  /** `namespace/name` of the lease. */
  readonly lease: string
  /** This process' identity. */
  readonly identity: string

  constructor(lease: string, identity: string, why: string) {
    super(`${identity} no longer holds the lease ${lease}: ${why}`)
    this.lease = lease
    this.identity = identity
  }
}

/** The term has ended in an orderly way: the leader's work is done, or it was asked to stop. */
export class TermOverError extends Error {
  override readonly name = 'TermOverError'
  readonly code = 'TERM_OVER'
  /** `namespace/name` of the lease. */
  readonly lease: string

  constructor(lease: string) {
    super(`the term by lease ${lease} is over`)
    this.lease = lease
  }
}

/** The leader's work did not end in time after its signal was aborted. The lease expires; it was not released. */
export class LeaderStuckError extends Error {
  override readonly name = 'LeaderStuckError'
  readonly code = 'LEADER_STUCK'
  /** `namespace/name` of the lease. */
  readonly lease: string
  /** How long the work had, in milliseconds. */
  readonly graceMs: number

  constructor(lease: string, graceMs: number) {
    super(`the work under the lease ${lease} did not end within ${graceMs} ms`)
    this.lease = lease
    this.graceMs = graceMs
  }
}
