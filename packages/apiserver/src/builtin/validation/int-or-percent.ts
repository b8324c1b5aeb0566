import type { Json } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'

const badPercent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** Checks a number or a percentage, which must not be negative. */
export function checkIntOrPercent(field: string, value: Json | undefined, causes: Causes): void {
  if (typeof value === 'string') {
    if (!/^\d+%$/.test(value)) causes.invalid(field, value, badPercent)
  } else causes.notNegative(field, value)
}

export function checkAtMostAll(field: string, value: Json | undefined, causes: Causes): void {
  if (typeof value === 'string' && /^\d+%$/.test(value) && Number.parseInt(value, 10) > 100) {
    causes.invalid(field, value, 'must not be greater than 100%')
  }
}

/** The number, or the number of percent; 0 for any other value. */
export function amountOf(value: Json | undefined): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d+%$/.test(value) ? Number.parseInt(value, 10) : 0
}
