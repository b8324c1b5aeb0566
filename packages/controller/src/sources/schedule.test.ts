import type { Environment } from '@wherry/client'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { Schedule, type ScheduledTick } from './schedule.ts'
import type { SourceTarget } from './source.ts'

const berlin = { timeZone: 'Europe/Berlin' }
const iso = (times: readonly (Date | undefined)[]): (string | undefined)[] =>
  times.map(time => time?.toISOString().replace(':00.000Z', 'Z'))

/** The next times of a schedule. */
function nextOf(schedule: Schedule, from: string, times: number): (string | undefined)[] {
  const found: (Date | undefined)[] = []
  for (let at: Date | undefined = new Date(from); at !== undefined && found.length < times; ) {
    at = schedule.next(at)
    found.push(at)
  }
  return iso(found)
}

describe('C21: the times of a schedule', () => {
  it.each([
    ['*/15 9-10 * * 1-5', {}, '2026-11-27T10:40Z', ['2026-11-27T10:45Z', '2026-11-30T09:00Z', '2026-11-30T09:15Z']],
    ['0 6 * * *', berlin, '2026-11-27T04:00Z', ['2026-11-27T05:00Z', '2026-11-28T05:00Z', '2026-11-29T05:00Z']],
    // Half past two does not exist on the 29th of March.
    ['30 2 * * *', berlin, '2026-03-28T00:00Z', ['2026-03-28T01:30Z', '2026-03-30T00:30Z', '2026-03-31T00:30Z']],
    // And exists twice on the 25th of October.
    ['30 2 * * *', berlin, '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-26T01:30Z']],
    ['0 1-4 * * *', berlin, '2026-10-24T23:30Z', ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z']],
    ['0 2,14 * * *', berlin, '2026-03-28T02:00Z', ['2026-03-28T13:00Z', '2026-03-29T12:00Z', '2026-03-30T00:00Z']],
    ['5/15 * * * *', {}, '2026-11-27T10:40Z', ['2026-11-27T10:50Z', '2026-11-27T11:05Z', '2026-11-27T11:20Z']],
    // A star with a step limits its field, so a day that either field has counts.
    ['0 0 */2 * 3', {}, '2026-11-27T10:40Z', ['2026-11-29T00:00Z', '2026-12-01T00:00Z', '2026-12-02T00:00Z']],
    ['0 0 */1 * 3', {}, '2026-11-27T10:40Z', ['2026-12-02T00:00Z', '2026-12-09T00:00Z', '2026-12-16T00:00Z']],
    [
      '30 0 6 29 2 *',
      {},
      '2026-11-27T10:40Z',
      ['2028-02-29T06:00:30.000Z', '2032-02-29T06:00:30.000Z', '2036-02-29T06:00:30.000Z'],
    ],
    ['0 * * * *', berlin, '2026-10-24T23:30Z', ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z']],
    ['@daily', {}, '2026-11-27T10:40Z', ['2026-11-28T00:00Z', '2026-11-29T00:00Z', '2026-11-30T00:00Z']],
  ])('%s with %o', (cron, options, from, expected) => {
    const schedule = new Schedule(cron, options)
    expect(nextOf(schedule, from, 3)).toEqual(expected)
    const [first = '', second = ''] = expected
    const between = new Date(new Date(second).getTime() - 1)
    expect(
      iso([schedule.latest(between), schedule.latest(new Date(first)), schedule.latest(new Date(second))]),
    ).toEqual([first, first, second])
    expect(schedule.msToNext(new Date(first))).toBe(new Date(second).getTime() - new Date(first).getTime())
  })

  it('gives the latest time since the one that was recorded', () => {
    const schedule = new Schedule('0 * * * *')
    const now = new Date('2026-11-27T10:20:30.400Z')
    expect(schedule.latest(now, '2026-11-27T10:00:00Z')).toBeUndefined()
    expect(iso([schedule.latest(now, '2026-11-27T09:59:59Z'), schedule.latest(now, new Date(0))])).toEqual([
      '2026-11-27T10:00Z',
      '2026-11-27T10:00Z',
    ])
    expect(() => schedule.latest(now, 'yesterday')).toThrow('schedule.since')
  })

  it.each([
    ['61 * * * *', {}, '"61" of the field for the minute leaves 0 to 59'],
    ['0 0 * * 7', {}, '"7" of the field for the day of the week leaves 0 to 6; Sunday is 0'],
    ['0 0 L * *', {}, '"L" of the field for the day of the month is no number'],
    ['0 5-1 * * *', {}, '"5-1" of the field for the hour ends before it begins'],
    ['*/0 * * * *', {}, 'has a step that is not 1 or more'],
    [', * * * *', {}, 'the field for the minute names none'],
    ['* * *', {}, 'five or six fields are needed, not 3'],
    ['2026-11-27T10:00:00Z', {}, 'five or six fields'],
    ['@often', {}, 'the descriptors are @yearly, '],
    ['@every 5', {}, '@every takes a duration such as 1h30m, got "5"'],
    ['TZ=Europe/Berlin 0 0 * * *', {}, 'the time zone is the option timeZone'],
    ['0 0 30 2 *', {}, 'no such time comes'],
    ['0 0 * * *', { timeZone: 'Europe/Atlantis' }, 'Europe/Atlantis'],
    ['0 0 * * *', { timeZone: 'europe/berlin' }, 'the zone is Europe/Berlin'],
    ['0 0 * * *', { timeZone: '+01:00' }, '+01:00 is an offset, and no zone'],
    ['0 0 * * * * 2026', {}, 'not 7'],
  ])('refuses %s with %o', (cron, options, reason) => {
    expect(() => new Schedule(cron, options)).toThrow('a cron expression and a time zone')
    expect(() => new Schedule(cron, options)).toThrow(reason)
  })

  it('refuses an expression of more than 1024 characters before it reads it', () => {
    const long = `0${',0'.repeat(700_000)} * * * *`
    expect(() => new Schedule(long)).toThrow('schedule.cron takes text of 1 to 1024 characters')
    expect(() => new Schedule('* * * * *', { timeZone: long })).toThrow('schedule.timeZone takes text of 1 to 255')
    expect(new Schedule(`0${',0'.repeat(500)} * * * *`).next(new Date(0))).toEqual(new Date(3_600_000))
  })

  it.each([
    ['next', (schedule: Schedule, time: Date) => schedule.next(time)],
    ['msToNext', (schedule: Schedule, time: Date) => schedule.msToNext(time)],
    ['latest', (schedule: Schedule, time: Date) => schedule.latest(time)],
    ['latest', (schedule: Schedule, time: Date) => schedule.latest(time, '2026-11-27T10:00:00Z')],
    ['since', (schedule: Schedule, time: Date) => schedule.latest(new Date(0), time)],
  ])('refuses in %s a value that is no time', (_, ask) => {
    for (const cron of ['0 * * * *', '@every 1h'])
      for (const time of [new Date(Number.NaN), null, 'yesterday', 5] as unknown as Date[])
        expect(() => ask(new Schedule(cron), time)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  it('counts @every from the time that was recorded', () => {
    const schedule = new Schedule('@every 1h30m')
    const since = '2026-11-27T10:00:00Z'
    const now = new Date('2026-11-27T14:20:30.400Z')
    expect(iso([schedule.latest(now, since)])).toEqual(['2026-11-27T13:00Z'])
    expect(schedule.msToNext(now, since)).toBe(569_600)
    expect(schedule.latest(new Date('2026-11-27T11:29:59Z'), since)).toBeUndefined()
    expect(schedule.msToNext(new Date('2026-11-27T11:29:59Z'), since)).toBe(1000)
    expect(schedule.msToNext(now)).toBe(5_399_600)
    expect(() => schedule.latest(now)).toThrow('schedule.since takes the time that @every counts from')
  })
})

describe('C21: a schedule as a source', () => {
  it('runs all keys at each of its times, and none in between', () =>
    inArcade(async ({ forGames, start, simulation }) => {
      const runs: string[] = []
      forGames()
        .from(new Schedule('*/30 * * * *', { name: 'half-hourly' }))
        .reconcile(({ key, now }) => {
          runs.push(`${key.name} ${now().toISOString().slice(14, 16)}`)
        })
      await start('chess', 'go')
      runs.length = 0
      await simulation.advance(3_600_000)
      expect(runs.sort()).toEqual(['chess 00', 'chess 30', 'go 00', 'go 30'])
    }))

  it('runs all keys at each interval of @every, from the start on', () =>
    inArcade(async ({ forGames, start, simulation }) => {
      const runs: number[] = []
      forGames()
        .from(new Schedule('@every 90s'))
        .reconcile(({ now }) => void runs.push(now().getTime()))
      await start('chess')
      runs.length = 0
      await simulation.advance(400_000)
      expect(runs).toHaveLength(4)
      expect(runs.slice(1).map((time, at) => time - (runs[at] as number))).toEqual([90_000, 90_000, 90_000])
    }))

  it('neither loses nor doubles a time when the clock is set, and reports several that have passed at once as one', async () => {
    const simulation = simulate(7)
    await simulation.run(async () => {
      let offset = 0
      const clock = { ...simulation.clock, now: () => simulation.clock.now() + offset }
      const began = Math.ceil(clock.now() / 3_600_000) * 3_600_000
      await simulation.advance(began - clock.now())
      const reported: number[] = []
      const report = ({ time }: ScheduledTick): void => void reported.push((time.getTime() - began) / 60_000)
      const connection = new Schedule('*/10 * * * *').connect({
        environment: { clock } as Environment,
        tell: report,
      } as SourceTarget<ScheduledTick>)
      const minutes = (count: number): Promise<void> => simulation.advance(count * 60_000)
      await minutes(11)
      expect(reported).toEqual([10])
      // Back by two minutes: it is nine minutes past once more.
      offset -= 2 * 60_000
      await minutes(12)
      expect(reported).toEqual([10, 20])
      // The machine sleeps for 35 minutes.
      offset += 35 * 60_000
      await minutes(2)
      expect(reported).toEqual([10, 20, 50])
      // It was wrong by a day.
      offset -= 24 * 3_600_000
      await minutes(10)
      expect(reported).toEqual([10, 20, 50, 60 - 24 * 60])
      await connection.close()
      await minutes(60)
      expect(reported).toHaveLength(4)
    })
  })
})
