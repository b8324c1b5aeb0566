/** The offsets of a time zone from UTC. */
export interface ScheduleZone {
  /** Local time less UTC at the time `at`, in milliseconds. */
  offsetAt(at: number): number
}

const spanMs = 86_400_000

const utc: ScheduleZone = { offsetAt: () => 0 }

/**
 * The zone of this name in the IANA database. Upper and lower case count, as for a CronJob.
 * @throws Error with the reason, if there is no such zone
 */
export function zoneNamed(name: string): ScheduleZone {
  if (name === 'UTC') return utc
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: name, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ era: 'short', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  } as Intl.DateTimeFormatOptions)
  const found = format.resolvedOptions().timeZone
  if (/^[+-]/.test(name)) throw new Error(`${name} is an offset, and no zone`)
  if (found !== name && found.toLowerCase() === name.toLowerCase()) throw new Error(`the zone is ${found}`)
  return new IntlZone(format)
}

/** A period without a change of the clocks, from `start` up to `end`. */
interface Stretch {
  start: number
  end: number
  readonly offset: number
}

/** The maximum number of stretches that are kept, the latest ones: 32 years in most zones. */
const mostStretches = 64

class IntlZone implements ScheduleZone {
  readonly #format: Intl.DateTimeFormat
  readonly #stretches: Stretch[] = []
  #last: Stretch = { start: 0, end: 0, offset: 0 }

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  offsetAt(at: number): number {
    if (at < this.#last.start || at >= this.#last.end) this.#last = this.#stretchAt(at)
    return this.#last.offset
  }

  #stretchAt(at: number): Stretch {
    const known = this.#stretches.find(({ start, end }) => start <= at && at < end)
    if (known !== undefined) return known
    const start = Math.floor(at / spanMs) * spanMs
    const end = start + spanMs
    const [before, after] = [this.#ask(start), this.#ask(end)]
    if (before === after) return this.#add(start, end, before)
    let [low, high] = [start, end]
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000
      if (this.#ask(middle) === before) low = middle
      else high = middle
    }
    const parts = [this.#add(start, high, before), this.#add(high, end, after)] as const
    return at < high ? parts[0] : parts[1]
  }

  #add(start: number, end: number, offset: number): Stretch {
    const neighbour = this.#stretches.find(one => one.offset === offset && (one.end === start || one.start === end))
    const stretch = neighbour ?? { start, end, offset }
    stretch.start = Math.min(stretch.start, start)
    stretch.end = Math.max(stretch.end, end)
    if (neighbour === undefined) this.#stretches.push(stretch)
    if (this.#stretches.length > mostStretches) this.#stretches.shift()
    return stretch
  }

  #ask(at: number): number {
    const parts: Record<string, string> = {}
    for (const { type, value } of this.#format.formatToParts(at)) parts[type] = value
    const { year, month, day, hour, minute, second } = parts
    const local = new Date(0)
    local.setUTCFullYear(parts.era === 'BC' ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day))
    local.setUTCHours(Number(hour), Number(minute), Number(second))
    return local.getTime() - Math.floor(at / 1000) * 1000
  }
}
