/** Encodes values of ASN.1 by the distinguished encoding rules (X.690), for the types in a certificate. */

/** A value of any type: its tag, the length, and the content. */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content])
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >>> 8, length & 0xff]
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
/** A positive number. Its first byte is 1 to 127. */
export const integer = (...bytes: readonly number[]): Buffer => tagged(0x02, Buffer.from(bytes))
/** The bits of bytes, without the last `unused` bits. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.of(unused), bytes)

/** An object identifier, such as `2.5.4.3`. Each of its numbers is below 2^14. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  const base128 = (number: number): number[] => (number < 0x80 ? [number] : [0x80 | (number >>> 7), number & 0x7f])
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))
}

/** A time in milliseconds since 1970, rounded down to whole seconds. As RFC 5280 requires, a year before 2050 has two digits, and a later year has four. */
export function time(ms: number): Buffer {
  const text = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}
