/** The bounds of a field of a schedule, and the names of its numbers. */
interface Bounds {
  readonly min: number
  readonly max: number
  readonly names: readonly string[]
}

const months = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/**
 * The reason for which `schedule` is no schedule of a CronJob, in the words of a real server's parser; `undefined` if it is valid.
 *
 * See https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 */
export function scheduleProblem(schedule: string): string | undefined {
  const zone = /^(?:TZ|CRON_TZ)=(\S*)\s*/.exec(schedule)
  const text = zone === null ? schedule : schedule.slice(zone[0].length)
  if (text.startsWith('@')) return descriptorProblem(text)
  const parts = text.split(/\s+/).filter(part => part !== '')
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
  }
  for (const [i, part] of parts.entries()) {
    const problem = fieldProblem(part, fields[i] as Bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.includes(text)) return undefined
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`
  const duration = text.slice('@every '.length)
  const problem = durationProblem(duration)
  return problem && `failed to parse duration ${text}: time: ${problem} ${JSON.stringify(duration)}`
}

const units: readonly string[] = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']

function durationProblem(duration: string): string | undefined {
  const unsigned = duration.replace(/^[+-]/, '')
  if (unsigned === '0') return undefined
  const part = /(?:\d+(?:\.\d*)?|\.\d+)([^\d.]*)/y
  while (part.lastIndex < unsigned.length || unsigned === '') {
    const unit = part.exec(unsigned)?.[1]
    if (unit === undefined) return 'invalid duration'
    if (unit === '') return 'missing unit in duration'
    if (!units.includes(unit)) return `unknown unit ${JSON.stringify(unit)} in duration`
  }
  return undefined
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',').filter(one => one !== '')) {
    const problem = rangeProblem(range, bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

function rangeProblem(range: string, { min, max, names }: Bounds): string | undefined {
  const [span = '', step, ...steps] = range.split('/')
  const [from = '', to, ...ends] = span.split('-')
  const isAny = from === '*' || from === '?'
  const numberOf = (text: string): number | string => {
    const named = text === '' ? -1 : names.indexOf(text.toLowerCase())
    return named === -1 ? parsed(text) : named
  }
  const start = isAny ? min : numberOf(from)
  if (typeof start === 'string') return start
  if (!isAny && ends.length > 0) return `too many hyphens: ${range}`
  // `5/15` is `5-59/15`.
  const single = step === undefined ? start : max
  const end = isAny ? max : to === undefined ? single : numberOf(to)
  if (typeof end === 'string') return end
  if (steps.length > 0) return `too many slashes: ${range}`
  const by = step === undefined ? 1 : parsed(step)
  if (typeof by === 'string') return by
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${range}`
  if (end > max) return `end of range (${end}) above maximum (${max}): ${range}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`
  return by === 0 ? `step of range should be a positive number: ${range}` : undefined
}

/** The number in a text, or the parser's message about the text. */
function parsed(text: string): number | string {
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
  }
  const number = Number(text)
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number
}
