/** Texts that are written shorter than by their characters: each is known by being made again just as it was. */

const dash = 0x2d
const zero = 0x30
const uuidLength = 36
const hexDigits = '0123456789abcdef'
/** By the code of a character, up to that of `f`; -1 for what is no digit. */
const hexValues = Int8Array.from({ length: 128 }, (_, code) => hexDigits.indexOf(String.fromCharCode(code)))

function isDash(index: number): boolean {
  return index === 8 || index === 13 || index === 18 || index === 23
}

/** Writes the 16 bytes of a UUID in lower case. Gives `false` for any other text. */
export function writeUuid(text: string, bytes: Buffer, start: number): boolean {
  if (text.length !== uuidLength) return false
  let at = start
  for (let index = 0; index < uuidLength; ) {
    if (isDash(index)) {
      if (text.charCodeAt(index++) !== dash) return false
      continue
    }
    const high = hexValues[text.charCodeAt(index++)] ?? -1
    const low = hexValues[text.charCodeAt(index++)] ?? -1
    if (high < 0 || low < 0) return false
    bytes[at++] = (high << 4) | low
  }
  return true
}

const written = Buffer.alloc(uuidLength, dash)

/** The UUID of 16 bytes. */
export function readUuid(bytes: Buffer, start: number): string {
  let at = start
  for (let index = 0; index < uuidLength; index++) {
    if (isDash(index)) continue
    const byte = bytes[at++] as number
    written[index++] = hexDigits.charCodeAt(byte >> 4)
    written[index] = hexDigits.charCodeAt(byte & 15)
  }
  return written.toString('latin1')
}

/** The seconds since 1970 of a time such as `2026-01-31T12:00:00Z`; -1 for any other text. */
export function secondsOf(text: string): number {
  if (text.length !== 20 || text.charCodeAt(10) !== 0x54 || text.charCodeAt(19) !== 0x5a) return -1
  const seconds = Date.parse(text) / 1000
  return seconds >= 0 && timeOf(seconds) === text ? seconds : -1
}

export function timeOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

/** The number that a text of up to 15 digits says; -1 for any other text, and for one that has zeros before it. */
export function numberOf(text: string): number {
  const { length } = text
  if (length === 0 || length > 15 || (length > 1 && text.charCodeAt(0) === zero)) return -1
  let number = 0
  for (let index = 0; index < length; index++) {
    const digit = text.charCodeAt(index) - zero
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

/** Whether each character takes a byte. */
export function isLatin1(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0xff) return false
  return true
}
