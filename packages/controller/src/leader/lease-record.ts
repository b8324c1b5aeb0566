import type { LeaseSpec } from '@wherry/client/resources/coordination'

const fields = ['holderIdentity', 'leaseDurationSeconds', 'acquireTime', 'renewTime', 'leaseTransitions'] as const

/**
 * Reads the spec of a lease, which may have any values. A duration that is no positive number becomes `ownMs`: this candidate then waits as long as
 * its own lease would last.
 */
export function readSpec(spec: LeaseSpec | undefined, ownMs: number): LeaseSpec {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec ?? {}
  return {
    holderIdentity: textOf(holderIdentity),
    leaseDurationSeconds:
      isNumber(leaseDurationSeconds) && leaseDurationSeconds > 0 ? leaseDurationSeconds : ownMs / 1000,
    acquireTime: textOf(acquireTime),
    renewTime: textOf(renewTime),
    leaseTransitions: isNumber(leaseTransitions) ? leaseTransitions : 0,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A Lease has integers of 32 bits. */
function isNumber(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
}

/** Whether two specs are equal in all fields that an election writes. */
export function isSameSpec(a: LeaseSpec, b: LeaseSpec): boolean {
  return fields.every(field => a[field] === b[field])
}

/**
 * The wall-clock time in the form of a lease, with microseconds: `2026-01-01T00:00:00.000000Z`. The microseconds continue the count of `last`, so that a
 * renewal differs from the thousand before it, even if the clock stands still. Without `last`, the count begins with `first`.
 */
export function microTime(ms: number, last?: string, first = 0): string {
  const before = /\.\d{3}(\d{3})Z$/.exec(last ?? '')?.[1]
  const count = before === undefined ? first : (Number(before) + 1) % 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${`${count}`.padStart(3, '0')}Z`
}
