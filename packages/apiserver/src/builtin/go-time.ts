/** A part of a time, in the order in which Go reads the parts: Go's name of the part, its form, and its range. */
type Part = readonly [name: string, form: RegExp, range?: readonly [what: string, least: number, most: number]]

const seconds: readonly Part[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, ['month', 1, 12]],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/, ['hour', 0, 23]],
  [':', /^:/],
  ['04', /^\d\d/, ['minute', 0, 59]],
  [':', /^:/],
]
const zone: Part = ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/, ['time zone offset hour', -24, 24]]
/** A second may have a fraction, even if the form has none. */
const plain: readonly Part[] = [...seconds, ['05', /^\d\d(?:[.,]\d+)?/, ['second', 0, 59]], zone]
const micro: readonly Part[] = [...seconds, ['05', /^\d\d/, ['second', 0, 59]], ['.000000', /^[.,]\d{6}/], zone]

/** The form in which servers write times. Nearly every time matches it and is checked no further. */
const usual = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/

/** A time as the server prints it: in UTC, and in whole seconds, or with `withMicros` with a fraction of six digits. An invalid time stays unchanged. */
export function canonicalTime(text: string, withMicros: boolean): string {
  const known = usual.exec(text)
  if (known !== null && withMicros === (known[1] !== undefined)) return text
  const match = /^(\d{4}-\d\d-\d\dT)(\d\d?)(:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)
  if (match === null) return text
  const [, date, hour = '', rest, fraction = '', sign, hours = 0, minutes = 0] = match
  const minutesEast = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const time = new Date(Date.parse(`${date}${hour.padStart(2, '0')}${rest}Z`) - minutesEast * 60_000)
  if (Number.isNaN(time.getTime())) return text
  return `${time.toISOString().slice(0, -5)}${withMicros ? `.${fraction.slice(0, 6).padEnd(6, '0')}` : ''}Z`
}

/**
 * Go's message for a text that is no time of RFC 3339, or with `withMicros` no time of RFC 3339 with a fraction of six digits; `undefined` if the text is
 * valid.
 */
export function timeProblem(text: string, withMicros: boolean): string | undefined {
  const known = usual.exec(text)
  if (known !== null && (!withMicros || known[1] !== undefined)) return undefined
  const form = withMicros ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00'
  const problem = (why: string): string => `parsing time ${JSON.stringify(text)}${why}`
  let rest = text
  for (const [name, taken, range] of withMicros ? micro : plain) {
    const found = taken.exec(rest)?.[0]
    if (found === undefined) {
      return problem(` as "${form}": cannot parse ${JSON.stringify(rest)} as "${name}"`)
    }
    rest = rest.slice(found.length)
    if (range === undefined) continue
    const [what, least, most] = range
    const value = Number.parseInt(found, 10)
    if (value < least || value > most) return problem(`: ${what} out of range`)
  }
  if (rest !== '') return problem(`: extra text: ${JSON.stringify(rest)}`)
  if (Number(/[+-]\d\d:(\d\d)$/.exec(text)?.[1] ?? 0) > 60) return problem(': time zone offset minute out of range')
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  // The calendar repeats after 400 years, and Date.UTC counts a year below 100 from 1900.
  return day < 1 || day > new Date(Date.UTC(year + 400, month, 0)).getUTCDate()
    ? problem(': day out of range')
    : undefined
}
