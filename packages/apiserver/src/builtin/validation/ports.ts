import type { Json } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'

export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP']

const outOfRange = 'must be between 1 and 65535, inclusive'

/** Checks the number of a port. */
export function checkPortNumber(field: string, port: Json | undefined, causes: Causes): void {
  const number = port ?? 0
  if (typeof number !== 'number' || number < 1 || number > 65_535) causes.invalid(field, number, outOfRange)
}

/** Checks the name of a container's port. */
export function checkPortName(field: string, name: string, causes: Causes): void {
  causes.invalid(field, name, ...portNameProblems(name))
}

/** Checks a port that is given by its number or name. */
export function checkPort(field: string, port: Json | undefined, causes: Causes): void {
  if (typeof port === 'string') checkPortName(field, port, causes)
  else checkPortNumber(field, port, causes)
}

export function portNameProblems(name: string): string[] {
  const wrong: readonly (readonly [boolean, string])[] = [
    [name.length > 15, 'must be no more than 15 characters'],
    [!/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [/^-|-$/.test(name), 'must not begin or end with a hyphen'],
  ]
  return wrong.flatMap(([is, why]) => (is ? [why] : []))
}
