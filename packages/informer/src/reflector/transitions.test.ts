import {
  ApiError,
  ConnectionError,
  type ConnectionErrorCode,
  ResourceNotFoundError,
  TimeoutError,
} from '@wherry/client'
import { InvalidBodyError, ItemTooLongError, LineTooLongError } from '@wherry/client/internal'
import { type Simulation, simulate } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { target } from '../testkit/bench.ts'
import { prepared, type ReflectorOptions } from './options.ts'
import type { Listing, Phase, Streaming, VerifyingNotServed } from './phase.ts'
import { ReflectorContext } from './reflector-context.ts'
import type { StreamEnd } from './stream.ts'
import {
  afterChecking,
  afterReading,
  afterStreaming,
  afterVerifying,
  afterWatching,
  isPermanent,
  longestWait,
  wholeState,
} from './transitions.ts'

let simulation: Simulation
let context: ReflectorContext
/** What the owner received, by `on.error`. */
let reported: string[]

/** A context that has the state of resourceVersion 7, unless an argument says otherwise. */
function begin(options: Partial<ReflectorOptions> = {}, resourceVersion: string | undefined = '7'): void {
  simulation = simulate(1)
  reported = []
  const { environment } = simulation
  const client = { environment, raw: { requester: { request() {} } } } as unknown as ReflectorOptions['client']
  context = new ReflectorContext(
    prepared({ client, target, ...options, on: { error: error => reported.push(error.message) } }),
  )
  context.resourceVersion = resourceVersion
}

beforeEach(() => begin())

const about = { method: 'GET', path: '/api' }
type Parts = Partial<ConstructorParameters<typeof ApiError>[0]>
const answer = (status: number, parts: Parts = {}): ApiError =>
  new ApiError({ status, message: 'said so', ...parts }, about)
const unknown = (): ApiError => new ResourceNotFoundError({ status: 404, message: 'no such resource' }, about)
const tooLarge = (): ApiError =>
  answer(504, { causes: [{ reason: 'ResourceVersionTooLarge', message: '', field: '' }], retryAfterMs: 9000 })
const lost = (code: ConnectionErrorCode): ConnectionError => new ConnectionError(code, 'lost')
const garbage = (): InvalidBodyError => new InvalidBodyError('no JSON')

const streaming: Streaming = { is: 'streaming', resourceVersion: '7' }
const listing: Listing = { is: 'listing', resourceVersion: '7' }

/** `stream 7`, `list 0`, `watch`, `stopped`; for a wait, also the phase after it: `wait, stream 7`. */
function shown(phase: Phase): string {
  switch (phase.is) {
    case 'streaming':
      return `stream ${phase.resourceVersion}`.trim()
    case 'listing':
      return ['list', phase.resourceVersion, phase.refusedStreaming ? 'refused' : '']
        .filter(word => word !== '')
        .join(' ')
    case 'waiting':
      return `wait, ${shown(phase.next)}`
    case 'watching':
      return 'watch'
    default:
      return phase.is
  }
}

/** How long a phase waits. */
const ms = (phase: Phase): number => (phase.is === 'waiting' ? phase.ms : 0)
/** The phase of each report to `onError`. */
const background = (): string[] => simulation.environment.errors.map(({ context }) => `${context.phase}`)

describe('the whole state', () => {
  it.each<[string, Partial<ReflectorOptions>, string, string, string]>([
    ['stream', {}, 'stream', 'stream 7', 'stream'],
    ['whole', { initial: 'whole' }, 'list 0', 'list 7', 'list'],
    ['whole, the newest', { initial: 'whole', firstList: 'newest' }, 'list', 'list 7', 'list'],
    ['paged', { initial: 'paged' }, 'list', 'list 7', 'list'],
  ])('R1: is not older than what was seen: %s', (_, options, first, again, newest) => {
    begin(options)
    expect(shown(wholeState(context))).toBe(again)
    expect(shown(wholeState(context, ''))).toBe(newest)
    context.resourceVersion = undefined
    expect(shown(wholeState(context))).toBe(first)
  })

  it('R11: is listed where the server is known not to stream', () => {
    context.settings.streaming.refused(target.resource)
    expect(shown(wholeState(context))).toBe('list 7')
    context.resourceVersion = undefined
    expect(shown(wholeState(context))).toBe('list 0')
  })
})

