import { isIPv4 } from 'node:net'

/** Encodes values of ASN.1 by the distinguished encoding rules (X.690), for the types in a certificate. */

/** A value of any type: its tag, the length, and the content. */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content])
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 + bytes.length, ...bytes]
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tagged(0x30, ...items)
/** A set with a single item. Several items would have to be sorted by their bytes. */
export const setOf = (item: Uint8Array): Buffer => tagged(0x31, item)
export const octetString = (bytes: Uint8Array): Buffer => tagged(0x04, bytes)
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text))
/** The value true. False is never written, because it is the default. */
export const yes: Buffer = tagged(0x01, Buffer.of(0xff))
/** A value with a context-specific tag number that contains other values. */
export const explicit = (number: number, ...items: readonly Uint8Array[]): Buffer => tagged(0xa0 + number, ...items)
/** A primitive value with a context-specific tag number. */
export const implicit = (number: number, bytes: Uint8Array): Buffer => tagged(0x80 + number, bytes)

/** A non-negative number from big-endian bytes. */
export function integer(...bytes: readonly number[]): Buffer {
  let first = 0
  while (first < bytes.length - 1 && bytes[first] === 0) first += 1
  const shortest = bytes.slice(first)
  return tagged(0x02, Buffer.from((shortest[0] as number) >= 0x80 ? [0, ...shortest] : shortest))
}

/** The bits of bytes, without the last `unused` bits. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), bytes)
}

/** An object identifier, such as `2.5.4.3`. Each of its numbers is below 2^31. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...others].flatMap(base128)))
}

function base128(number: number): readonly number[] {
  const bytes = [number & 0x7f]
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f))
  return bytes
}

/** A time in milliseconds since 1970, rounded down to whole seconds. As RFC 5280 requires, a year before 2050 has two digits, and a later year has four. */
export function time(ms: number): Buffer {
  const text = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}

/** The bytes of an IP address: 4 or 16. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // A URL normalizes an address: groups in hexadecimal, and at most one gap.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text = ''): readonly number[] =>
    text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16))
  const [left, right] = [groups(before), groups(after)]
  const bytes = Buffer.alloc(16)
  for (const [index, group] of left.entries()) bytes.writeUInt16BE(group, 2 * index)
  for (const [index, group] of right.entries()) bytes.writeUInt16BE(group, 16 - 2 * (right.length - index))
  return bytes
}
