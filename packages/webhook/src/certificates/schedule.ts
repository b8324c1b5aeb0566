import { type Authority, newAuthority } from './authority.ts'

/** How long certificates live, in milliseconds. */
export interface Lives {
  /** An authority is replaced after this time, and valid for an eighth more. */
  readonly authorityMs: number
  readonly servingMs: number
}

/** Two authorities, in the order of their expiry. */
export type Pair = readonly [older: Authority, younger: Authority]

/*
 * T is the life of an authority, which is valid for T/8 more. The two authorities expire T/2 apart. Every T/2, the older authority is replaced, T/8 before it
 * expires. A new authority is in the bundles at once, and signs only when it is T/4 old. So the authority that signs has been in each bundle for the last T/4,
 * and stays in each bundle for another T/4: a replica, or an API server, may lag by T/4, clocks included.
 *
 *        0        T/4       T/2       3T/4       T       ⟶ time
 *   A   ─signs───┤                    (replaced by C at T/2)
 *   B             ├─signs────────────┤          (replaced by D at T)
 *   C                      ·new       ├─signs──
 */

/**
 * The time for which a bundle may be out of date without any effect, in milliseconds: half of the slack in the schedule. The other half is for wrong
 * clocks, and for replicas that see a new authority late.
 */
export function lagMs({ authorityMs }: Lives): number {
  return authorityMs / 8
}

/** The pair for the present time: the known authorities if none is due. A missing, damaged or expired authority is replaced. */
export function nextPair(known: readonly Authority[], now: number, lives: Lives): Pair {
  const life = lives.authorityMs
  const valid = known.filter(one => one.notAfter > now).sort((one, other) => one.notAfter - other.notAfter)
  const [older, younger] = valid.slice(-2)
  if (older === undefined) {
    const first = newAuthority(now, now + (life * 5) / 8)
    return [first, newAuthority(now, now + (life * 9) / 8)]
  }
  if (younger === undefined) return sorted(older, successorOf(older, now, life))
  if (!isDue(older, younger, now, life)) return [older, younger]
  return sorted(younger, successorOf(younger, now, life))
}

/**
 * Whether the older authority has to be replaced. It is never replaced before the younger authority signs, because until then the older one signs the leaves.
 */
function isDue(older: Authority, younger: Authority, now: number, life: number): boolean {
  return older.notAfter - now <= life / 8 && now - younger.issuedAt >= (life * 3) / 8
}

/** Makes an authority that expires half a life after the remaining one. The time has bounds, because the remaining authority may have been made by hand. */
function successorOf(stays: Authority, now: number, life: number): Authority {
  const notAfter = Math.min(Math.max(stays.notAfter + life / 2, now + life / 2), now + (life * 9) / 8)
  return newAuthority(now, notAfter)
}

function sorted(one: Authority, other: Authority): Pair {
  return one.notAfter <= other.notAfter ? [one, other] : [other, one]
}

/** The authority of a pair that signs now. */
export function signerOf([older, younger]: Pair, now: number, { authorityMs, servingMs }: Lives): Authority {
  if (younger.notBefore > now) return older
  const isSettled = now - younger.issuedAt >= authorityMs / 4
  const isLate = older.notAfter - now < servingMs / 2
  return isSettled || isLate ? younger : older
}

/** The earliest time at which the result of {@link nextPair} or {@link signerOf} may change. */
export function nextChange(pair: Pair, now: number, { authorityMs: life, servingMs }: Lives): number {
  const [older, younger] = pair
  const times = [
    Math.max(older.notAfter - life / 8, younger.issuedAt + (life * 3) / 8),
    ...[older.notAfter, younger.issuedAt + life / 4, older.notAfter - servingMs / 2, younger.notBefore],
  ]
  return Math.min(...times.filter(time => time > now))
}
