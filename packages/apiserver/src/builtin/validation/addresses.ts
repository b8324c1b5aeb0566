import { isIP } from 'node:net'
import { dnsLabelProblems, subdomainProblems } from '@wherry/cel/internal'

const badIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const badCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const mapped = /^::ffff:[0-9a-f]+:[0-9a-f]+$/

/** The version of an IP address: 4, 6, or 0 if the text is no address. */
export function versionOf(text: string): number {
  return text.includes('%') ? 0 : isIP(text)
}

/** An address in its canonical form. */
function canonical(ip: string): string {
  return isIP(ip) === 6 ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip
}

/** The reasons for which a text is not an IP address. */
export function ipProblems(text: string): string[] {
  if (versionOf(text) === 0) return [isPadded(text) ? 'must not have leading 0s' : badIp]
  return mapped.test(canonical(text)) ? ['must not be an IPv4-mapped IPv6 address'] : []
}

/** Whether a text would be an address without zeros before its numbers. */
function isPadded(text: string): boolean {
  return isIP(text.replace(/\b0+(?=\d)/g, '')) === 4
}

/** As {@link ipProblems}, for a field that must contain the canonical form. */
export function canonicalIpProblems(text: string): string[] {
  const problems = ipProblems(text)
  if (problems.length > 0 || canonical(text) === text) return problems
  return [`must be in canonical form (${JSON.stringify(canonical(text))})`]
}

/** The addresses that no endpoint can have, as canonical forms. */
const special: readonly (readonly [RegExp, string])[] = [
  [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab].:)/, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff.2:)/, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
]

/** The reasons for which an address can't be that of an endpoint. */
export function endpointProblems(ip: string): string[] {
  if (versionOf(ip) === 0) return ['must be a valid IP address']
  const form = canonical(ip)
  const found = special.flatMap(([pattern, why]) => (pattern.test(form) ? [why] : []))
  return form === '0.0.0.0' || form === '::' ? [`may not be unspecified (${ip})`] : found
}

/** A block of addresses. */
export interface Block {
  /** The bits of its address: `00001010…`. */
  readonly bits: string
  /** The number of bits that all its addresses have. */
  readonly prefix: number
}

export function blockOf(text: string): Block | undefined {
  const [address = '', length = '', ...more] = text.split('/')
  if (versionOf(address) === 0 || more.length > 0 || !/^\d+$/.test(length)) return undefined
  const bits = bitsOf(address)
  return Number(length) > bits.length ? undefined : { bits, prefix: Number(length) }
}

function bitsOf(address: string): string {
  if (isIP(address) === 4) return binary(address.split('.'), 10, 8)
  const [head = [], tail = []] = canonical(address)
    .split('::')
    .map(part => part.split(':').filter(group => group !== ''))
  return binary([...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail], 16, 16)
}

function binary(groups: readonly string[], radix: number, width: number): string {
  return groups.map(group => Number.parseInt(group, radix).toString(2).padStart(width, '0')).join('')
}

/** The reasons for which a text is not a block of addresses. */
export function cidrProblems(text: string): string[] {
  const block = blockOf(text)
  if (block === undefined) {
    const [address = '', length = ''] = text.split('/')
    const isFine = isPadded(address) && blockOf(text.replace(/\b0+(?=\d)/g, '')) !== undefined
    return [isFine && length !== '' ? 'must not have leading 0s in IP or prefix length' : badCidr]
  }
  if (mapped.test(canonical(text.split('/')[0] as string))) return ['must not have an IPv4-mapped IPv6 address']
  return block.bits.slice(block.prefix).includes('1') ? ['must not have bits set beyond the prefix length'] : []
}

/** The reasons for which a text is not a domain name of at least two labels. */
export function domainProblems(text: string): string[] {
  const name = text.replace(/\.$/, '')
  const problems = subdomainProblems(name)
  if (problems.length > 0) return [problems.join(',')]
  const labels = name.split('.')
  if (labels.length < 2) return ['should be a domain with at least two segments separated by dots']
  const bad = labels.map(dnsLabelProblems).find(one => one.length > 0)
  return bad === undefined ? [] : [bad.join(',')]
}
