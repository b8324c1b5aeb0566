import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { FakeServer, HandClock } from '../bytes/requester.fixture.ts'
import { isExpired, isTooLarge, isTooManyRequests } from '../errors/guards.ts'
import { targetsOf } from '../list/target.ts'
import { defineResource } from '../views/resource.ts'
import type { WatchEnd } from './end.ts'
import { watchEvents } from './events.ts'
import type { WatchStart } from './query.ts'
import { openWatch, type WatchOptions } from './watch.ts'

const configMaps = defineResource<object>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})
const view = configMaps.within({ namespaces: ['v1'], labels: { app: 'web' } })
const [target] = targetsOf(view) as [ReturnType<typeof targetsOf>[0]]

function setup() {
  const server = new FakeServer()
  const clock = new HandClock()
  const environment = { clock, random: () => 0.5 }
  return { server, clock, context: { requester: server, environment } as const }
}

function watching(
  start: WatchStart = { resourceVersion: '5' },
  options: WatchOptions = {},
  of: typeof target = target,
) {
  const { server, clock, context } = setup()
  const log: unknown[] = []
  const ends: WatchEnd[] = []
  const watch = openWatch(
    context,
    of,
    start,
    {
      opened: () => log.push('opened'),
      event: (type, object) => log.push([type, (object as { metadata: { name: string } }).metadata.name]),
      bookmark: (resourceVersion, end) =>
        log.push(end ? ['end of initial events', resourceVersion] : [resourceVersion]),
      skipped: error => log.push(error.message),
      draining: () => log.push('draining'),
      end(end) {
        ends.push(end)
        log.push(`end: ${end.how}`)
      },
    },
    options,
  )
  return { server, clock, watch, log, ends, request: server.last }
}

function line(type: string, name: string, more: object = {}): string {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, resourceVersion: '9' }, ...more }
  return `${JSON.stringify({ type, object })}\n`
}

