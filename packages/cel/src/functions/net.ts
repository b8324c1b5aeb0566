import type { Declaration } from '../declarations.ts'
import { goQuote } from '../structural/go-text.ts'
import { CelError, Custom } from '../values.ts'

/** An address, as a number of 32 or 128 bits. */
class Ip extends Custom {
  readonly type = 'net.IP'
  readonly family: 4 | 6
  readonly bits: bigint

  constructor(family: 4 | 6, bits: bigint) {
    super()
    this.family = family
    this.bits = bits
  }

  override get size(): number {
    return this.family === 4 ? 4 : 16
  }

  equals(other: Ip): boolean {
    return this.family === other.family && this.bits === other.bits
  }

  get width(): number {
    return this.family === 4 ? 32 : 128
  }

  get text(): string {
    return this.family === 4 ? printBytes(this.bits) : printGroups(this.bits)
  }
}

/** A network: an address and the length of its prefix. */
class Cidr extends Custom {
  readonly type = 'net.CIDR'
  readonly ip: Ip
  readonly length: number

  constructor(ip: Ip, length: number) {
    super()
    this.ip = ip
    this.length = length
  }

  override get size(): number {
    return Math.ceil(this.length / 8)
  }

  equals(other: Cidr): boolean {
    return this.ip.equals(other.ip) && this.length === other.length
  }

  /** The first bits of an address, as many as this network's prefix has. */
  prefix(ip: Ip): bigint {
    return ip.bits >> BigInt(ip.width - this.length)
  }

  holds(ip: Ip): boolean {
    return ip.family === this.ip.family && this.prefix(ip) === this.prefix(this.ip)
  }
}

function printBytes(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 255n).join('.')
}

function printGroups(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bits >> BigInt(112 - 16 * i)) & 0xffffn)
  const text = groups.map(group => group.toString(16)).join(':')
  let longest = ''
  for (const [zeros] of text.matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g))
    if (zeros.length > longest.length) longest = zeros
  if (longest === '') return text
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`))
  const [before, after] = [text.slice(0, at), text.slice(at + longest.length)]
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`
}

function readBytes(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || parts.some(part => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255)) return undefined
  return parts.reduce((bits, part) => bits * 256n + BigInt(part), 0n)
}

function readGroups(text: string): bigint | undefined {
  let rest = text
  const tail = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (tail !== null) {
    const bits = readBytes(tail[1] as string)
    if (bits === undefined) return undefined
    rest = `${text.slice(0, text.length - (tail[1] as string).length)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
  }
  const halves = rest.split('::')
  if (halves.length > 2) return undefined
  const groups = halves.map(half => (half === '' ? [] : half.split(':')))
  if (groups.flat().some(group => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  const missing = 8 - groups.flat().length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const whole =
    halves.length === 1
      ? groups[0]
      : [...(groups[0] as string[]), ...Array(missing).fill('0'), ...(groups[1] as string[])]
  return (whole as string[]).reduce((bits, group) => bits * 65536n + BigInt(`0x${group}`), 0n)
}

/** Go's message about a text that is no address. */
function addressProblem(text: string): string {
  const quoted = goQuote(text)
  if (!/[.:]/.test(text)) return `ParseAddr(${quoted}): unable to parse IP`
  if (text.indexOf('.') !== -1 && !text.split('.')[0]?.includes(':')) return bytesProblem(text)
  return groupsProblem(text)
}

function bytesProblem(text: string): string {
  const say = (why: string): string => `ParseAddr(${goQuote(text)}): ${why}`
  let digits = ''
  let fields = 0
  for (const [i, char] of [...text].entries()) {
    if (/\d/.test(char)) {
      if (digits === '0') return say('IPv4 field has octet with leading zero')
      digits += char
      if (Number(digits) > 255) return say('IPv4 field has value >255')
    } else if (char === '.') {
      if (i === 0 || i === text.length - 1 || digits === '') {
        return say(`IPv4 field must have at least one digit (at ${goQuote(text.slice(i))})`)
      }
      if (fields === 3) return say('IPv4 address too long')
      fields++
      digits = ''
    } else return say(`unexpected character (at ${goQuote(text.slice(i))})`)
  }
  return say('IPv4 address too short')
}

function groupsProblem(text: string): string {
  const say = (why: string): string => `ParseAddr(${goQuote(text)}): ${why}`
  const bad = /[^0-9a-fA-F:.]/.exec(text)
  if (bad !== null) {
    const before = text[bad.index - 1]
    const why =
      bad.index === 0 || before === ':'
        ? 'each colon-separated field must have at least one digit'
        : 'unexpected character, want colon'
    return say(`${why} (at ${goQuote(text.slice(bad.index))})`)
  }
  const long = /[0-9a-fA-F]{5,}/.exec(text)
  if (long !== null) return say(`each group must have 4 or less digits (at ${goQuote(text.slice(long.index))})`)
  if (text.split('::').length > 2) {
    return say(`multiple :: in address (at ${goQuote(text.slice(text.indexOf('::', text.indexOf('::') + 2) + 1))})`)
  }
  return say('address string too short')
}

function read(text: string): Ip | string {
  const zone = text.indexOf('%')
  const bare = zone === -1 ? text : text.slice(0, zone)
  const bytes = zone === -1 ? readBytes(bare) : undefined
  if (bytes !== undefined) return new Ip(4, bytes)
  const groups = bare.includes(':') ? readGroups(bare) : undefined
  if (groups === undefined || zone === text.length - 1) {
    return `IP Address ${goQuote(text)} parse error during conversion from string: ${addressProblem(text)}`
  }
  if (zone !== -1) return `IP address ${goQuote(text)} with zone value is not allowed`
  if (groups >> 32n === 0xffffn) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
  return new Ip(6, groups)
}

function ipOf(text: string): Ip {
  const ip = read(text)
  if (typeof ip === 'string') throw new CelError(ip)
  return ip
}

function readCidr(text: string): Cidr | string {
  const at = text.lastIndexOf('/')
  const say = (why: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): ${why}`
  if (at === -1) return say("no '/'")
  const ip = read(text.slice(0, at))
  if (typeof ip === 'string') {
    if (ip.startsWith('IPv4-mapped')) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
    if (ip.endsWith('zone value is not allowed')) return say('IPv6 zones cannot be present in a prefix')
    return say(addressProblem(text.slice(0, at)))
  }
  const length = text.slice(at + 1)
  if (!/^(0|[1-9]\d*)$/.test(length)) return say(`bad bits after slash: ${goQuote(length)}`)
  if (Number(length) > ip.width) return say('prefix length out of range')
  return new Cidr(ip, Number(length))
}

function cidrOf(text: string): Cidr {
  const cidr = readCidr(text)
  if (typeof cidr === 'string') throw new CelError(`network address parse error during conversion from string: ${cidr}`)
  return cidr
}

/** Whether an address is in the network with this prefix. */
const within =
  (v4: string, v6: string) =>
  (ip: Ip): boolean =>
    cidrOf(ip.family === 4 ? v4 : v6).holds(ip)
const isUnspecified = within('0.0.0.0/32', '::/128')
const isLoopback = within('127.0.0.0/8', '::1/128')
const isLinkLocalMulticast = (ip: Ip): boolean =>
  ip.family === 4 ? within('224.0.0.0/24', '::/0')(ip) : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n
const isLinkLocalUnicast = within('169.254.0.0/16', 'fe80::/10')
const isMulticast = within('224.0.0.0/4', 'ff00::/8')
const isBroadcast = (ip: Ip): boolean => ip.family === 4 && ip.bits === 0xffffffffn
const isGlobalUnicast = (ip: Ip): boolean =>
  !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip) && !isBroadcast(ip)

