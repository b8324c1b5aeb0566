import { InvalidNameError } from '../errors/invalid-name.ts'

const namePart = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Checks a label key (a qualified name: `[prefix/]name`) as the API server does. Returns the key. */
export function checkLabelKey(key: unknown): string {
  return checkQualifiedName('label key', key)
}

/**
 * Checks the name of a finalizer (`domain/name`, or a name of Kubernetes' own) as the API server does. Returns the name.
 * @throws InvalidNameError
 */
export function checkFinalizerName(name: unknown): string {
  return checkQualifiedName('finalizer', name)
}

/** Checks a label value (which may be empty) as the API server does. Returns the value. */
export function checkLabelValue(value: unknown): string {
  if (typeof value !== 'string') throw new InvalidNameError('label value', value, 'must be a string')
  if (value !== '' && (value.length > 63 || !namePart.test(value))) {
    throw new InvalidNameError(
      'label value',
      value,
      "must be empty or at most 63 letters, digits, '-', '_' and '.', the first and the last a letter or digit",
    )
  }
  return value
}

function checkQualifiedName(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidNameError(what, value, 'must be a string')
  const slash = value.indexOf('/')
  const prefix = slash < 0 ? undefined : value.slice(0, slash)
  const name = value.slice(slash + 1)
  if (prefix !== undefined && (prefix.length > 253 || !dnsSubdomain.test(prefix))) {
    throw new InvalidNameError(what, value, 'must have a DNS subdomain of at most 253 characters before its /')
  }
  if (name.length > 63 || !namePart.test(name)) {
    throw new InvalidNameError(
      what,
      value,
      "must have a name of 1 to 63 letters, digits, '-', '_' and '.', the first and the last a letter or digit",
    )
  }
  return value
}
