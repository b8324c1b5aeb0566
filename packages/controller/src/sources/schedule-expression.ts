/** Which numbers a field matches, and whether the field has a star or a question mark of its own. */
export interface ScheduleField {
  readonly has: readonly boolean[]
  readonly isStar: boolean
}

/** The fields of a cron expression. */
export interface ScheduleFields {
  readonly second: ScheduleField
  readonly minute: ScheduleField
  readonly hour: ScheduleField
  readonly day: ScheduleField
  readonly month: ScheduleField
  readonly weekday: ScheduleField
}

interface FieldRange {
  readonly name: string
  readonly min: number
  readonly max: number
  /** The names of the numbers from `min` on. */
  readonly names?: readonly string[]
}

const ranges: readonly FieldRange[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of the week', min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/**
 * Reads a cron expression as a CronJob does (robfig/cron v3, its standard parser): five fields or a descriptor. Six fields begin with seconds.
 * @throws Error with the reason, if the expression is not valid
 */
export function fieldsOf(cron: string): ScheduleFields {
  const text = cron.startsWith('@') ? descriptors.get(cron) : cron
  if (text === undefined) throw new Error(`the descriptors are ${[...descriptors.keys(), '@every 1h30m'].join(', ')}`)
  if (/^(?:CRON_)?TZ=/.test(text)) throw new Error('the time zone is the option timeZone')
  const found = text.split(/(?:\u0085|[^\S\uFEFF])+/).filter(field => field !== '')
  if (found.length !== 5 && found.length !== 6) throw new Error(`five or six fields are needed, not ${found.length}`)
  if (found.length === 5) found.unshift('0')
  const [second, minute, hour, day, month, weekday] = ranges.map((range, at) => fieldOf(found[at] as string, range))
  return { second, minute, hour, day, month, weekday } as ScheduleFields
}

function fieldOf(text: string, range: FieldRange): ScheduleField {
  const has: boolean[] = new Array(range.max + 1).fill(false)
  let isStar = false
  for (const part of text.split(',')) {
    if (part === '') continue
    const { start, end, step, hasStar } = partOf(part, range)
    // A star with a step is no star: the two fields for days are then an "or".
    if (hasStar && step === 1) isStar = true
    for (let at = start; at <= end; at += step) has[at] = true
  }
  if (!has.includes(true)) throw new Error(`the field for the ${range.name} names none`)
  return { has, isStar }
}

function partOf(
  part: string,
  range: FieldRange,
): { readonly start: number; readonly end: number; readonly step: number; readonly hasStar: boolean } {
  const [span = '', steps, ...more] = part.split('/')
  const [low = '', high, ...others] = span.split('-')
  const hasStar = low === '*' || low === '?'
  if (more.length > 0) throw problem(part, range, 'has several slashes')
  if (others.length > 0 && !hasStar) throw problem(part, range, 'has several hyphens')
  const start = hasStar ? range.min : numberOf(low, part, range)
  const isOne = high === undefined && others.length === 0
  let end = range.max
  if (!hasStar && high !== undefined) end = numberOf(high, part, range)
  else if (!hasStar && isOne && steps === undefined) end = start
  const step = steps === undefined ? 1 : integerOf(steps)
  if (step === undefined || step === 0) throw problem(part, range, 'has a step that is not 1 or more')
  if (start < range.min || end > range.max) {
    const sunday = range.max === 6 ? '; Sunday is 0' : ''
    throw problem(part, range, `leaves ${range.min} to ${range.max}${sunday}`)
  }
  if (start > end) throw problem(part, range, 'ends before it begins')
  return { start, end, step, hasStar }
}

function numberOf(text: string, part: string, range: FieldRange): number {
  const named = range.names?.indexOf(text.toLowerCase()) ?? -1
  const found = named >= 0 ? named + range.min : integerOf(text)
  if (found === undefined) throw problem(part, range, 'is no number')
  return found
}

function integerOf(text: string): number | undefined {
  const found = /^\+?\d+$/.test(text) ? Number(text) : Number.NaN
  return found < 2 ** 63 ? found : undefined
}

function problem(part: string, { name }: FieldRange, what: string): Error {
  return new Error(`${JSON.stringify(part)} of the field for the ${name} ${what}`)
}
