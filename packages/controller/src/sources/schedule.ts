import { type ObjectKey, OptionRangeError, OptionTypeError, type Timer } from '@wherry/client'
import { type Check, checkOptions, text } from '@wherry/client/internal'
import type { Keys } from './key.ts'
import { fieldsOf } from './schedule-expression.ts'
import { intervalOf } from './schedule-interval.ts'
import { nextTime } from './schedule-next.ts'
import { zoneNamed } from './schedule-zone.ts'
import type { Source, SourceConnection, SourceTarget } from './source.ts'
import type { Tick } from './timer.ts'

/** A time of a schedule has come. */
export interface ScheduledTick extends Tick {
  /** The scheduled time. If several have passed at once, for example while the machine slept, the latest. */
  readonly time: Date
}

/** Options of a {@link Schedule}. */
export interface ScheduleOptions {
  /** An IANA time zone, such as `Europe/Berlin`. Upper and lower case count. @default 'UTC' */
  readonly timeZone?: string | undefined
  /** For errors and `explain`. @default 'schedule' */
  readonly name?: string | undefined
}

/**
 * The times of a cron expression. As a source it makes keys run at each time: all keys of the controller, at low priority, or the keys that
 * `map` returns.
 *
 * ```ts
 * import { Schedule } from '@wherry/controller/schedule'
 *
 * operator.controller('report').for(reports).from(new Schedule('0 6 * * 1-5', { timeZone: 'Europe/Berlin' })).reconcile(…)
 * ```
 *
 * If each object has a schedule of its own, ask it in the reconcile. {@link Schedule.latest} says whether a time has come since the last one that
 * the status records, so that neither a restart nor a change of clocks loses or doubles one:
 *
 * ```ts
 * const schedule = new Schedule(object.spec.schedule)
 * const since = object.status?.lastScheduleTime ?? object.metadata?.creationTimestamp
 * const due = schedule.latest(now(), since)
 * if (due !== undefined) await apply(jobs, jobOf(object, due))
 * return { requeueAfterMs: schedule.msToNext(now(), due ?? since) }
 * ```
 *
 * Expressions are read, and times found, as a [CronJob](https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/) does it (robfig/cron
 * v3). So a local time that the change to summer time skips does not come on that day, and a local time that is repeated in autumn comes twice. If
 * the fields for the day of the month and the day of the week are both limited, a day that either of them has counts. A star with a step, such as
 * every second day, limits its field.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 * import { Schedule } from '@wherry/controller/schedule'
 *
 * const nightly = new Schedule('30 2 * * *', { timeZone: 'Europe/Berlin' })
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('backup').for(configMaps).from(nightly).reconcile(({ now, log }) => {
 *     log.info({ next: nightly.next(now()) }, 'the next backup')
 *   })
 * }
 * ```
 */
export class Schedule implements Source<ScheduledTick> {
  readonly name: string
  readonly isBackground = true
  readonly #next: (after: number) => number | undefined
  /** The interval of `@every`; `undefined` for other expressions. */
  readonly #intervalMs: number | undefined

