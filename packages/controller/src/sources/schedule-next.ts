import type { ScheduleFields } from './schedule-expression.ts'
import type { ScheduleZone } from './schedule-zone.ts'

const secondMs = 1000
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** If no time comes within so many years, none comes. */
const years = 5

/**
 * The first time after `after` at which the fields match the local time, in milliseconds; `undefined` if none comes within five years.
 *
 * It takes the steps that a CronJob takes (`SpecSchedule.Next` of robfig/cron v3), because on days when the clocks change the times follow from the
 * steps: months and days go by the calendar, hours, minutes and seconds by elapsed time.
 */
export function nextTime(fields: ScheduleFields, zone: ScheduleZone, after: number): number | undefined {
  return new Walk(fields, zone, after).end()
}

class Walk {
  readonly #fields: ScheduleFields
  readonly #zone: ScheduleZone
  readonly #lastYear: number
  #at = Number.NaN
  /** The local time, as the fields of a date in UTC. */
  readonly #local = new Date(Number.NaN)
  /** Whether the smaller fields were set back, because a larger field has moved. */
  #isReset = false

  constructor(fields: ScheduleFields, zone: ScheduleZone, after: number) {
    this.#fields = fields
    this.#zone = zone
    this.#moveTo(Math.floor(after / secondMs) * secondMs + secondMs)
    this.#lastYear = this.#local.getUTCFullYear() + years
  }

  end(): number | undefined {
    while (!Number.isNaN(this.#at) && this.#local.getUTCFullYear() <= this.#lastYear) {
      if (this.#month() && this.#day() && this.#hour() && this.#minute() && this.#second()) return this.#at
    }
    return undefined
  }

  /** Moves one field until it matches. Returns false if that has moved a larger field. */
  #month(): boolean {
    while (!this.#fields.month.has[this.#local.getUTCMonth() + 1]) {
      this.#reset(local => new Date(local.setUTCDate(1)).setUTCHours(0, 0, 0))
      this.#moveLocal(local => local.setUTCMonth(local.getUTCMonth() + 1))
      if (this.#local.getUTCMonth() === 0) return false
    }
    return true
  }

  #day(): boolean {
    while (!this.#isDay()) {
      this.#reset(local => local.setUTCHours(0, 0, 0))
      this.#moveLocal(local => local.setUTCDate(local.getUTCDate() + 1))
      // This day has no midnight.
      const hour = this.#local.getUTCHours()
      if (hour !== 0) this.#moveTo(this.#at + (hour > 12 ? 24 - hour : -hour) * hourMs)
      if (this.#local.getUTCDate() === 1) return false
    }
    return true
  }

  #isDay(): boolean {
    const { day, weekday } = this.#fields
    const local = this.#local
    const isDay = day.has[local.getUTCDate()] === true
    const isWeekday = weekday.has[local.getUTCDay()] === true
    return day.isStar || weekday.isStar ? isDay && isWeekday : isDay || isWeekday
  }

  #hour(): boolean {
    while (!this.#fields.hour.has[this.#local.getUTCHours()]) {
      this.#reset(local => local.setUTCMinutes(0, 0))
      this.#moveTo(this.#at + hourMs)
      if (this.#local.getUTCHours() === 0) return false
    }
    return true
  }

  #minute(): boolean {
    while (!this.#fields.minute.has[this.#local.getUTCMinutes()]) {
      if (!this.#isReset) this.#moveTo(Math.floor(this.#at / minuteMs) * minuteMs)
      this.#isReset = true
      this.#moveTo(this.#at + minuteMs)
      if (this.#local.getUTCMinutes() === 0) return false
    }
    return true
  }

  #second(): boolean {
    while (!this.#fields.second.has[this.#local.getUTCSeconds()]) {
      this.#isReset = true
      this.#moveTo(this.#at + secondMs)
      if (this.#local.getUTCSeconds() === 0) return false
    }
    return true
  }

  #moveTo(at: number): void {
    this.#at = at
    this.#local.setTime(at + this.#zone.offsetAt(at))
  }

  #reset(toStart: (local: Date) => number): void {
    if (this.#isReset) return
    this.#isReset = true
    this.#setLocal(toStart)
  }

  #moveLocal(move: (local: Date) => number): void {
    const before = this.#at
    this.#setLocal(move)
    // A zone that crossed the date line has skipped a whole day. Without this, the step would lead to the same moment again and never end.
    if (this.#at <= before) this.#moveTo(before + dayMs)
  }

  /** Sets a local time. A local time that the clocks skip becomes the same moment as in Go: by the offset at one end of the change. */
  #setLocal(change: (local: Date) => number): void {
    const wall = change(this.#local)
    const guess = this.#zone.offsetAt(wall)
    this.#moveTo(wall - this.#zone.offsetAt(wall - guess))
  }
}