function masked(cidr: Cidr): Cidr {
  const shift = BigInt(cidr.ip.width - cidr.length)
  return new Cidr(new Ip(cidr.ip.family, (cidr.ip.bits >> shift) << shift), cidr.length)
}

function holdsText(cidr: Cidr, text: string): boolean {
  const ip = read(text)
  if (typeof ip === 'string') throw new CelError('no such overload')
  return cidr.holds(ip)
}

function holdsCidr(cidr: Cidr, other: Cidr): boolean {
  return cidr.length <= other.length && cidr.holds(other.ip)
}

const ip = 'net.IP'
const cidr = 'net.CIDR'

/** The functions `ip` and `cidr`, for addresses and networks. */
export const nets: readonly Declaration[] = [
  [`ip(string): ${ip}`, ipOf],
  ['isIP(string): bool', (text: string) => typeof read(text) !== 'string'],
  ['ip.isCanonical(string): bool', (text: string) => ipOf(text).text === text],
  [`string(${ip}): string`, (a: Ip) => a.text],
  [`${ip}->family(): int`, (a: Ip) => BigInt(a.family)],
  [`${ip}->isUnspecified(): bool`, isUnspecified],
  [`${ip}->isLoopback(): bool`, isLoopback],
  [`${ip}->isLinkLocalMulticast(): bool`, isLinkLocalMulticast],
  [`${ip}->isLinkLocalUnicast(): bool`, isLinkLocalUnicast],
  [`${ip}->isGlobalUnicast(): bool`, isGlobalUnicast],
  [`cidr(string): ${cidr}`, cidrOf],
  ['isCIDR(string): bool', (text: string) => typeof readCidr(text) !== 'string'],
  [`string(${cidr}): string`, (a: Cidr) => `${a.ip.text}/${a.length}`],
  [`${cidr}->containsIP(string): bool`, holdsText],
  [`${cidr}->containsIP(${ip}): bool`, (a: Cidr, b: Ip) => a.holds(b)],
  [`${cidr}->containsCIDR(string): bool`, (a: Cidr, b: string) => holdsCidr(a, cidrOf(b))],
  [`${cidr}->containsCIDR(${cidr}): bool`, holdsCidr],
  [`${cidr}->ip(): ${ip}`, (a: Cidr) => a.ip],
  [`${cidr}->prefixLength(): int`, (a: Cidr) => BigInt(a.length)],
  [`${cidr}->masked(): ${cidr}`, masked],
]
