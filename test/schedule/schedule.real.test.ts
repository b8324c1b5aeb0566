import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { choose, integer, type Random, seededRandom } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { Schedule } from '../../packages/controller/src/sources/schedule.ts'
import { zoneNamed } from '../../packages/controller/src/sources/schedule-zone.ts'
import { buildGoProgram } from '../go-program.ts'
import { randomCron } from './random-cron.ts'

const seeds = Number(process.env.WHERRY_SEEDS ?? 200)
const firstSeed = Number(process.env.WHERRY_FIRST_SEED ?? 1)

/** Their clocks change by half an hour, by an hour, by two; at night, at midnight, four times a year, or never. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'America/Asuncion', 'Australia/Lord_Howe'],
  ...['Asia/Kathmandu', 'Asia/Tehran', 'Africa/Casablanca', 'Antarctica/Troll'],
]
const simpleZones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']
/** All databases of time zones agree about the past, and only about it. */
const firstYear = 2005
const years = 20
const end = Date.UTC(firstYear + years)
const hourMs = 3_600_000

interface Question {
  readonly cron: string
  readonly zone: string
  readonly after: readonly number[]
  readonly count: number
}

interface Answer {
  readonly times?: readonly (readonly number[])[]
  readonly error?: string
}

let program: string

beforeAll(async () => {
  program = await buildGoProgram(join(import.meta.dirname, 'go'), 'schedule')
}, 600_000)

/** What a CronJob makes of these expressions. */
async function answersByGo(questions: readonly Question[]): Promise<readonly Answer[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(questions.map(question => `${JSON.stringify(question)}\n`).join(''))
  return (await textOf(child.stdout))
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Answer)
}

const changes = new Map<string, readonly number[]>()

/** The days on which the clocks of a zone change. */
function changesOf(zone: string): readonly number[] {
  const known = changes.get(zone)
  if (known !== undefined) return known
  const found: number[] = []
  const named = zoneNamed(zone)
  for (let at = Date.UTC(firstYear); at < end; at += 24 * hourMs)
    if (named.offsetAt(at) !== named.offsetAt(at + 24 * hourMs)) found.push(at)
  changes.set(zone, found)
  return found
}

/** One expression in one zone: from a time of each year, and from before, in and after each change of its clocks. */
function randomQuestion(random: Random): Question {
  const [cron, zone] = [randomCron(random), choose(random, zones)]
  const ordinary = Array.from(
    { length: years },
    (_, at) => Date.UTC(firstYear + at) + integer(random, 0, 364 * 24 * hourMs),
  )
  const around = changesOf(zone).map(day => day + integer(random, -12 * hourMs, 36 * hourMs))
  return { cron, zone, after: [...ordinary, ...around].sort((a, b) => a - b), count: 5 }
}

function answerOf({ cron, zone, after, count }: Question): Answer {
  try {
    const schedule = new Schedule(cron, { timeZone: zone })
    const times = after.map(one => {
      const found: number[] = []
      for (let at: Date | undefined = new Date(one); at !== undefined && found.length < count; ) {
        at = schedule.next(at)
        if (at !== undefined) found.push(at.getTime())
      }
      return found
    })
    return { times }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

/** A CronJob takes an expression that never comes. A Schedule refuses it. */
function isNever({ times }: Answer): boolean {
  return times?.every(found => found.length === 0) === true
}

function readable(times: readonly number[] = []): string {
  return times.map(time => (time < end ? new Date(time).toISOString() : 'later')).join(' ')
}

describe(`${seeds} random schedules`, () => {
  it('have the times that a CronJob finds, and are refused if it refuses them', async () => {
    const questions = Array.from({ length: seeds }, (_, at) => randomQuestion(seededRandom(firstSeed + at)))
    const found = await answersByGo(questions)
    expect(found).toHaveLength(seeds)
    let refused = 0
    const different = questions.flatMap((question, at) => {
      const theirs = found[at] as Answer
      const ours = answerOf(question)
      const where = { seed: firstSeed + at, cron: question.cron, zone: question.zone }
      if (theirs.error !== undefined || ours.error !== undefined) {
        refused++
        const isSame = ours.error !== undefined && (theirs.error !== undefined || isNever(theirs))
        return isSame ? [] : [{ ...where, theirs: theirs.error, ours: ours.error }]
      }
      const both = question.after.map((after, one) => ({
        ...where,
        after: new Date(after).toISOString(),
        theirs: readable(theirs.times?.[one]),
        ours: readable(ours.times?.[one]),
      }))
      return both.filter(({ theirs, ours }) => theirs !== ours).slice(0, 1)
    })
    expect(different.slice(0, 5)).toEqual([])
    expect(refused / seeds).toBeLessThan(0.25)
  }, 600_000)

  it('have a latest time that agrees with the next one', () => {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const random = seededRandom(seed)
      const { cron, zone, after } = randomQuestion(random)
      let schedule: Schedule
      try {
        schedule = new Schedule(cron, { timeZone: zone })
      } catch {
        continue
      }
      for (const at of after.slice(0, 20)) {
        const [now, since] = [new Date(at), new Date(at - integer(random, 0, 10 ** integer(random, 3, 11)))]
        const latest = schedule.latest(now, since)
        const where = { seed, cron, zone, now, since }
        const next = schedule.next(latest ?? since)
        expect({ ...where, isAfter: next === undefined || next > now }).toEqual({ ...where, isAfter: true })
        if (latest === undefined) continue
        expect({ ...where, isIn: latest > since && latest <= now }).toEqual({ ...where, isIn: true })
        // If midnight is skipped, or half an hour, a CronJob's next time depends on where it begins.
        const second = new Date(latest.getTime() - 1000)
        if (simpleZones.includes(zone) && !cron.startsWith('@every'))
          expect({ ...where, next: schedule.next(second) }).toEqual({ ...where, next: latest })
      }
    }
  }, 600_000)
})
