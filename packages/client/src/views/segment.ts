import { InvalidNameError } from '../errors/invalid-name.ts'

/**
 * Checks one segment of a path by the API server's own rules (`IsValidPathSegmentName`), which are wider than DNS (`system:node`).
 * Refused are `.`, `..`, `/`, `%`, `?`, an empty one, and text that is no Unicode. Returns the value.
 */
export function checkSegment(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidNameError(what, value, 'must be a string')
  if (value === '') throw new InvalidNameError(what, value, 'must not be empty')
  if (value === '.' || value === '..') throw new InvalidNameError(what, value, "may not be '.' or '..'")
  const bad = /[/%?]/.exec(value)
  if (bad !== null) throw new InvalidNameError(what, value, `may not contain '${bad[0]}'`)
  if (!value.isWellFormed()) throw new InvalidNameError(what, value, 'is not well-formed Unicode')
  return value
}

/** Checks the name of a namespace by the API server's rule. `*`, a blank or a capital would select nothing, and nobody would say so. */
export function checkNamespace(value: unknown): string {
  const name = checkSegment('namespace', value)
  if (name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return name
  throw new InvalidNameError(
    'namespace',
    value,
    "must be at most 63 of a to z, 0 to 9 and '-', with '-' neither first nor last",
  )
}

/** A checked segment as it stands in a path: what is plain in a path stays readable (`system:node`). */
export function encodeSegment(what: string, value: unknown): string {
  const text = checkSegment(what, value)
  if (/^[A-Za-z0-9._~:@!$&'()*+,;=-]+$/.test(text)) return text
  return encodeURIComponent(text)
}
