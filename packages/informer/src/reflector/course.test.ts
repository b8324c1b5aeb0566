import { ApiError, InvalidObjectError } from '@wherry/client'
import { type Simulation, simulate } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { target } from '../testkit/bench.ts'
import { RecordingIntake } from '../testkit/recording-intake.ts'
import { Course } from './course.ts'
import { type ReflectorListeners, type ReflectorOptions, settingsOf } from './options.ts'

let simulation: Simulation
let course: Course
let intake: RecordingIntake

function begin(on: ReflectorListeners = {}, options: Partial<ReflectorOptions> = {}): void {
  simulation = simulate(1)
  const { environment } = simulation
  const client = { environment, context: { requester: { request() {} } } } as unknown as ReflectorOptions['client']
  course = new Course(settingsOf({ client, target, name: 'mine', ...options, on }))
  intake = new RecordingIntake()
  course.members.add(intake)
}

beforeEach(() => begin())

const object = (resourceVersion: unknown) => ({ metadata: { name: 'a', resourceVersion } })
const metric = (name: string): number | undefined => simulation.environment.metric(name, { name: 'mine' })
const errors = (): unknown[][] => simulation.environment.errors.map(({ error, context }) => [error.message, context])
const answer = (status: number): ApiError =>
  new ApiError({ status, message: `${status}` }, { method: 'GET', path: '/' })
const context = (phase: string) => ({ resource: target.resource, phase })

/** Reads a whole state, asked for as not older than `from`. */
function read(from: string, resourceVersion: string): void {
  course.commit(course.read(from), resourceVersion, from === '')
}

