import { isIPv4, isIPv6 } from 'node:net'

const uuid = (version: string): RegExp => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, 'i')
const short = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const shortName = new RegExp(`^${short}$`)
const longName = new RegExp(`^${short}(?:\\.${short})*$`)
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u

/** The spellings of the units of a duration in words. The last spelling of each unit is a prefix, such as `hour` for `hours`. */
const units = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  if (month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= ([31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number)
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  if (time === undefined || !isDate(date)) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time)
  if (match === null) return false
  const [hours = '', minutes = '', seconds = ''] = match.slice(1)
  return hours <= '23' && minutes <= '59' && seconds <= '59'
}

function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true
  for (const [, , word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase()
    if (units.some(variants => variants.includes(unit) || unit.startsWith(variants.at(-1) as string))) return true
  }
  return false
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', more] = text.split('/')
  if (more !== undefined || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128)
}

function isHostname(text: string): boolean {
  return hostname.test(text) && text.length <= 255 && text.split('.').every(label => Buffer.byteLength(label) <= 63)
}

function isUri(text: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)[^\s#]*$/.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text)
}

/** The checks of strings by the name of their format, without its dashes. */
const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', text => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isUri],
  ['email', text => /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', text => /^[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2}){4}(?:(?:\1[0-9a-fA-F]{2}){2})?$/.test(text)],
  ['uuid', text => uuid('[0-9a-f]{4}-?[0-9a-f]{4}').test(text)],
  ['uuid3', text => uuid('3[0-9a-f]{3}-?[0-9a-f]{4}').test(text)],
  ['uuid4', text => uuid('4[0-9a-f]{3}-?[89ab][0-9a-f]{3}').test(text)],
  ['uuid5', text => uuid('5[0-9a-f]{3}-?[89ab][0-9a-f]{3}').test(text)],
  ['ssn', text => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', text => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  [
    'rgbcolor',
    text => {
      const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
      return match?.slice(1).every(part => Number(part) <= 255 && String(Number(part)) === part) ?? false
    },
  ],
  ['byte', text => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', text => text.length <= 63 && shortName.test(text)],
  ['k8slongname', text => text.length <= 253 && longName.test(text)],
])

/** Formats of strings that a real server checks and this one can't. A definition with such a format is refused. */
export const unservedFormats: ReadonlySet<string> = new Set(['isbn', 'isbn10', 'isbn13', 'creditcard'])

/** The formats of strings that are checked, without their dashes. */
export const knownFormats: ReadonlySet<string> = new Set(checks.keys())

/** Whether `text` has the format. Returns true for an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  return checks.get(format.replaceAll('-', ''))?.(text) ?? true
}
