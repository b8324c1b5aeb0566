import { ApiError } from '@wherry/client'
import { InvalidObjectError } from '@wherry/client/internal'
import { type Simulation, simulate } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { target } from '../testkit/bench.ts'
import { RecordingWriter } from '../testkit/recording-writer.ts'
import { prepared, type ReflectorListeners, type ReflectorOptions } from './options.ts'
import { ReflectorContext } from './reflector-context.ts'

let simulation: Simulation
let context: ReflectorContext
let recording: RecordingWriter

function begin(on: ReflectorListeners = {}, options: Partial<ReflectorOptions> = {}): void {
  simulation = simulate(1)
  const { environment } = simulation
  const client = { environment, raw: { requester: { request() {} } } } as unknown as ReflectorOptions['client']
  context = new ReflectorContext(prepared({ client, target, name: 'mine', ...options, on }))
  recording = new RecordingWriter()
  context.writers.add(recording)
}

beforeEach(() => begin())

const object = (resourceVersion: unknown) => ({ metadata: { name: 'a', resourceVersion } })
const metric = (name: string): number | undefined => simulation.environment.metric(name, { name: 'mine' })
const errors = (): unknown[][] => simulation.environment.errors.map(({ error, context }) => [error.message, context])
const answer = (status: number): ApiError =>
  new ApiError({ status, message: `${status}` }, { method: 'GET', path: '/' })
const about = (phase: string) => ({ resource: target.resource, phase })

/** Reads a whole state, asked for as not older than `from`. */
function read(from: string, resourceVersion: string): void {
  context.commit(context.read(from), resourceVersion, from === '')
}

