import type { Lease, LeaseSpec } from '@wherry/client/resources/coordination'

/** What makes one state of a lease another than the one before. */
export interface LeaseRecord {
  /** `''`: nobody. */
  readonly holder: string
  readonly durationMs: number
  readonly acquireTime: string
  readonly renewTime: string
  readonly transitions: number
}

/** Reads a lease, whoever wrote it; what is not there is as client-go has it. */
export function recordOf({ spec }: Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: spec?.leaseTransitions ?? 0,
  }
}

/** The fields of a lease that an election writes. Nobody's lease has no holder, as client-go writes it. */
export function specOf(record: LeaseRecord): LeaseSpec {
  return {
    ...(record.holder !== '' && { holderIdentity: record.holder }),
    leaseDurationSeconds: record.durationMs / 1000,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  }
}

/** Whether nothing that an election writes has changed. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.durationMs === b.durationMs &&
    a.transitions === b.transitions
  )
}

/**
 * The wall clock's time as a lease has it, to the microsecond: `2026-01-01T00:00:00.000000Z`. The digits below a millisecond
 * count on from those of `last`, so that a renewal differs from each of the thousand before it, whatever the clock shows.
 */
export function microTime(ms: number, last?: string): string {
  const before = /\.\d{3}(\d{3})Z$/.exec(last ?? '')?.[1]
  const count = before === undefined ? 0 : (Number(before) + 1) % 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${`${count}`.padStart(3, '0')}Z`
}