function bookmark(resourceVersion: string, annotations?: object, more: object = {}): string {
  const metadata = { resourceVersion, annotations }
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata, ...more } })}\n`
}

function errorLine(status: object): string {
  return `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status } })}\n`
}

describe('a watch', () => {
  it('asks to resume, with bookmarks and a random timeout', () => {
    const { request, watch } = watching()
    const accept = 'application/json;drop=metadata.managedFields,application/json'
    expect(request.head).toMatchObject({ method: 'GET', lane: 'stream', headers: { accept } })
    expect(request.head.headers).not.toHaveProperty('accept-encoding')
    expect(Object.fromEntries(request.query)).toEqual({
      labelSelector: 'app=web',
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
      timeoutSeconds: '440',
    })
    watch.abort()
  })

  it('R9: asks for a streaming list with all that it takes', () => {
    const { request, watch } = watching(
      { resourceVersion: '', initialEvents: true },
      { gzip: true, timeoutSeconds: 300 },
    )
    expect(request.head.headers['accept-encoding']).toBe('gzip')
    expect(Object.fromEntries(request.query)).toEqual({
      labelSelector: 'app=web',
      watch: '1',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      timeoutSeconds: '300',
    })
    watch.abort()
  })

  it('R21: draws the timeout from 290 to 590 s', () => {
    const { context, server } = setup()
    for (const [random, seconds] of [
      [0, '290'],
      [0.999999, '590'],
    ] as const) {
      const environment = { ...context.environment, random: () => random }
      const handlers = { event() {}, bookmark() {}, end() {} }
      openWatch({ ...context, environment }, target, { resourceVersion: '1' }, handlers).abort()
      expect(server.last.query.get('timeoutSeconds')).toBe(seconds)
    }
  })

  it('delivers events and bookmarks in the order of the stream, and a clean end', () => {
    const { request, log, ends, clock } = watching()
    const text = line('ADDED', 'a') + line('MODIFIED', 'ü€𝄞') + bookmark('11') + line('DELETED', 'a')
    request.answer()
    for (const byte of Buffer.from(text)) request.send(Buffer.of(byte))
    request.end()
    expect(log).toEqual(['opened', ['ADDED', 'a'], ['MODIFIED', 'ü€𝄞'], ['11'], ['DELETED', 'a'], 'end: closed'])
    expect(ends).toEqual([{ how: 'closed' }])
    expect(clock.timers).toBe(0)
  })

  it('R10: knows the end of the initial events by the value of the annotation', () => {
    const { request, log, watch } = watching({ resourceVersion: '', initialEvents: true })
    const key = 'k8s.io/initial-events-end'
    request
      .answer()
      .send(bookmark('1', { [key]: 'false' }) + bookmark('2', { other: 'true' }) + bookmark('3', { [key]: 'true' }))
    expect(log).toEqual(['opened', ['1'], ['2'], ['end of initial events', '3']])
    watch.abort()
  })

  it('R14: distinguishes a break from a clean end, and drops a partial line at a break only', () => {
    const broken = watching()
    broken.request
      .answer()
      .send(line('ADDED', 'a') + line('ADDED', 'b').slice(0, -1))
      .break()
    expect(broken.log).toEqual(['opened', ['ADDED', 'a'], 'end: broken'])
    expect(broken.ends[0]).toMatchObject({ how: 'broken', partialLine: true, error: { message: 'reset' } })

    const between = watching()
    between.request.answer().send(line('ADDED', 'a')).break()
    expect(between.ends[0]).toMatchObject({ how: 'broken', partialLine: false })

    const early = watching()
    early.request.break()
    expect(early.log).toEqual(['end: broken'])
  })

  it('R24: reads a last line without a newline before a clean end', () => {
    const { request, log } = watching()
    request
      .answer()
      .send(line('ADDED', 'a') + line('ADDED', 'b').slice(0, -1))
      .end()
    expect(log).toEqual(['opened', ['ADDED', 'a'], ['ADDED', 'b'], 'end: closed'])
  })

  it.each([1, 20, 60, -2])('R14: a part of a line before a clean end is dropped, and is a break (cut at %d)', at => {
    const { request, log, ends, clock } = watching()
    request
      .answer()
      .send(line('ADDED', 'a') + line('ADDED', 'b').slice(0, at))
      .end()
    expect(log).toEqual(['opened', ['ADDED', 'a'], 'end: broken'])
    expect(ends[0]).toMatchObject({ how: 'broken', partialLine: true, error: { code: 'CONNECTION_LOST' } })
    expect(clock.timers).toBe(0)
  })

  it('R14: no part of a line before a clean end is an event, if its managedFields look whole', () => {
    const { request, log } = watching()
    const part = line('ADDED', 'b')
      .trim()
      .replace('"resourceVersion":"9"}}}', '"managedFields":[{"a":{"b":{"c":[{}]}}}')
    request
      .answer()
      .send(line('ADDED', 'a') + part)
      .end()
    expect(log).toEqual(['opened', ['ADDED', 'a'], 'end: broken'])
  })

  it('R16: a refusal is reported with its Retry-After, be it a Status or a text', () => {
    const { request, log, ends } = watching()
    request.answer(429, 'Too many requests, please try again later.', { 'retry-after': '1' })
    expect(log).toEqual(['end: refused'])
    expect(ends[0]).toMatchObject({ how: 'refused', error: { status: 429, retryAfterMs: 1000 } })
    expect(ends[0]?.how === 'refused' && isTooManyRequests(ends[0].error)).toBe(true)
  })

  it('R17: an ERROR event ends the watch with an error that says which', () => {
    const old = watching()
    old.request.answer().send(errorLine({ code: 410, reason: 'Expired', message: 'too old' }) + line('ADDED', 'late'))
    expect(old.log).toEqual(['opened', 'end: failed'])
    expect(old.ends[0]?.how === 'failed' && isExpired(old.ends[0].error)).toBe(true)
    expect(old.request.aborted).toBe(true)

    const large = watching()
    const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: '' }], retryAfterSeconds: 1 }
    large.request
      .answer()
      .send(errorLine({ code: 504, reason: 'Timeout', details }))
      .end()
    expect(large.ends.length).toBe(1)
    expect(large.ends[0]?.how === 'failed' && isTooLarge(large.ends[0].error)).toBe(true)
    expect(large.ends[0]).toMatchObject({ error: { retryAfterMs: 1000 } })
  })

  it('R20, X14: leaves out values that are no objects of the resource, and says so', () => {
    const { request, log, watch } = watching()
    request
      .answer()
      .send(
        [
          line('ADDED', ''),
          line('ADDED', 'x', { kind: 'Secret' }),
          line('MODIFIED', 'x', { metadata: null }),
          line('RENAMED', 'x'),
          bookmark(''),
          ...['ConfigMapList', 'Secret', 'Status', undefined].map(kind => bookmark('8', undefined, { kind })),
          bookmark('8', undefined, { apiVersion: 'v2' }),
          line('ADDED', 'fine'),
        ].join(''),
      )
    expect(log).toEqual([
      'opened',
      'v1/configmaps: an object that has no name (ADDED)',
      'v1/configmaps: an object that is of another kind (ADDED)',
      'v1/configmaps: an object that has no name (MODIFIED)',
      'v1/configmaps: an event of an unknown type',
      'v1/configmaps: a bookmark without a resourceVersion',
      ...Array(5).fill('v1/configmaps: a bookmark of another kind'),
      ['ADDED', 'fine'],
    ])
    watch.abort()
  })

  it.each([
    ['a number', { resourceVersion: 9 }, 'has a resourceVersion that is no text'],
    ['null', { resourceVersion: null }, 'has a resourceVersion that is no text'],
    ['an empty text', { resourceVersion: '' }, 'has a resourceVersion that is no text'],
  ])('R20: leaves out an object with a resourceVersion that is %s', (_, metadata, why) => {
    const { request, log, watch } = watching()
    request.answer().send(line('MODIFIED', 'x', { metadata: { name: 'x', ...metadata } }) + line('ADDED', 'fine'))
    expect(log).toEqual(['opened', `v1/configmaps: an object that ${why} (MODIFIED)`, ['ADDED', 'fine']])
    watch.abort()
  })

  it('R20: leaves out an object of another namespace, API version or name than the watched ones', () => {
    const [named] = targetsOf(view.within({ fields: { 'metadata.name': 'mine' } })) as [typeof target]
    const { request, log, watch } = watching(undefined, undefined, named)
    request
      .answer()
      .send(
        [
          line('ADDED', 'mine', { metadata: { name: 'mine', namespace: 'other' } }),
          line('DELETED', 'mine', { apiVersion: 'v2' }),
          line('MODIFIED', 'yours'),
          line('ADDED', 'mine', { metadata: { name: 'mine', namespace: 'v1' } }),
        ].join(''),
      )
    expect(log).toEqual([
      'opened',
      'v1/configmaps: an object that is of another namespace (ADDED)',
      'v1/configmaps: an object that is of another kind (DELETED)',
      'v1/configmaps: an object that has another name (MODIFIED)',
      ['ADDED', 'mine'],
    ])
    watch.abort()
  })

  it('R20: takes the metadata form, and of a server without it the whole, for a metadata view', () => {
    const [metadata] = targetsOf(configMaps.metadata()) as [typeof target]
    const { request, log, watch } = watching(undefined, undefined, metadata)
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
    request.answer().send(line('ADDED', 'a', partial) + line('ADDED', 'b') + line('ADDED', 'c', { kind: 'Secret' }))
    expect(log.slice(1)).toEqual([
      ['ADDED', 'a'],
      ['ADDED', 'b'],
      'v1/configmaps: an object that is of another kind (ADDED)',
    ])
    watch.abort()
  })

  it.each([
    '<html>\n',
    '[]\n',
    '5\n',
    'null\n',
    '{"type":1,"object":{}}\n',
    '{"type":"ADDED","object":null}\n',
    '{"type":"ADDED"\n',
  ])('R20: %j ends the watch as unreadable', text => {
    const { request, ends, log } = watching()
    request.answer().send(line('ADDED', 'a') + text + line('ADDED', 'b'))
    expect(log).toEqual(['opened', ['ADDED', 'a'], 'end: unreadable'])
    expect(ends[0]).toMatchObject({ error: { code: 'INVALID_BODY' } })
    expect(request.aborted).toBe(true)
  })

  it('R20: a line longer than the bound ends the watch as unreadable', () => {
    const { request, ends } = watching({ resourceVersion: '1' }, { maxLineBytes: 500 })
    request
      .answer()
      .send(line('ADDED', 'a'))
      .send(line('ADDED', 'x'.repeat(600)).slice(0, 550))
    expect(ends).toMatchObject([{ how: 'unreadable', error: { code: 'LINE_TOO_LONG', maxBytes: 500 } }])
  })

  it('takes metadata objects for a metadata view, and whole ones from a server that has no metadata form', () => {
    const [metadata] = targetsOf(configMaps.metadata()) as [typeof target]
    const { request, log, watch } = watching({ resourceVersion: '1' }, {}, metadata)
    expect(request.head.headers.accept).toContain('as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
    request.answer().send(line('ADDED', 'a', { kind: 'PartialObjectMetadata' }) + line('ADDED', 'b'))
    expect(log).toEqual(['opened', ['ADDED', 'a'], ['ADDED', 'b']])
    watch.abort()
  })

  it('R24: reads gzip in members, each flushed event at once', async () => {
    const { request, log, watch } = watching({ resourceVersion: '', initialEvents: true }, { gzip: true })
    request.answer(200, undefined, { 'content-encoding': 'gzip' })
    request.send(gzipSync(line('ADDED', 'a') + bookmark('3', { 'k8s.io/initial-events-end': 'true' })))
    await vi.waitFor(() => expect(log.length).toBe(3))
    request.send(gzipSync(line('ADDED', 'b')))
    await vi.waitFor(() => expect(log.at(-1)).toEqual(['ADDED', 'b']))
    watch.abort()
  })

  it('R21: ends a watch that outlives its timeout by 30 s', () => {
    const { request, ends, clock } = watching({ resourceVersion: '1' }, { timeoutSeconds: 300 })
    request.answer()
    clock.advance(329_999)
    expect(ends).toEqual([])
    clock.advance(1)
    expect(ends).toMatchObject([{ how: 'broken', error: { code: 'TIMEOUT' } }])
    expect(request.aborted).toBe(true)
  })

  it('R12: knows when bytes last came', () => {
    const { request, watch, clock } = watching()
    clock.advance(5)
    request.answer().send('{"type"')
    clock.advance(5)
    expect(watch.lastReceivedAt).toBe(5)
    watch.abort()
  })

  it('R23: calls nothing after abort, and leaves no timer', () => {
    const { request, watch, log, clock } = watching()
    request.answer().send(line('ADDED', 'a'))
    watch.abort()
    watch.abort()
    request.send(line('ADDED', 'b')).end()
    expect(log).toEqual(['opened', ['ADDED', 'a']])
    expect([request.aborted, clock.timers]).toEqual([true, 0])
  })

  it('N14: passes on that the server is going away, and goes on', () => {
    const { request, log, watch } = watching()
    request.answer().goAway().send(line('ADDED', 'a'))
    expect(log).toEqual(['opened', 'draining', ['ADDED', 'a']])
    watch.abort()
  })

  it('holds the server back while it is held', () => {
    const { request, log, watch } = watching()
    watch.hold()
    request.answer().send(line('ADDED', 'a'))
    expect([log, request.paused]).toEqual([['opened'], true])
    watch.release()
    expect([log, request.paused]).toEqual([['opened', ['ADDED', 'a']], false])
    watch.abort()
  })

  it('ends with what a handler throws', () => {
    const { server, context } = setup()
    const ends: WatchEnd[] = []
    const handlers = {
      event() {
        throw new Error('mine')
      },
      bookmark() {},
      end: (end: WatchEnd) => ends.push(end),
    }
    openWatch(context, target, { resourceVersion: '1' }, handlers)
    server.last.answer().send(line('ADDED', 'a') + line('ADDED', 'b'))
    expect(ends).toEqual([{ how: 'threw', error: new Error('mine') }])
    expect(server.last.aborted).toBe(true)
  })
})

describe.each(['opened', 'draining'] as const)('a watch with a handler %s that throws', name => {
  it('ends with what it throws', () => {
    const { server, context } = setup()
    const ends: WatchEnd[] = []
    const handlers = {
      event() {},
      bookmark() {},
      [name]() {
        throw new Error('mine')
      },
      end: (end: WatchEnd) => ends.push(end),
    }
    openWatch(context, target, { resourceVersion: '1' }, handlers)
    server.last.answer()
    if (name === 'draining') server.last.goAway()
    expect(ends).toEqual([{ how: 'threw', error: new Error('mine') }])
    expect(server.last.aborted).toBe(true)
  })
})

describe('a watch as an async iterable', () => {
  const name = (object: object): string => (object as { metadata: { name: string } }).metadata.name

  it('gives events and bookmarks, and ends with a clean end', async () => {
    const { server, context } = setup()
    const got: unknown[] = []
    const done = (async () => {
      for await (const event of watchEvents(context, target, { resourceVersion: '1' }, name)) got.push(event)
    })()
    const request = await server.nth(0)
    request
      .answer()
      .send(line('ADDED', 'a') + bookmark('3'))
      .end()
    await done
    expect(got).toEqual([
      { type: 'ADDED', object: 'a' },
      { type: 'BOOKMARK', resourceVersion: '3', initialEventsEnd: false },
    ])
  })

  it('throws on any other end, after what came before it', async () => {
    const { server, context } = setup()
    const events = watchEvents(context, target, { resourceVersion: '1' }, name)
    const first = events.next()
    const failed = errorLine({ code: 410, reason: 'Expired' })
    server.last.answer().send(line('ADDED', 'a') + failed)
    expect(await first).toEqual({ done: false, value: { type: 'ADDED', object: 'a' } })
    await expect(events.next()).rejects.toMatchObject({ reason: 'Expired' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('ends the watch when it is left, and when its signal is aborted', async () => {
    const left = setup()
    const leaving = (async () => {
      for await (const _ of watchEvents(left.context, target, { resourceVersion: '1' }, name)) break
    })()
    left.server.last.answer().send(line('ADDED', 'a'))
    await leaving
    expect([left.server.last.aborted, left.clock.timers]).toEqual([true, 0])

    const { server, context, clock } = setup()
    const controller = new AbortController()
    const events = watchEvents(context, target, { resourceVersion: '1' }, name, { signal: controller.signal })
    const first = events.next()
    server.last.answer().send(line('ADDED', 'a') + line('ADDED', 'b'))
    await first
    controller.abort(new Error('enough'))
    await expect(events.next()).rejects.toThrow('enough')
    expect([server.last.aborted, clock.timers]).toEqual([true, 0])

    const waiting = watchEvents(context, target, { resourceVersion: '1' }, name, { signal: AbortSignal.abort('early') })
    await expect(waiting.next()).rejects.toBe('early')
    expect(server.requests.length).toBe(1)
  })

  it('ends when its time is over, with a TimeoutError after what came before', async () => {
    const { server, context, clock } = setup()
    const events = watchEvents(context, target, { resourceVersion: '1' }, name, { timeoutMs: 5000 })
    const first = events.next()
    server.last.answer().send(line('ADDED', 'a') + line('ADDED', 'b'))
    await first
    clock.advance(4999)
    expect(server.last.aborted).toBe(false)
    clock.advance(1)
    expect([server.last.aborted, clock.timers]).toEqual([true, 0])
    expect((await events.next()).value).toEqual({ type: 'ADDED', object: 'b' })
    await expect(events.next()).rejects.toMatchObject({ code: 'TIMEOUT', timeoutMs: 5000 })
  })

  it('leaves nothing with a signal that outlives it', async () => {
    const { server, context, clock } = setup()
    const controller = new AbortController()
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const events = watchEvents(context, target, { resourceVersion: '1' }, name, { signal: controller.signal })
    const first = events.next()
    server.last.answer().end()
    expect(await first).toEqual({ done: true, value: undefined })
    expect([remove.mock.calls.length, clock.timers]).toEqual([2, 0])
    controller.abort()
    expect(server.requests.length).toBe(1)
  })

  it('holds the server back when its consumer is slow', async () => {
    const { server, context } = setup()
    const events = watchEvents(context, target, { resourceVersion: '1' }, name)
    const first = events.next()
    const request = server.last.answer()
    request.send(Array.from({ length: 300 }, (_, i) => line('ADDED', `n${i}`)).join(''))
    expect(request.paused).toBe(true)
    const got = [(await first).value]
    for (let i = 1; i < 300; i++) got.push((await events.next()).value)
    expect(got.map(event => event?.type === 'ADDED' && event.object)).toEqual(
      Array.from({ length: 300 }, (_, i) => `n${i}`),
    )
    expect(request.paused).toBe(false)
    await events.return()
    expect(request.aborted).toBe(true)
  })

  it('holds the server back at 1 MiB that its consumer has not taken, however few events that is', async () => {
    const { server, context } = setup()
    const events = watchEvents(context, target, { resourceVersion: '1' }, name)
    const first = events.next()
    const request = server.last.answer()
    const large = (n: number): string => line('ADDED', `n${n}${'x'.repeat(500_000)}`)
    request.send(large(0) + large(1))
    expect(request.paused).toBe(false)
    request.send(large(2))
    expect(request.paused).toBe(true)
    await first
    await events.next()
    expect(request.paused).toBe(true)
    await events.next()
    const last = events.next()
    expect(request.paused).toBe(false)
    request.send(large(3))
    expect((await last).value).toMatchObject({ type: 'ADDED' })
    await events.return()
  })
})
