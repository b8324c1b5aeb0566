import type { LeaseSpec } from '@wherry/client/resources/coordination'

const fields = ['holderIdentity', 'leaseDurationSeconds', 'acquireTime', 'renewTime', 'leaseTransitions'] as const

/** Returns true if nothing that an election writes differs. */
export function isSameSpec(a: LeaseSpec, b: LeaseSpec): boolean {
  return fields.every(field => a[field] === b[field])
}

/**
 * The wall clock's time as a lease has it, to the microsecond: `2026-01-01T00:00:00.000000Z`. The digits below a millisecond
 * count on from those of `last`, so that a renewal differs from each of the thousand before it, whatever the clock shows. Without `last` they are `first`.
 */
export function microTime(ms: number, last?: string, first = 0): string {
  const before = /\.\d{3}(\d{3})Z$/.exec(last ?? '')?.[1]
  const count = before === undefined ? first : (Number(before) + 1) % 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${`${count}`.padStart(3, '0')}Z`
}
