import { InvalidNameError } from '../errors/invalid-name.ts'

const namePart = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Checks a label key (a qualified name: `[prefix/]name`) as the API server does. Returns the key. */
export function checkLabelKey(key: unknown): string {
  if (typeof key !== 'string') throw new InvalidNameError('label key', key, 'must be a string')
  const slash = key.indexOf('/')
  const prefix = slash < 0 ? undefined : key.slice(0, slash)
  const name = key.slice(slash + 1)
  if (prefix !== undefined && (prefix.length > 253 || !dnsSubdomain.test(prefix))) {
    throw new InvalidNameError('label key', key, 'must have a DNS subdomain of at most 253 characters before its /')
  }
  if (name.length > 63 || !namePart.test(name)) {
    throw new InvalidNameError(
      'label key',
      key,
      "must have a name of 1 to 63 letters, digits, '-', '_' and '.', the first and the last a letter or digit",
    )
  }
  return key
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
