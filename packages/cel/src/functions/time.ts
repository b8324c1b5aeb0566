import type { Declaration } from '../declarations.ts'
import { CelError, Duration, type Timestamp, type Value } from '../values.ts'
import { int64 } from './numbers.ts'
import { split, timestampOf } from './time-text.ts'

function durationOf(nanos: bigint): Duration {
  if (nanos < -(2n ** 63n) || nanos >= 2n ** 63n) throw new CelError('duration overflow')
  return new Duration(nanos)
}

/** A time as a clock in `zone` shows it: a Date with that clock's time as its UTC parts. */
function clock({ nanos }: Timestamp, zone: string): Date {
  const { millis } = split(nanos)
  return new Date(millis + offsetOf(zone, millis))
}

function offsetOf(zone: string, millis: number): number {
  if (zone === '' || zone === 'UTC') return 0
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone)
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    if (Number(fixed[3]) > 59) throw new CelError(`timezone offset minutes out of range [0, 59]: ${zone}`)
    return minutes * 60_000 * (fixed[1] === '-' ? -1 : 1)
  }
  let parts: Intl.DateTimeFormatPart[]
  try {
    const options = {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const
    parts = new Intl.DateTimeFormat('en-US', options).formatToParts(millis)
  } catch {
    throw new CelError(`unknown time zone ${zone}`)
  }
  const part = (type: string): number => Number(parts.find(one => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(millis / 1000) * 1000
}

const getters: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: date => date.getUTCFullYear(),
  getMonth: date => date.getUTCMonth(),
  getDayOfYear: date => Math.floor((date.getTime() - new Date(date.getTime()).setUTCMonth(0, 1)) / 86_400_000),
  getDayOfMonth: date => date.getUTCDate() - 1,
  getDate: date => date.getUTCDate(),
  getDayOfWeek: date => date.getUTCDay(),
  getHours: date => date.getUTCHours(),
  getMinutes: date => date.getUTCMinutes(),
  getSeconds: date => date.getUTCSeconds(),
}

const durationParts: readonly (readonly [string, bigint])[] = [
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n],
]

function millisOf({ nanos }: Timestamp): Value {
  return split(nanos).rest / 1_000_000n
}

/** The functions of times and durations. */
export const time: readonly Declaration[] = [
  ['_+_(duration, duration): duration', (a: Duration, b: Duration) => durationOf(a.nanos + b.nanos)],
  ['_+_(duration, timestamp): timestamp', (a: Duration, b: Timestamp) => timestampOf(a.nanos + b.nanos)],
  ['_+_(timestamp, duration): timestamp', (a: Timestamp, b: Duration) => timestampOf(a.nanos + b.nanos)],
  ['_-_(duration, duration): duration', (a: Duration, b: Duration) => durationOf(a.nanos - b.nanos)],
  ['_-_(timestamp, duration): timestamp', (a: Timestamp, b: Duration) => timestampOf(a.nanos - b.nanos)],
  ['_-_(timestamp, timestamp): duration', (a: Timestamp, b: Timestamp) => durationOf(a.nanos - b.nanos)],
  ...Object.entries(getters).flatMap(([name, get]): Declaration[] => [
    [`timestamp->${name}(): int`, (at: Timestamp) => BigInt(get(clock(at, '')))],
    [`timestamp->${name}(string): int`, (at: Timestamp, zone: string) => BigInt(get(clock(at, zone)))],
  ]),
  ['timestamp->getMilliseconds(): int', millisOf],
  ['timestamp->getMilliseconds(string): int', millisOf],
  ...durationParts.map(
    ([name, size]): Declaration => [`duration->${name}(): int`, (of: Duration) => int64(of.nanos / size)],
  ),
]
