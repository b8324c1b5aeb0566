import { InvalidNameError } from '../errors/invalid-name.ts'

/**
 * Checks one segment of a path by the API server's own rules (`IsValidPathSegmentName`), which are wider than DNS (`system:node`).
 * It refuses `.`, `..`, `/`, `%`, `?`, an empty text, and text that is no Unicode. Returns the value.
 *
 * @param of the plural of the resource of the named object, for errors
 */
export function checkSegment(what: string, value: unknown, of?: string | undefined): string {
  if (typeof value !== 'string') throw new InvalidNameError(what, value, 'must be a string', of)
  if (value === '') throw new InvalidNameError(what, value, 'must not be empty', of)
  if (value === '.' || value === '..') throw new InvalidNameError(what, value, "may not be '.' or '..'", of)
  const bad = /[/%?]/.exec(value)
  if (bad !== null) throw new InvalidNameError(what, value, `may not contain '${bad[0]}'`, of)
  if (!value.isWellFormed()) throw new InvalidNameError(what, value, 'is not well-formed Unicode', of)
  return value
}

/** Checks the name of a namespace by the API server's rule. `*`, a blank or a capital would silently select nothing. */
export function checkNamespace(value: unknown): string {
  const name = checkSegment('namespace', value)
  if (name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return name
  throw new InvalidNameError(
    'namespace',
    value,
    "must be at most 63 of a to z, 0 to 9 and '-', with '-' neither first nor last",
  )
}

/** A checked segment, encoded for a path. Characters that are allowed in a path stay readable (`system:node`). */
export function encodeSegment(what: string, value: unknown, of?: string | undefined): string {
  const text = checkSegment(what, value, of)
  if (/^[A-Za-z0-9._~:@!$&'()*+,;=-]+$/.test(text)) return text
  return encodeURIComponent(text)
}