describe('after a whole state that did not come', () => {
  it.each([
    ['Expired', () => answer(410)],
    ['Too large', tooLarge],
  ])('R5: %s: the newest, at once and once; only then is it waited for', (_, error) => {
    expect(shown(afterReading(context, listing, error()))).toBe('list')
    expect(shown(afterReading(context, streaming, error()))).toBe('stream')
    expect([reported.length, background()]).toEqual([2, []])
    for (const resourceVersion of ['', '0']) {
      const next = afterReading(context, { is: 'listing', resourceVersion }, error())
      expect(shown(next)).toBe('wait, stream 7')
    }
    expect(background()).toEqual(['list', 'list'])
  })

  it.each([401, 403, 405])('R36: %d to a stream: reports it, and streams again', status => {
    const next = afterReading(context, streaming, answer(status))
    expect(shown(next)).toBe('wait, stream 7')
    expect(ms(next) >= 30_000).toBe(status === 405)
    expect([reported.length, background()]).toEqual([1, ['watch']])
  })

  it('R11: 400 and 422 to a stream: a list at once, which is to say whether it was the streaming', () => {
    for (const status of [400, 422]) {
      expect(shown(afterReading(context, streaming, answer(status)))).toBe('list 7 refused')
      expect(shown(afterReading(context, { ...streaming, resourceVersion: '' }, answer(status)))).toBe('list refused')
    }
    context.resourceVersion = undefined
    expect(shown(afterReading(context, { ...streaming, resourceVersion: '' }, answer(422)))).toBe('list 0 refused')
    expect([reported, background()]).toEqual([[], []])
  })

  it.each([400, 422, 405])('R36: %d to a list: reports it, and tries again only at the longest backoff', status => {
    const next = afterReading(context, listing, answer(status))
    expect(shown(next)).toBe('wait, stream 7')
    expect(ms(next)).toBeGreaterThanOrEqual(30_000)
    expect([reported.length, background()]).toEqual([1, ['list']])
  })

  it('R16: a storage that is about to be there is no news, unless that lasts', () => {
    const starting = (retryAfterMs: number) => answer(429, { message: 'storage is (re)initializing', retryAfterMs })
    for (const phase of [streaming, listing]) afterReading(context, phase, starting(1000))
    afterWatching(context, ended({ how: 'refused', error: starting(1000) }))
    expect([reported.length, background()]).toEqual([3, []])
    afterReading(context, listing, starting(11_000))
    expect(background()).toEqual(['list'])
  })

  it.each<[string, () => Error, number]>([
    ['429', () => answer(429), 800],
    ['503', () => answer(503), 800],
    ['429 with a Retry-After', () => answer(429, { retryAfterMs: 9000 }), 9000],
    ['500 with a Retry-After', () => answer(500, { retryAfterMs: 9000 }), 9000],
    ['no connection', () => lost('CONNECT_FAILED'), 800],
    ['a connection that was lost', () => lost('CONNECTION_LOST'), 800],
  ])('R16: %s: the same way again, not before it may', (_, error, least) => {
    for (const [phase, again] of [
      [streaming, 'wait, stream 7'],
      [listing, 'wait, stream 7'],
    ] as const) {
      context.backoff.reset()
      const next = afterReading(context, phase, error())
      expect(shown(next)).toBe(again)
      expect(ms(next)).toBeGreaterThanOrEqual(least)
      expect(ms(next)).toBeLessThanOrEqual(Math.max(least, 1600))
    }
    expect(background()).toEqual(['list', 'list'])
  })

  it.each<[string, () => Error]>([
    ['500', () => answer(500)],
    ['headers beyond the bound', () => lost('HEADERS_TOO_LARGE')],
    ['silence', () => new TimeoutError(30_000, about)],
  ])('R11, R12: %s: backoff, and a list this once; after a list, as ever', (_, error) => {
    expect(shown(afterReading(context, streaming, error()))).toBe('wait, list 7')
    expect(shown(afterReading(context, listing, error()))).toBe('wait, stream 7')
  })

  it.each<[string, () => Error]>([
    ['no JSON', garbage],
    ['too long a line', () => new LineTooLongError(10)],
    ['too long an item', () => new ItemTooLongError(10)],
  ])('R20: %s: a list; and the third time running only at the longest backoff', (_, error) => {
    const first = afterReading(context, streaming, error())
    const second = afterReading(context, listing, error())
    expect([first, second].map(shown)).toEqual(['wait, list 7', 'wait, stream 7'])
    expect([ms(first) <= 1600, ms(second) <= 3200]).toEqual([true, true])
    const third = afterReading(context, listing, error())
    expect([shown(third), ms(third) >= 30_000]).toEqual(['wait, stream 7', true])
    expect(background()).toEqual(['list', 'list', 'list'])
  })

  it('D7: a resource that the server does not know: asks for a proof, and reports it to the background once', () => {
    for (const phase of [streaming, listing]) expect(afterReading(context, phase, unknown()).is).toBe('verifying')
    expect([reported.length, background()]).toEqual([2, ['list']])
    context.isMissing = true
    expect(afterReading(context, streaming, unknown()).is).toBe('missing')
    // An object that is not there is another matter.
    expect(afterReading(context, listing, answer(404, { reason: 'NotFound' })).is).toBe('waiting')
  })

  it('R23: the client was closed: over', () => {
    expect(shown(afterReading(context, listing, lost('CLIENT_CLOSED')))).toBe('stopped')
    expect(reported).toEqual(['lost'])
  })
})