  /**
   * @param cron five fields: minute, hour, day of the month, month, day of the week (0 to 6; 0 is Sunday); or six, with seconds before them. Also
   * `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, and `@every 1h30m`, which counts from `since` or from when the source is connected. At
   * most 1,024 characters.
   * @throws OptionTypeError if the expression or the time zone is not valid, or no such time will ever come
   * @throws OptionRangeError if the expression or the time zone is too long
   */
  constructor(cron: string, options: ScheduleOptions = {}) {
    expression('schedule.cron', cron)
    checkOptions('schedule', options, { timeZone, name: text })
    this.name = options.name ?? 'schedule'
    try {
      const zone = zoneNamed(options.timeZone ?? 'UTC')
      const intervalMs = intervalOf(cron)
      this.#intervalMs = intervalMs
      if (intervalMs !== undefined) {
        this.#next = after => toSecond(after) + intervalMs
        return
      }
      const fields = fieldsOf(cron)
      this.#next = after => nextTime(fields, zone, after)
      if (this.#next(0) === undefined) throw new Error('no such time comes')
    } catch (error) {
      throw new OptionTypeError('schedule', `a cron expression and a time zone (${(error as Error).message})`, cron)
    }
  }

  /** The first scheduled time after `after`, or `undefined` if none comes within five years. */
  next(after: Date): Date | undefined {
    const next = this.#next(timeOf('schedule.after', after))
    return next === undefined || Number.isNaN(new Date(next).getTime()) ? undefined : new Date(next)
  }

  /**
   * How long it is until the first scheduled time after `now`, in milliseconds: for `requeueAfterMs`. `Infinity`, which `requeueAfterMs` refuses, if none comes
   * within five years.
   * @param since the time from which `@every` counts; other expressions don't need it. @default now
   */
  msToNext(now: Date, since: Date | string = now): number {
    const from = this.#intervalMs === undefined ? now : (this.latest(now, since) ?? new Date(since))
    const next = this.next(from)
    return next === undefined ? Number.POSITIVE_INFINITY : next.getTime() - now.getTime()
  }

  /**
   * The latest scheduled time that has come by `now`; `undefined` if none has. The next time after it is after `now`.
   * @param since only a time after this one: a `Date`, or a time as Kubernetes writes it. `@every` needs it. @default any within eight years
   */
  latest(now: Date, since?: Date | string): Date | undefined {
    const to = timeOf('schedule.now', now)
    const from = since === undefined ? this.#before(to) : timeOf('schedule.since', since)
    if (from === undefined) return undefined
    const found = this.#latest(from, to)
    return found === undefined ? undefined : new Date(found)
  }

  /** A time from which up to `to` a scheduled time has come; `undefined` if none has in eight years. */
  #before(to: number): number | undefined {
    if (this.#intervalMs !== undefined)
      throw new OptionTypeError('schedule.since', 'the time that @every counts from', 'undefined')
    for (let ms = 60_000; ms < 2 * longestGapMs; ms *= 2) {
      const from = to - Math.min(ms, longestGapMs)
      if (this.#hasComeBy(from, to)) return from
    }
    return undefined
  }

  #latest(from: number, to: number): number | undefined {
    if (!this.#hasComeBy(from, to)) return undefined
    if (this.#intervalMs !== undefined) return to - ((to - toSecond(from)) % this.#intervalMs)
    // A bisection, because millions of times may have come.
    let [low, high] = [toSecond(from), toSecond(to)]
    while (high - low > 1000) {
      const middle = toSecond((low + high) / 2)
      if (this.#hasComeBy(middle, to)) low = middle
      else high = middle
    }
    let found = this.#next(low)
    while (found !== undefined && this.#hasComeBy(found, to)) found = this.#next(found)
    return found
  }

  #hasComeBy(from: number, to: number): boolean {
    const next = this.#next(from)
    return next !== undefined && next <= to
  }

  defaultKeys(_tick: unknown, all: () => Iterable<ObjectKey>): Keys {
    return all()
  }

  connect({ environment: { clock }, tell }: SourceTarget<ScheduledTick>): SourceConnection {
    let timer: Timer
    let count = 0
    let last = new Date(clock.now())
    const wait = (): void => {
      const next = this.next(last)?.getTime() ?? Number.POSITIVE_INFINITY
      const ms = Math.min(Math.max(next - clock.now(), 0), longestWaitMs)
      timer = clock.timer(ms, () => {
        const now = new Date(clock.now())
        // If the clock was set back a little, reported times are not reported again. If it was set back by much, the old time was wrong.
        if (last.getTime() - now.getTime() > longestCorrectionMs) last = now
        const time = this.latest(now, last)
        wait()
        if (time === undefined) return
        last = time
        tell({ count: count++, time })
      })
    }
    wait()
    return { synced: async () => {}, close: async () => timer.cancel() }
  }
}

/** The interval of the checks of the clock, in milliseconds: it may have been set, or have stood still while the machine slept. */
const longestWaitMs = 60_000

/** A clock that is set back by more than this was wrong before, in milliseconds. */
const longestCorrectionMs = 3_600_000

/** The longest gap between two scheduled times, in milliseconds: from the 29th of February 1896 to that of 1904. */
const longestGapMs = 8 * 366 * 86_400_000

const expression = textUpTo(1024)
const timeZone = textUpTo(255)

function textUpTo(length: number): Check {
  return (option, value) => {
    if (typeof value !== 'string') throw new OptionTypeError(option, 'a string', typeof value)
    if (value === '' || value.length > length)
      throw new OptionRangeError(option, `text of 1 to ${length} characters`, `${value.length} characters`)
  }
}

/** @throws OptionTypeError if `time` is no time */
function timeOf(option: string, time: Date | string): number {
  const found = time instanceof Date || typeof time === 'string' ? new Date(time).getTime() : Number.NaN
  if (Number.isNaN(found)) throw new OptionTypeError(option, 'a Date or a time as RFC 3339 has it', String(time))
  return found
}

function toSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
