import { type ObjectKey, OptionTypeError } from '@wherry/client'
import { checkOptions, type Timer, text } from '@wherry/client/internal'
import { Cron } from 'croner'
import type { Keys } from './key.ts'
import type { Source, SourceConnection, SourceTarget } from './source.ts'
import type { Tick } from './timer.ts'

/** A time of a schedule has come. */
export interface ScheduledTick extends Tick {
  /** The scheduled time. If several have passed at once, for example while the machine slept, the latest. */
  readonly time: Date
}

/** Options of a {@link Schedule}. */
export interface ScheduleOptions {
  /** An IANA time zone, such as `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string | undefined
  /** For errors and `explain`. @default 'schedule' */
  readonly name?: string | undefined
}

/**
 * The times of a cron expression. As a source it makes keys run at each of them: all keys of the controller, at low priority, or those that it maps
 * the tick to.
 *
 * ```ts
 * import { Schedule } from '@wherry/controller/schedule'
 *
 * operator.controller('report').for(reports).from(new Schedule('0 6 * * 1-5', { timeZone: 'Europe/Berlin' })).reconcile(…)
 * ```
 *
 * If each object has a schedule of its own, ask it in the reconcile. {@link Schedule.latest} tells whether a time has come since the last one that
 * the status records, so that neither a restart nor a change of clocks loses or doubles one:
 *
 * ```ts
 * const schedule = new Schedule(object.spec.schedule)
 * const due = schedule.latest(now(), object.status?.lastScheduleTime ?? object.metadata?.creationTimestamp)
 * if (due !== undefined) await apply(jobs, jobOf(object, due))
 * return { requeueAfterMs: schedule.msToNext(now()) }
 * ```
 *
 * A time that the change to summer time skips counts as the first moment after it. A time of the hour that is repeated in autumn counts once; an
 * expression for every hour, or for minutes of every hour, counts in both.
 */
export class Schedule implements Source<ScheduledTick> {
  readonly name: string
  readonly isBackground = true
  readonly #cron: Cron

  /**
   * @param cron five fields: minute, hour, day of the month, month, day of the week; or six, with seconds before them. Also `@hourly`, `@daily`,
   * `@weekly`, `@monthly` and `@yearly`
   * @throws OptionTypeError if the expression or the time zone is not valid, or no such time will ever come
   */
  constructor(cron: string, options: ScheduleOptions = {}) {
    text('schedule.cron', cron)
    checkOptions('schedule', options, { timeZone: text, name: text })
    const { timeZone = 'UTC', name = 'schedule' } = options
    this.name = name
    this.#cron = cronOf(cron, timeZone)
  }

  /** The first scheduled time after `after`, or `undefined` if none comes. */
  next(after: Date): Date | undefined {
    return this.#cron.nextRun(after) ?? undefined
  }

  /** How long it is until the first scheduled time after `now`, in milliseconds: for `requeueAfterMs`. `Infinity` if none comes. */
  msToNext(now: Date): number {
    const next = this.next(now)
    return next === undefined ? Number.POSITIVE_INFINITY : next.getTime() - now.getTime()
  }

  /**
   * The latest scheduled time that has come by `now`; `undefined` if none has.
   * @param since only a time after this one: a `Date`, or a time as Kubernetes writes it. @default any
   */
  latest(now: Date, since?: Date | string): Date | undefined {
    // A previous run is strictly before, to the second.
    const [latest] = this.#cron.previousRuns(1, new Date(now.getTime() + 1000 - now.getMilliseconds()))
    if (latest === undefined || since === undefined) return latest
    const after = new Date(since).getTime()
    if (Number.isNaN(after))
      throw new OptionTypeError('schedule.since', 'a Date or a time as RFC 3339 has it', String(since))
    return latest.getTime() > after ? latest : undefined
  }

  defaultKeys(_tick: unknown, all: () => Iterable<ObjectKey>): Keys {
    return all()
  }

  connect({ environment: { clock }, tell }: SourceTarget<ScheduledTick>): SourceConnection {
    let timer: Timer
    let count = 0
    let last = new Date(clock.now())
    const wait = (): void => {
      const ms = Math.min(this.msToNext(new Date(clock.now())), longestWaitMs)
      timer = clock.timer(ms, () => {
        const now = new Date(clock.now())
        // The clock was set back. By a little: times that were told are not told again. By more: it was wrong before.
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

/** After so long the clock is looked at again, in milliseconds: it may have been set, or have stood still while the machine slept. */
const longestWaitMs = 60_000

/** A clock that is set back by more than this was wrong before, in milliseconds. */
const longestCorrectionMs = 3_600_000

function cronOf(cron: string, timezone: string): Cron {
  try {
    const parsed = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' })
    if (parsed.getOnce() !== null) throw new Error('a date is none')
    // Says too whether there is such a time zone.
    if (parsed.nextRun(new Date(0)) === null) throw new Error('no such time comes')
    return parsed
  } catch (error) {
    throw new OptionTypeError('schedule', `a cron expression and a time zone (${(error as Error).message})`, cron)
  }
}