describe('after a streaming list', () => {
  it('R11: that was closed before its end: backoff, again; from the second time running on reports it, and lists', () => {
    const closed = (): Phase => afterStreaming(context, streaming, ended({ how: 'closed' }))
    expect([shown(closed()), background()]).toEqual(['wait, stream 7', []])
    expect([shown(closed()), shown(closed())]).toEqual(['wait, list 7 refused', 'wait, list 7 refused'])
    expect(background()).toEqual(['list', 'list'])
    expect(reported[0]).toContain(target.path)
  })

  it('is judged by its error, also if that is no Error', () => {
    expect(shown(afterStreaming(context, streaming, ended({ how: 'refused', error: answer(410) })))).toBe('stream')
    const thrown = ended({ how: 'threw', error: 'a word' })
    expect(shown(afterStreaming(context, streaming, thrown))).toBe('wait, list 7')
    expect(simulation.environment.errors[0]?.error).toMatchObject({ cause: 'a word' })
    expect(reported.at(-1)).toContain('no Error')
  })
})

/** A stream that lasted, and brought an event. */
function ended(end: StreamEnd, livedMs = 5000, events = 1): Parameters<typeof afterWatching>[1] {
  return { end, livedMs, openMs: livedMs, events }
}

describe('after a watch', () => {
  const closed = { how: 'closed' } as const
  const refused = (error: ApiError) => ended({ how: 'refused', error })

  it('R14, R18, R20: that was closed: on at once, and what had failed is forgotten', () => {
    Object.assign(context.failures, { watch: 2, unreadable: 2 })
    expect(shown(afterWatching(context, ended(closed)))).toBe('watch')
    expect(context).toMatchObject({ failures: { watch: 0, unreadable: 0 } })
    expect([reported, background()]).toEqual([[], []])
  })

  it.each([
    [999, 0, 'wait, watch'],
    [1000, 0, 'watch'],
    [0, 1, 'watch'],
  ])('R15: closed after %d ms with %d events: %s', (livedMs, events, next) => {
    context.failures.watch = 1
    expect(shown(afterWatching(context, ended(closed, livedMs, events)))).toBe(next)
    expect(context.failures.watch).toBe(next === 'watch' ? 0 : 2)
  })

  it('R15: reports a stream that was closed at once the third time running', () => {
    for (let time = 0; time < 3; time++) {
      expect(background()).toEqual([])
      afterWatching(context, ended(closed, 1, 0))
    }
    expect(background()).toEqual(['watch'])
    expect(reported[0]).toContain(target.path)
  })

  it('R21: that was silent for as long as one may last: the server is asked whether it is behind', async () => {
    context.receivedAt = simulation.clock.monotonic()
    await simulation.advance(289_999)
    expect(shown(afterWatching(context, ended(closed, 289_999, 0)))).toBe('watch')
    await simulation.advance(1)
    expect(shown(afterWatching(context, ended(closed, 290_000, 0)))).toBe('checking')
    const broken = { how: 'broken', error: new Error('late'), partialLine: false } as const
    expect(shown(afterWatching(context, ended(broken)))).toBe('wait, checking')
  })

  it.each<[string, StreamEnd, number]>([
    ['breaks within 30 s', { how: 'broken', error: lost('CONNECTION_LOST'), partialLine: false }, 29_999],
    ['is closed within 1 s', closed, 999],
    ['is answered with a 500', { how: 'refused', error: answer(500) }, 10],
    ['brings an ERROR of 500', { how: 'failed', error: answer(500) }, 60_000],
  ])('R14, R18: the fifth time running that it %s, without an event: a relist', (_, end, livedMs) => {
    const all = Array.from({ length: 6 }, () => shown(afterWatching(context, ended(end, livedMs, 0))))
    expect(all).toEqual([...Array(4).fill('wait, watch'), 'wait, stream 7', 'wait, stream 7'])
    context.commit(context.read('7'), '7', false)
    expect(shown(afterWatching(context, ended(end, livedMs, 0)))).toBe('wait, watch')
  })

  it.each<[string, number, number, ConnectionError]>([
    ['brought an event', 10, 1, lost('CONNECTION_LOST')],
    ['lived for 30 s', 30_000, 0, lost('CONNECTION_LOST')],
    ['reached no server', 10, 0, new ConnectionError('CONNECT_FAILED', 'no', { unprocessed: true })],
  ])('R14: a break of a watch that %s counts for no relist', (_, livedMs, events, error) => {
    const end = { how: 'broken', error, partialLine: false } as const
    for (let time = 0; time < 20; time++)
      expect(shown(afterWatching(context, ended(end, livedMs, events)))).toBe('wait, watch')
  })

  it.each<[string, StreamEnd, number]>([
    ['broke after 30 s', { how: 'broken', error: lost('CONNECTION_LOST'), partialLine: false }, 30_000],
    ['was closed after 1 s', closed, 1000],
  ])('R14, R18: a watch that %s restarts the count', (_, end, livedMs) => {
    for (let round = 0; round < 3; round++) {
      for (let time = 0; time < 4; time++)
        expect(shown(afterWatching(context, refused(answer(500))))).toBe('wait, watch')
      afterWatching(context, ended(end, livedMs, 0))
    }
  })

  it.each<[string, StreamEnd]>([
    ['broke', { how: 'broken', error: new Error('reset'), partialLine: true }],
    ['fell silent', { how: 'silent', error: new TimeoutError(30_000, about) }],
  ])('R14: that %s: backoff, reports it, and goes on', (_, end) => {
    expect(shown(afterWatching(context, ended(end)))).toBe('wait, watch')
    expect([reported.length, background()]).toEqual([1, ['watch']])
  })

  it('R23: that broke because the client was closed: over', () => {
    const end = { how: 'broken', error: lost('CLIENT_CLOSED'), partialLine: false } as const
    expect(shown(afterWatching(context, ended(end)))).toBe('stopped')
    expect(background()).toEqual(['watch'])
  })

  it('R20: that can’t be read: on; then a relist; then a relist at the longest backoff', () => {
    const end = { how: 'unreadable', error: garbage() } as const
    const all = [1, 2, 3, 4].map(() => afterWatching(context, ended(end)))
    expect(all.map(shown)).toEqual(['wait, watch', 'wait, stream 7', 'wait, stream 7', 'wait, stream 7'])
    expect(all.map(phase => ms(phase) >= 30_000)).toEqual([false, false, true, true])
    expect(background()).toHaveLength(4)
  })

  it('X9: after its store threw: a whole state', () => {
    expect(shown(afterWatching(context, ended({ how: 'threw', error: new Error('a store') })))).toBe('wait, stream 7')
    expect(reported).toEqual(['a store'])
    afterWatching(context, ended({ how: 'threw', error: undefined }))
    expect(reported[1]).toContain('no Error')
    expect(background()).toEqual(['watch', 'watch'])
  })

  it('R17: 410: a relist from the last on, after a wait that spreads it, and no error to the background', () => {
    for (const how of ['refused', 'failed'] as const) {
      expect(shown(afterWatching(context, ended({ how, error: answer(410) })))).toBe('wait, stream 7')
    }
    expect([reported.length, background()]).toEqual([2, []])
  })

  it('R5: Too large: a relist from the last on', () => {
    expect(shown(afterWatching(context, refused(tooLarge())))).toBe('wait, stream 7')
    expect(background()).toEqual(['watch'])
  })

  it.each([429, 503, 401, 403])(
    'R16, R36: %d: the watch again, however long it lasts, not before it may',
    async status => {
      for (let minute = 0; minute < 3; minute++) {
        const next = afterWatching(context, refused(answer(status, { retryAfterMs: 70_000 })))
        expect([shown(next), ms(next)]).toEqual(['wait, watch', 70_000])
        await simulation.advance(60_000)
      }
      expect(shown(afterWatching(context, refused(answer(status))))).toBe('wait, watch')
    },
  )

  it('D8: 404 of the resource: a proof is asked for; missing with it, else the same again after a backoff', () => {
    const verifying = afterWatching(context, refused(unknown())) as VerifyingNotServed
    expect(verifying.is).toBe('verifying')
    expect(background()).toEqual(['list'])
    expect(afterVerifying(context, verifying, true)).toEqual({ is: 'missing', error: verifying.error })
    const waits = [1, 2, 3].map(() => afterVerifying(context, verifying, false))
    expect(waits.map(shown)).toEqual(['wait, stream 7', 'wait, stream 7', 'wait, stream 7'])
    expect(waits.map(wait => ms(wait) >= 800)).toEqual([true, true, true])
    expect([ms(waits[1] as Phase) >= 1600, ms(waits[2] as Phase) >= 3200]).toEqual([true, true])
  })
})