describe('the context of a reflector', () => {
  it('R13: advances with each event that has a resourceVersion, counts it, and forgets earlier trouble', () => {
    Object.assign(context.failures, { watch: 2, unreadable: 2 })
    context.change('ADDED', object('3'), 10)
    expect(context).toMatchObject({ failures: { watch: 0, unreadable: 0 }, resourceVersion: '3' })
    for (const other of ['', 7, undefined]) {
      context.change('MODIFIED', object(other), 10)
      expect(context.resourceVersion).toBe('3')
    }
    expect(context.stats).toMatchObject({ events: 4, bytes: 40 })
    expect(recording.log).toHaveLength(4)
  })

  it('R19: advances with bookmarks, which writers and a metric receive, and no handler', () => {
    context.bookmark('12')
    expect([context.resourceVersion, recording.progressed, recording.log]).toEqual(['12', 1, []])
    expect(metric('reflector_last_resource_version')).toBe(12)
    // Some aggregated APIs have others.
    context.bookmark('x')
    expect([context.resourceVersion, metric('reflector_last_resource_version')]).toEqual(['x', 12])
  })

  it('R5: counts that it went back where the server gave an older state than was asked for', () => {
    read('', '7')
    read('7', '5')
    expect(context.stats).toMatchObject({ relists: 1, rollbacks: 1 })
    // Nothing is known of the order of these.
    read('5', 'x')
    expect(context.stats).toMatchObject({ relists: 2, rollbacks: 1 })
  })

  it('R5: counts a relist, and that it went back only where it did and was let', async () => {
    const counts = (): unknown[] => [context.stats.relists, context.stats.rollbacks]
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
    expect(context.resourceVersion).toBe('x')
  })

  it('R5, R8: what it has is used again, unless the server’s revisions may start over', () => {
    read('', '7')
    read('0', '8')
    read('', '9')
    expect(recording.reuses).toEqual([true, true, false])
  })

  it('R14: a whole state ends the earlier trouble of watches, and is news of the server', async () => {
    await simulation.advance(5000)
    Object.assign(context.failures, { watch: 2, unreadable: 2 })
    read('', '7')
    expect(context).toMatchObject({ failures: { watch: 0, unreadable: 2 }, receivedAt: simulation.clock.monotonic() })
  })

  it('notifies its owner of a whole state once writers have it, and begins to fill those that wait', async () => {
    const reported: string[] = []
    begin({ synced: resourceVersion => reported.push(`${resourceVersion} ${recording.log.at(-1)}`) })
    const joining = new RecordingWriter()
    const reading = context.read('')
    context.writers.backfill(joining, () => [])
    context.commit(reading, '7', true)
    expect(reported).toEqual(['7 commit at 7'])
    await simulation.settle()
    expect(joining.log).toEqual(['commit at 7'])
  })

  it('R23: once it is stopped, notifies no owner and fills no writer', async () => {
    const reported: string[] = []
    begin({ synced: () => reported.push('synced'), error: () => reported.push('error') })
    const joining = new RecordingWriter()
    const reading = context.read('')
    context.writers.backfill(joining, () => [])
    context.stopped = true
    context.commit(reading, '7', true)
    context.fail(new Error('late'), 'list')
    await simulation.settle()
    expect([reported, joining.log]).toEqual([[], []])
  })

  it('reports a failure to its owner and to the background, or to its owner alone', () => {
    const reported: string[] = []
    begin({ error: error => reported.push(error.message) })
    const last = new Error('two')
    context.fail(new Error('one'), 'list')
    context.fail(last, 'watch', false)
    expect([reported, errors(), context.lastError]).toEqual([['one', 'two'], [['one', about('list')]], last])
  })

  it('R36: reports once to the background that it may not read, until another error comes', () => {
    const reported: string[] = []
    begin({ error: error => reported.push(error.message) })
    for (const status of [403, 403, 401, 401, 500, 500, 403]) context.fail(answer(status), 'list')
    expect(errors().map(([message]) => (message as string).slice(-3))).toEqual(['403', '401', '500', '500', '403'])
    expect(reported).toHaveLength(7)
  })

  it('needs no listener', () => {
    read('', '7')
    context.fail(new Error('one'), 'list')
    expect(errors()).toEqual([['one', about('list')]])
  })

  it('R20: reports what was left out', () => {
    context.skipped(new InvalidObjectError(target.resource, 'no name'), 'watch')
    expect(errors()).toEqual([[expect.stringContaining('no name'), about('watch')]])
  })

  it('X9: what a listener throws goes to the background', () => {
    const thrown = new Error('mine')
    context.notify(() => {
      throw thrown
    })
    context.notify(() => {
      throw 'a word'
    })
    expect(errors()).toEqual([
      ['mine', about('listener')],
      ['a listener threw: "a word"', about('listener')],
    ])
    expect(simulation.environment.errors.map(({ error }) => error.cause)).toEqual([undefined, 'a word'])
  })

  it('R21: asks a watch to last as long as its bounds say, both among it', () => {
    begin({}, { timeoutSeconds: { min: 5, max: 7 } })
    const asked = Array.from({ length: 200 }, () => context.timeoutSeconds())
    expect([...new Set(asked)].sort()).toEqual([5, 6, 7])
    begin()
    const usual = Array.from({ length: 2000 }, () => context.timeoutSeconds())
    expect([Math.min(...usual) >= 290, Math.max(...usual) <= 590, new Set(usual).size > 250]).toEqual([
      true,
      true,
      true,
    ])
  })

  it('D12: reports a writer that could not be filled, and ends the request under way, since only another can mend it', () => {
    const ended: Error[] = []
    context.backfillFailed(new Error('nobody is there'))
    context.underWay = { interrupt() {} }
    context.backfillFailed(new Error('no writer left'))
    context.underWay = { interrupt() {}, fail: error => ended.push(error) }
    context.backfillFailed('a word')
    expect(errors()).toEqual([
      ['nobody is there', about('list')],
      ['no writer left', about('list')],
    ])
    // The request that it ends reports it.
    expect(ended).toEqual([
      expect.objectContaining({ message: 'a writer could not be filled: "a word"', cause: 'a word' }),
    ])
  })

  it('has metrics of its own name', () => {
    context.count('some_total')
    context.gauge('some', 4)
    context.gauge('some', Number.NaN)
    expect([metric('some_total'), metric('some')]).toEqual([1, 4])
  })
})