describe('a reflector on its course', () => {
  it('R13: advances with each event that has a resourceVersion, counts it, and forgets earlier trouble', () => {
    Object.assign(course, { quickEnds: 2, failingSince: 5, unreadable: 2 })
    course.change('ADDED', object('3'), 10)
    expect(course).toMatchObject({ quickEnds: 0, failingSince: undefined, unreadable: 0, resourceVersion: '3' })
    for (const other of ['', 7, undefined]) {
      course.change('MODIFIED', object(other), 10)
      expect(course.resourceVersion).toBe('3')
    }
    expect(course.stats).toMatchObject({ events: 4, bytes: 40 })
    expect(intake.log).toHaveLength(4)
  })

  it('R19: advances with bookmarks, which intakes and a metric are told of and no handler', () => {
    course.bookmark('12')
    expect([course.resourceVersion, intake.progressed, intake.log]).toEqual(['12', 1, []])
    expect(metric('reflector_last_resource_version')).toBe(12)
    // Some aggregated APIs have others.
    course.bookmark('x')
    expect([course.resourceVersion, metric('reflector_last_resource_version')]).toEqual(['x', 12])
  })

  it('R5: counts that it went back where the server gave an older state than was asked for', () => {
    read('', '7')
    read('7', '5')
    expect(course.stats).toMatchObject({ relists: 1, rollbacks: 1 })
    // Nothing is known of the order of these.
    read('5', 'x')
    expect(course.stats).toMatchObject({ relists: 2, rollbacks: 1 })
  })

  it('R5: counts a relist, and that it went back only where it did and was let', async () => {
    const counts = (): unknown[] => [course.stats.relists, course.stats.rollbacks]
    read('', '7')
    expect(counts()).toEqual([0, 0])
    read('7', '8')
    expect(counts()).toEqual([1, 0])
    read('', '8')
    read('', '9')
    expect(counts()).toEqual([3, 0])
    read('', '5')
    expect(counts()).toEqual([4, 1])
    // What can't be compared is not known to be as new.
    read('', 'x')
    expect(counts()).toEqual([5, 2])
    expect([metric('reflector_relists_total'), metric('reflector_rollbacks_total')]).toEqual([5, 2])
    expect(metric('reflector_last_resource_version')).toBe(5)
    expect(course.resourceVersion).toBe('x')
  })

  it('R5, R8: what it has is used again, unless the server may count anew', () => {
    read('', '7')
    read('0', '8')
    read('', '9')
    expect(intake.reuses).toEqual([true, true, false])
  })

  it('R14: a whole state ends earlier trouble, and is news of the server', async () => {
    await simulation.advance(5000)
    Object.assign(course, { quickEnds: 2, failingSince: 5 })
    read('', '7')
    expect(course).toMatchObject({ quickEnds: 0, failingSince: undefined, heardAt: simulation.clock.monotonic() })
  })

  it('tells its owner of a whole state once intakes have it, and begins to fill those that wait', async () => {
    const told: string[] = []
    begin({ synced: resourceVersion => told.push(`${resourceVersion} ${intake.log.at(-1)}`) })
    const joining = new RecordingIntake()
    const reading = course.read('')
    course.members.fill(joining, () => [])
    course.commit(reading, '7', true)
    expect(told).toEqual(['7 commit at 7'])
    await simulation.settle()
    expect(joining.log).toEqual(['commit at 7'])
  })

  it('R23: once it is stopped, tells its owner nothing and fills nobody', async () => {
    const told: string[] = []
    begin({ synced: () => told.push('synced'), error: () => told.push('error') })
    const joining = new RecordingIntake()
    const reading = course.read('')
    course.members.fill(joining, () => [])
    course.stopped = true
    course.commit(reading, '7', true)
    course.fail(new Error('late'), 'list')
    await simulation.settle()
    expect([told, joining.log]).toEqual([[], []])
  })

  it('tells a failure to its owner and to the background, or to its owner alone', () => {
    const told: string[] = []
    begin({ error: error => told.push(error.message) })
    const last = new Error('two')
    course.fail(new Error('one'), 'list')
    course.fail(last, 'watch', false)
    expect([told, errors(), course.lastError]).toEqual([['one', 'two'], [['one', context('list')]], last])
  })

  it('R36: tells the background once that it may not read, until something else is the matter', () => {
    const told: string[] = []
    begin({ error: error => told.push(error.message) })
    for (const status of [403, 403, 401, 401, 500, 500, 403]) course.fail(answer(status), 'list')
    expect(errors().map(([message]) => (message as string).slice(-3))).toEqual(['403', '401', '500', '500', '403'])
    expect(told).toHaveLength(7)
  })

  it('needs no listener', () => {
    read('', '7')
    course.fail(new Error('one'), 'list')
    expect(errors()).toEqual([['one', context('list')]])
  })

  it('R20: tells what was left out', () => {
    course.skipped(new InvalidObjectError(target.resource, 'no name'), 'watch')
    expect(errors()).toEqual([[expect.stringContaining('no name'), context('watch')]])
  })

  it('X9: what a listener throws goes to the background', () => {
    const thrown = new Error('mine')
    course.tell(() => {
      throw thrown
    })
    course.tell(() => {
      throw 'a word'
    })
    expect(errors()).toEqual([
      ['mine', context('listener')],
      ['a listener threw', context('listener')],
    ])
    expect(simulation.environment.errors.map(({ error }) => error.cause)).toEqual([undefined, 'a word'])
  })

  it('R21: asks a watch to last as long as its bounds say, both among it', () => {
    begin({}, { timeoutSeconds: { min: 5, max: 7 } })
    const asked = Array.from({ length: 200 }, () => course.timeoutSeconds())
    expect([...new Set(asked)].sort()).toEqual([5, 6, 7])
    begin()
    const usual = Array.from({ length: 2000 }, () => course.timeoutSeconds())
    expect([Math.min(...usual) >= 290, Math.max(...usual) <= 590, new Set(usual).size > 250]).toEqual([
      true,
      true,
      true,
    ])
  })

  it('D12: an intake that could not be filled is told, and ends what is under way, which alone can mend it', () => {
    const ended: Error[] = []
    course.fillFailed(new Error('nobody is there'))
    course.underWay = { interrupt() {} }
    course.fillFailed(new Error('nor who can help'))
    course.underWay = { interrupt() {}, fail: error => ended.push(error) }
    course.fillFailed('a word')
    expect(errors()).toEqual([
      ['nobody is there', context('list')],
      ['nor who can help', context('list')],
    ])
    // Who is ended by it tells it.
    expect(ended).toEqual([expect.objectContaining({ message: 'an intake could not be filled', cause: 'a word' })])
  })

  it('has metrics of its own name', () => {
    course.count('some_total')
    course.gauge('some', 4)
    course.gauge('some', Number.NaN)
    expect([metric('some_total'), metric('some')]).toEqual([1, 4])
  })
})
