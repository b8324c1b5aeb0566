import { certificatesOf, type Trusted } from '../certificates/pem.ts'

/** The certificates that a `caBundle` has, by fingerprint. Other blocks are left out. */
export function inBundle(caBundle: string | undefined): ReadonlyMap<string, Trusted> {
  const pem = caBundle === undefined ? '' : Buffer.from(caBundle, 'base64').toString()
  return new Map(certificatesOf(pem).map(one => [one.fingerprint, one]))
}

/** A `caBundle` of PEM texts: each certificate once, in the order of their expiry. */
export function bundleOf(pems: readonly string[]): string {
  const all = pems.flatMap(certificatesOf)
  const once = [...new Map(all.map(one => [one.fingerprint, one])).values()]
  const sorted = once.sort((one, other) => one.notAfter - other.notAfter)
  return Buffer.from(sorted.map(({ cert }) => cert).join('')).toString('base64')
}
