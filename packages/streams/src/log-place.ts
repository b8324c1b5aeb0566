/** A line of a log that was requested with timestamps. */
export interface TimedLine {
  /** As the server wrote it: `2026-01-01T00:00:00.123456789Z`. `''` if the line has none. */
  readonly time: string
  /** The length of the time and of the blank after it, in characters. */
  readonly timeLength: number
}

/** The greatest `timeLength`: that of `2026-01-01T00:00:00.123456789+00:00 `. */
export const longestTime = 36

/** Finds the time at the beginning of a line. */
export function timedLine(line: string): TimedLine {
  const end = line.indexOf(' ')
  const time = end === -1 ? line : line.slice(0, end)
  return isTime(time) ? { time, timeLength: Math.min(time.length + 1, line.length) } : { time: '', timeLength: 0 }
}

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

function isTime(text: string): boolean {
  return form.test(text)
}

/**
 * The place in a log up to which lines were delivered. After a reconnect the server sends some lines again, because it compares times by whole seconds: `isNew`
 * is false for the lines up to the place, and true for all after it. If the clock of the node was set back, lines may be delivered twice, and the server
 * leaves out lines that are older than the last delivered line. A line without a time is always new.
 */
export class LogPlace {
  #time = ''
  /** How many lines that have the last time were delivered. */
  #count = 0
  /** How many lines that have the last time were received since the reconnect. */
  #again = 0
  #isSeeking = false

  /** The `sinceTime` of the next request. `undefined` before the first line. */
  get since(): string | undefined {
    return this.#time === '' ? undefined : this.#time
  }

  /** Call it before the first line of a new request. */
  seek(): void {
    this.#isSeeking = this.#time !== ''
    this.#again = 0
  }

  /** Whether a line was not delivered yet. If so, it counts as delivered from now on. */
  isNew({ time }: TimedLine): boolean {
    if (time === '') return true
    if (this.#isSeeking) {
      if (time !== this.#time && nanosOf(time) < nanosOf(this.#time)) return false
      if (time === this.#time && this.#again < this.#count) {
        this.#again += 1
        return false
      }
      this.#isSeeking = false
    }
    // A node always writes the same time in the same form.
    this.#count = time === this.#time ? this.#count + 1 : 1
    this.#time = time
    return true
  }
}

/** A time as nanoseconds since 1970. */
function nanosOf(time: string): bigint {
  const [, fraction = '', zone = 'Z'] = form.exec(time) ?? []
  const seconds = Date.parse(`${time.slice(0, 19)}${zone}`) / 1000
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}