describe('after the server was asked whether it is behind', () => {
  it('R21: it is not: the watch goes on, and counts as alive', async () => {
    await simulation.advance(500_000)
    expect(shown(afterChecking(context, undefined))).toBe('watch')
    expect(context.receivedAt).toBe(simulation.clock.monotonic())
  })

  it('R21, R5: it is: the newest state, at once, which only the owner is notified of', () => {
    expect(shown(afterChecking(context, tooLarge()))).toBe('stream')
    expect([reported.length, background()]).toEqual([1, []])
  })

  it('R21: it does not say: backoff, and the watch', () => {
    const next = afterChecking(context, answer(503, { retryAfterMs: 9000 }))
    expect([shown(next), ms(next)]).toEqual(['wait, watch', 9000])
    expect(background()).toEqual(['list'])
    expect(afterChecking(context, unknown()).is).toBe('verifying')
    expect(shown(afterChecking(context, lost('CLIENT_CLOSED')))).toBe('stopped')
  })
})

it('R36: what no retry mends is for the caller', () => {
  const all = [answer(401), answer(403), unknown(), answer(400), answer(422), answer(405)]
  expect(all.map(isPermanent)).toEqual(all.map(() => true))
  const others = [answer(404, { reason: 'NotFound' }), answer(410), answer(429), answer(500), lost('CONNECT_FAILED')]
  expect(others.map(isPermanent)).toEqual(others.map(() => false))
})

it('R22: the longest wait is between 30 and 60 s', () => {
  const waits = Array.from({ length: 100 }, () => longestWait(context))
  expect([Math.min(...waits) >= 30_000, Math.max(...waits) <= 60_000, new Set(waits).size > 50]).toEqual([
    true,
    true,
    true,
  ])
})
