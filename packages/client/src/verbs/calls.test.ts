import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { ScriptedTransport } from '../connection/testkit/scripted.ts'
import { isExpired, isForbidden, isServiceUnavailable, isTooManyRequests } from '../errors/guards.ts'
import { deployments } from '../resources/apps.ts'
import { tokenReviews } from '../resources/authentication.ts'
import { bindings, configMaps, pods, secrets } from '../resources/core.ts'
import { defineResource } from '../views/resource.ts'
import { inMemory } from './bench.fixture.ts'
import { refusal, type Scripted, type ScriptedAnswer, type SeenRequest, scripted } from './scripted.fixture.ts'
import { parseWarnings } from './warnings.ts'

const key = { name: 'a', namespace: 'n' }
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, uid: 'u', resourceVersion: '1' } }

/** Runs a test with a client, and answers its requests from a list, the last answer for all that follow. */
async function answering(
  answers: readonly ScriptedAnswer[],
  test: (of: Scripted) => Promise<void>,
  options: Parameters<typeof scripted>[1] = {},
): Promise<Scripted> {
  const of = scripted((_, nth) => answers[Math.min(nth, answers.length) - 1] as ScriptedAnswer, options)
  await of.run(async () => {
    await test(of)
    await of.client.close()
  })
  await of.advance(100) // bytes that are still under way in the network arrive
  expect(of.pending()).toEqual([])
  return of
}

const lines = (requests: readonly SeenRequest[]): string[] => requests.map(({ method, path }) => `${method} ${path}`)

describe('a request', () => {
  const writes = { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' } as const
  const query = '?dryRun=All&fieldManager=me&fieldValidation=Strict'
  const path = '/api/v1/namespaces/n/configmaps/a'
  const data = { metadata: key, data: { k: 'v' } }
  const typed = { ...data, apiVersion: 'v1', kind: 'ConfigMap' }

  it.each<[string, (of: Scripted) => Promise<unknown>, string, string | undefined, unknown]>([
    [
      'create',
      ({ client }) => client.create(configMaps, data, writes),
      `POST /api/v1/namespaces/n/configmaps${query}`,
      'application/json',
      typed,
    ],
    [
      'update',
      ({ client }) => client.update(configMaps, data, writes),
      `PUT ${path}${query}`,
      'application/json',
      typed,
    ],
    [
      'merge patch',
      ({ client }) => client.patch(configMaps, key, { data: null }, writes),
      `PATCH ${path}${query}`,
      'application/merge-patch+json',
      { data: null },
    ],
    [
      'json patch',
      ({ client }) => client.patch(configMaps, key, [{ op: 'remove', path: '/data' }]),
      `PATCH ${path}?fieldManager=wherry`,
      'application/json-patch+json',
      [{ op: 'remove', path: '/data' }],
    ],
    [
      'strategic merge patch',
      ({ client }) => client.patch(configMaps, key, { data: {} }, { type: 'strategic' }),
      `PATCH ${path}?fieldManager=wherry`,
      'application/strategic-merge-patch+json',
      { data: {} },
    ],
    [
      'apply',
      ({ client }) => client.apply(configMaps, data, { ...writes, force: true }),
      `PATCH ${path}${query}&force=true`,
      'application/apply-patch+yaml',
      typed,
    ],
    [
      'status update',
      ({ client }) => client.status.update(configMaps, data),
      `PUT ${path}/status?fieldManager=wherry`,
      'application/json',
      typed,
    ],
    [
      'status patch',
      ({ client }) => client.status.patch(configMaps, key, { status: {} }),
      `PATCH ${path}/status?fieldManager=wherry`,
      'application/merge-patch+json',
      { status: {} },
    ],
    [
      'status apply',
      ({ client }) => client.status.apply(configMaps, data),
      `PATCH ${path}/status?fieldManager=wherry`,
      'application/apply-patch+yaml',
      typed,
    ],
    [
      'scale update',
      ({ client }) => client.scale.update(configMaps, key, { spec: { replicas: 2 } }),
      `PUT ${path}/scale?fieldManager=wherry`,
      'application/json',
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: key, spec: { replicas: 2 } },
    ],
    [
      'delete',
      ({ client }) =>
        client.delete(configMaps, key, {
          preconditions: { uid: 'u', resourceVersion: '1' },
          propagationPolicy: 'Orphan',
          gracePeriodSeconds: 0,
          dryRun: true,
        }),
      `DELETE ${path}`,
      'application/json',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '1' },
        propagationPolicy: 'Orphan',
        gracePeriodSeconds: 0,
        dryRun: ['All'],
      },
    ],
    ['a plain delete', ({ client }) => client.delete(configMaps, key), `DELETE ${path}`, undefined, undefined],
    [
      'evict',
      ({ client }) => client.evict(pods, key, { gracePeriodSeconds: 5, dryRun: true }),
      'POST /api/v1/namespaces/n/pods/a/eviction?dryRun=All&fieldManager=wherry',
      'application/json',
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: key,
        deleteOptions: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 5 },
      },
    ],
    [
      'get at a resourceVersion',
      ({ client }) => client.get(configMaps, key, { resourceVersion: '0' }),
      `GET ${path}?resourceVersion=0`,
      undefined,
      undefined,
    ],
  ])('%s', async (_, send, line, type, body) => {
    const answer = line.includes('/scale?') ? { ...object, apiVersion: 'autoscaling/v1', kind: 'Scale' } : object
    const { requests } = await answering([{ body: answer }], async of => {
      await send(of)
    })
    expect(lines(requests)).toEqual([line])
    expect(requests[0]?.headers['content-type']).toBe(type)
    expect(requests[0]?.body === '' ? undefined : JSON.parse(requests[0]?.body ?? '')).toEqual(body)
  })

  it('sends its user agent, and the user that it acts as', async () => {
    const { requests } = await answering(
      [{ body: object }],
      async ({ client }) => void (await client.get(configMaps, key)),
      {
        userAgent: 'tester/1',
        impersonate: { user: 'jane', groups: ['devs', 'ops'], uid: '7', extra: { 'a/B%': ['x', 'y'] } },
      },
    )
    expect(requests[0]?.headers).toMatchObject({
      'user-agent': 'tester/1',
      'impersonate-user': 'jane',
      'impersonate-group': 'devs\nops',
      'impersonate-extra-a%2fb%25': 'x\ny',
      'impersonate-uid': '7',
      accept: 'application/json;drop=metadata.managedFields,application/json',
    })
  })

  it('acts as a user with a name beyond Latin by its UTF-8, never as one with a name alike', async () => {
    const { requests } = await answering(
      [{ body: object }],
      async ({ client }) => void (await client.get(configMaps, key)),
      { impersonate: { user: '\u0161dmin', groups: ['\u540d'], uid: '\u00e9' } },
    )
    const sent = (name: string): string => Buffer.from(`${requests[0]?.headers[name]}`, 'latin1').toString()
    expect(['user', 'group', 'uid'].map(of => sent(`impersonate-${of}`))).toEqual(['\u0161dmin', '\u540d', '\u00e9'])
  })

  it('takes the namespace of an object from the view if that has one, and writes none into the object', async () => {
    const view = configMaps.within({ namespaces: ['n'] })
    const { requests } = await answering([{ body: object }], async ({ client }) => {
      await client.create(view, { metadata: { name: 'a' } })
      await client.update(view, { metadata: { name: 'a' } })
      await expect(client.update(view, { metadata: { name: 'a', namespace: 'm' } })).rejects.toThrow(RangeError)
      await expect(client.get(view, { name: 'a', namespace: 'm' })).rejects.toThrow(RangeError)
    })
    expect(requests.map(({ body }) => JSON.parse(body).metadata)).toEqual([{ name: 'a' }, { name: 'a' }])
  })
})

describe('repeats', () => {
  const get = async ({ client }: Scripted): Promise<void> => {
    expect(await client.get(configMaps, key)).toEqual(object)
  }
  const busy = { status: 429, headers: { 'retry-after': '3' }, text: 'Too many requests' }

  it('a 429 that says when to come again, for reads and writes, no sooner than it says', async () => {
    const of = await answering([busy, busy, { body: object }], get)
    expect(of.requests).toHaveLength(3)
    expect(of.now()).toBeGreaterThanOrEqual(6000)
    const writing = await answering([busy, { body: object }], async ({ client }) => {
      await client.update(configMaps, { metadata: key })
    })
    expect(writing.requests).toHaveLength(2)
    const listing = await answering(
      [busy, { body: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [object] } }],
      async ({ client }) => {
        expect((await client.list(configMaps)).items).toHaveLength(1)
      },
    )
    expect(listing.requests).toHaveLength(2)
  })

  it('not a 429 that does not say when, nor the 429 of an eviction', async () => {
    const of = await answering([refusal(429, 'TooManyRequests')], async ({ client }) => {
      await expect(client.get(configMaps, key)).rejects.toSatisfy(isTooManyRequests)
    })
    expect(of.requests).toHaveLength(1)
    const evicting = await answering([busy], async ({ client }) => {
      await expect(client.evict(pods, key)).rejects.toMatchObject({ retryAfterMs: 3000 })
    })
    expect(evicting.requests).toHaveLength(1)
  })

  it('a 503 that says when to come again, for reads alone', async () => {
    const down = { status: 503, headers: { 'retry-after': '1' }, text: 'starting' }
    expect((await answering([down, { body: object }], get)).requests).toHaveLength(2)
    const writing = await answering([down, { body: object }], async ({ client }) => {
      await expect(client.update(configMaps, { metadata: key })).rejects.toSatisfy(isServiceUnavailable)
    })
    expect(writing.requests).toHaveLength(1)
  })

  it('X8: a read after its connection broke, with backoff; not a write', async () => {
    const of = await answering(['lost', 'lost', { body: object }], get)
    expect(of.requests).toHaveLength(3)
    expect(of.now()).toBeGreaterThanOrEqual(800 + 1600)
    const writing = await answering(['lost', { body: object }], async ({ client }) => {
      await expect(client.patch(configMaps, key, {})).rejects.toMatchObject({
        name: 'ConnectionError',
        message: expect.stringMatching(/^PATCH \/api\/v1\/namespaces\/n\/configmaps\/a: /),
        cause: expect.anything(),
      })
    })
    expect(writing.requests).toHaveLength(1)
  })

  it('X8: at most maxRetries times', async () => {
    const of = await answering(
      [busy],
      async ({ client }) => {
        await expect(client.get(configMaps, key, { timeoutMs: Number.POSITIVE_INFINITY })).rejects.toSatisfy(
          isTooManyRequests,
        )
      },
      { maxRetries: 2 },
    )
    expect(of.requests).toHaveLength(3)
    const never = await answering(
      [busy],
      async ({ client }) => {
        await expect(client.get(configMaps, key)).rejects.toSatisfy(isTooManyRequests)
      },
      { maxRetries: 0 },
    )
    expect(never.requests).toHaveLength(1)
  })

  it('X8: not past the call’s time: it rejects with the server’s answer instead, at once', async () => {
    const of = await answering([busy], async ({ client }) => {
      await expect(client.get(configMaps, key, { timeoutMs: 2000 })).rejects.toSatisfy(isTooManyRequests)
    })
    expect(of.now()).toBeLessThan(1000)
  })

  it('R16: a call waits five minutes at most for what a server asks for, and the error says what that was', async () => {
    const century = { ...busy, headers: { 'retry-after': '999999999' } }
    const timeoutMs = Number.POSITIVE_INFINITY
    const of = await answering([century, { body: object }], async ({ client }) => {
      expect(await client.get(configMaps, key, { timeoutMs })).toEqual(object)
    })
    expect(of.now()).toBeGreaterThanOrEqual(300_000)
    expect(of.now()).toBeLessThan(301_000)
    await answering([century], async ({ client }) => {
      await expect(client.get(configMaps, key)).rejects.toMatchObject({ retryAfterMs: 999_999_999_000 })
    })
  })

  it('X8: the signal and the closing of the client end the wait at once', async () => {
    await answering([{ ...busy, headers: { 'retry-after': '60' } }], async ({ client, now }) => {
      const controller = new AbortController()
      const aborted = client.get(configMaps, key, { signal: controller.signal, timeoutMs: Number.POSITIVE_INFINITY })
      const closed = client.get(configMaps, key, { timeoutMs: Number.POSITIVE_INFINITY })
      const both = Promise.allSettled([aborted, closed])
      await client.get(configMaps, key, { timeoutMs: 1000 }).catch(() => {})
      const reason = new Error('mine')
      controller.abort(reason)
      await client.close()
      const [first, second] = await both
      expect(first).toEqual({ status: 'rejected', reason })
      expect(second).toMatchObject({ reason: { code: 'CLIENT_CLOSED' } })
      expect(now()).toBeLessThan(1000)
      await expect(client.get(configMaps, key)).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    })
  })
})

describe('what bounds a call', () => {
  it('X8: timeoutMs, the client’s or the call’s, names the request', async () => {
    await answering(
      ['hang'],
      async ({ client, now }) => {
        await expect(client.get(configMaps, key)).rejects.toMatchObject({
          name: 'TimeoutError',
          code: 'TIMEOUT',
          timeoutMs: 5000,
          method: 'GET',
          path: '/api/v1/namespaces/n/configmaps/a',
          resource: 'v1/configmaps',
          key: 'n/a',
        })
        expect(now()).toBe(5000)
        await expect(client.create(configMaps, { metadata: key }, { timeoutMs: 100 })).rejects.toMatchObject({
          timeoutMs: 100,
        })
        await expect(client.list(configMaps, { timeoutMs: 100 })).rejects.toMatchObject({ timeoutMs: 100 })
        await expect(client.pages(configMaps, { timeoutMs: 100 }).next()).rejects.toMatchObject({ timeoutMs: 100 })
        await expect(client.watch(configMaps, { timeoutMs: 100 }).next()).rejects.toMatchObject({ timeoutMs: 100 })
        const end = await new Promise(resolve => {
          client.watchEach(configMaps, { event() {}, end: resolve }, { timeoutMs: 100 })
        })
        expect(end).toMatchObject({ how: 'broken', error: { timeoutMs: 100 } })
      },
      { timeoutMs: 5000 },
    )
  })

  it('X8: the signal’s reason is what the call rejects with, whatever it is', async () => {
    await answering(['hang'], async ({ client, requests }) => {
      const calls = [
        (signal: AbortSignal) => client.get(configMaps, key, { signal }),
        (signal: AbortSignal) => client.list(configMaps, { signal }),
        (signal: AbortSignal) => client.listEach(configMaps, () => {}, { signal }),
        (signal: AbortSignal) => client.pages(configMaps, { signal }).next(),
        (signal: AbortSignal) => client.watch(configMaps, { signal }).next(),
        (signal: AbortSignal) => client.delete(configMaps, key, { signal }),
        (signal: AbortSignal) => client.deleteCollection(configMaps.within({ namespaces: ['n'] }), { signal }),
        (signal: AbortSignal) => client.discover({ group: '', kind: 'Pod' }, { signal }),
      ]
      for (const call of calls) {
        const controller = new AbortController()
        const calling = call(controller.signal)
        calling.catch(() => {})
        await Promise.resolve()
        controller.abort('because')
        await expect(calling).rejects.toBe('because')
        const before = requests.length
        await expect(call(AbortSignal.abort('before'))).rejects.toBe('before')
        expect(requests.length).toBe(before)
      }
    })
  })

  it('X8: a watch by callbacks says nothing after its signal', async () => {
    await answering(['hang'], async ({ client, advance }) => {
      const controller = new AbortController()
      const reported: string[] = []
      const watch = client.watchEach(
        configMaps,
        { event: () => reported.push('event'), end: () => reported.push('end') },
        { signal: controller.signal, timeoutMs: 1000 },
      )
      controller.abort()
      watch.abort()
      await advance(2000)
      expect(reported).toEqual([])
    })
  })

  it('X9: a watch with an end() that throws when its time is over is reported to onError, and keeps no other from its end', async () => {
    await answering(['hang'], async ({ client, environment, advance }) => {
      const reported: string[] = []
      const error = new Error('a bad handler')
      const end = (): void => {
        reported.push('bad')
        throw error
      }
      client.watchEach(configMaps, { event() {}, end }, { timeoutMs: 1000 })
      client.watchEach(configMaps, { event() {}, end }, { timeoutMs: 1000 })
      client.watchEach(configMaps, { event() {}, end: ({ how }) => reported.push(how) }, { timeoutMs: 2000 })
      await advance(2000)
      expect(reported).toEqual(['bad', 'bad', 'broken'])
      const context = { resource: 'v1/configmaps', phase: 'handler' }
      expect(environment.errors).toEqual([
        { error, context },
        { error, context },
      ])
    })
  })

  it('X4: an answer longer than the bound is an error that names it', async () => {
    const long = { text: `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}` }
    await answering([long], async ({ client }) => {
      await expect(client.get(configMaps, key)).rejects.toMatchObject({
        code: 'BODY_TOO_LONG',
        maxBytes: 16 * 1024 * 1024,
        method: 'GET',
        path: '/api/v1/namespaces/n/configmaps/a',
        message: expect.stringContaining('GET /api/v1/namespaces/n/configmaps/a: '),
      })
    })
    await answering([{ ...long, status: 403 }], async ({ client }) => {
      const error = await client.get(configMaps, key).catch((error: unknown) => error)
      expect(isForbidden(error)).toBe(true)
      expect((error as Error).message).toContain('longer than 1048576 bytes')
    })
  })

  it('X4: no redirect is followed', async () => {
    const elsewhere = { status: 302, headers: { location: 'https://elsewhere.example/' }, text: 'Found' }
    const { requests } = await answering([elsewhere], async ({ client }) => {
      await expect(client.get(configMaps, key)).rejects.toMatchObject({ name: 'ApiError', status: 302 })
    })
    expect(requests).toHaveLength(1)
  })

  it.each(['', 'nonsense', '[', '"text"', '7', 'null', '[1]'])(
    'X9: an answer of %j is an error, not a crash',
    async text => {
      await answering([{ text }], async ({ client }) => {
        const about = { code: 'INVALID_BODY', method: 'GET' }
        const [one, all] = ['/api/v1/namespaces/n/configmaps/a', '/api/v1/configmaps']
        const get = client.get(configMaps, key, { resourceVersion: '0' })
        await expect(get).rejects.toMatchObject({
          ...about,
          path: one,
          message: expect.stringContaining(`GET ${one}: `),
        })
        const list = client.list(configMaps, { limit: 5 })
        await expect(list).rejects.toMatchObject({
          ...about,
          path: all,
          message: expect.stringContaining(`GET ${all}: `),
        })
      })
    },
  )

  it('X4: an item, a line or an encoding that can not be read is an error that names the request', async () => {
    const about = { method: 'GET', path: '/api/v1/configmaps' }
    const message = expect.stringMatching(/^GET \/api\/v1\/configmaps: (?!GET)/)
    const list = { ...object, kind: 'ConfigMapList', metadata: {}, items: [object] }
    await answering([{ text: `${JSON.stringify(list)}\n` }], async ({ client }) => {
      const error = { ...about, code: 'ITEM_TOO_LONG', maxBytes: 20, message }
      await expect(client.list(configMaps, { maxItemBytes: 20 })).rejects.toMatchObject(error)
      await expect(client.watch(configMaps, { maxLineBytes: 20 }).next()).rejects.toMatchObject({
        ...error,
        code: 'LINE_TOO_LONG',
      })
      await expect(client.watch(configMaps).next()).rejects.toMatchObject({ ...about, code: 'INVALID_BODY', message })
    })
    await answering([{ body: list, headers: { 'content-encoding': 'br' } }], async ({ client }) => {
      await expect(client.list(configMaps)).rejects.toMatchObject({ ...about, code: 'INVALID_BODY', message })
    })
  })
})

describe('a 404', () => {
  const calls: [string, (of: Scripted) => Promise<unknown>][] = [
    ['get', ({ client }) => client.get(configMaps, key)],
    ['delete', ({ client }) => client.delete(configMaps, key)],
    ['scale', ({ client }) => client.scale.get(deployments, key)],
  ]
  const about = (details: object): ScriptedAnswer => refusal(404, 'NotFound', { details })

  it.each(calls)('D7: that names the object, or its namespace, is its absence (%s)', async (_, call) => {
    for (const details of [
      { name: 'a', kind: 'configmaps' },
      { name: 'n', kind: 'namespaces' },
    ]) {
      await answering([about(details)], async of => expect(await call(of)).toBeUndefined())
    }
  })

  it.each(calls)('D7: that says anything else is an error (%s)', async (_, call) => {
    const html = { status: 404, headers: { 'content-type': 'text/html' }, text: '<html>404</html>' }
    const long = { status: 404, text: 'x'.repeat(1_100_000) }
    for (const answer of [html, long, about({}), about({ name: 'b', kind: 'configmaps' }), refusal(404, '')]) {
      await answering([answer], of => expect(call(of)).rejects.toMatchObject({ status: 404, key: 'n/a' }))
    }
  })
})

it('the metadata of an object that was read names it', async () => {
  const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '5', labels: {} }
  await answering([{ body: { kind: 'ConfigMap', metadata } }], async ({ client, requests }) => {
    expect(await client.get(configMaps, metadata)).toMatchObject({ metadata })
    expect(lines(requests)).toEqual(['GET /api/v1/namespaces/n/configmaps/a'])
  })
})

describe('an answer of another kind', () => {
  const status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' }
  const others = [{}, status, { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [] }, { kind: 'Secret' }]

  it.each<[string, (of: Scripted) => Promise<unknown>]>([
    ['get', ({ client }) => client.get(configMaps, key)],
    ['metadata get', ({ client }) => client.get(configMaps.metadata(), key)],
    ['create', ({ client }) => client.create(configMaps, { metadata: key })],
    ['update', ({ client }) => client.update(configMaps, { metadata: key })],
    ['patch', ({ client }) => client.patch(configMaps, key, {})],
    ['apply', ({ client }) => client.apply(configMaps, { metadata: key })],
    ['scale', ({ client }) => client.scale.get(configMaps, key)],
  ])('X9: is not taken for the object: %s', async (_, call) => {
    for (const body of others) {
      await answering([{ body }], async of => {
        await expect(call(of)).rejects.toMatchObject({
          code: 'INVALID_OBJECT',
          message: expect.stringContaining('the answer is no'),
        })
      })
    }
  })

  it.each<[string, (of: Scripted) => Promise<unknown>]>([
    ['get', ({ client }) => client.get(configMaps, key)],
    ['update', ({ client }) => client.update(configMaps, { metadata: key })],
    ['patch', ({ client }) => client.patch(configMaps, key, {})],
    ['apply', ({ client }) => client.apply(configMaps, { metadata: key })],
    ['delete', ({ client }) => client.delete(configMaps, key)],
  ])('X9: an object of another name is not taken for the one that was asked for: %s', async (_, call) => {
    for (const metadata of [{ ...key, name: 'other' }, { ...key, namespace: 'other' }, {}]) {
      await answering([{ body: { kind: 'ConfigMap', metadata } }], async of => {
        await expect(call(of)).rejects.toMatchObject({
          code: 'INVALID_OBJECT',
          message: expect.stringContaining('the answer is not n/a'),
        })
      })
    }
  })

  it('X9: is not taken for what a delete left, nor for a list where a get is one', async () => {
    for (const body of [{ kind: 'ConfigMapList', items: [] }, { ...status, status: 'Failure' }, { kind: 'Status' }]) {
      await answering([{ body }], async ({ client }) => {
        await expect(client.delete(configMaps, key)).rejects.toMatchObject({ code: 'INVALID_OBJECT' })
      })
    }
    const running = pods.within({ fields: { 'status.phase': 'Running' } })
    const podList = { kind: 'PodList', apiVersion: 'v1' }
    for (const body of [status, { kind: 'Pod' }, { kind: 'PodList', items: [] }, podList, { ...podList, items: {} }]) {
      await answering([{ body }], async ({ client }) => {
        await expect(client.get(running, key)).rejects.toMatchObject({ code: 'INVALID_BODY' })
      })
    }
  })

  it('X9: is not taken for what the delete of a collection has deleted; a word that it is done is', async () => {
    const view = configMaps.within({ namespaces: ['ns'] })
    const failure = { ...status, status: 'Failure' }
    for (const body of [{}, failure, { kind: 'ConfigMap' }, { kind: 'ConfigMapList', items: {} }]) {
      await answering([{ body }], async ({ client }) => {
        await expect(client.deleteCollection(view)).rejects.toMatchObject({ code: 'INVALID_BODY' })
      })
    }
    for (const body of [status, { kind: 'ConfigMapList', apiVersion: 'v1', items: null }]) {
      await answering([{ body }], async ({ client }) => expect(await client.deleteCollection(view)).toEqual([]))
    }
  })

  it('is what a binding’s create is answered with: it gives what was sent', async () => {
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: key, target: { kind: 'Node', name: 'n1' } }
    await answering([{ status: 201, body: status }], async ({ client }) => {
      expect(await client.create(bindings, binding as never)).toEqual(binding)
    })
  })
})

describe('X6: what makes no sense', () => {
  it('X6: a view that was made of another by spreading it is one, for a request', async () => {
    const spread = { ...configMaps.within({ namespaces: ['n'] }) } as unknown as typeof configMaps
    const { requests } = await answering([{ body: object }, { body: object }, { body: object }], async ({ client }) => {
      await client.get(spread, key)
      await client.update(spread, object)
      await client.apply(spread, object)
    })
    expect(requests).toHaveLength(3)
  })

  it.each([
    ['configmaps', 'a string'],
    [undefined, 'undefined'],
    [{ ...configMaps.resource, verbs: ['get'] }, 'a description of a resource: pass it to defineResource'],
  ])('X6: a view that is none is named, whatever is asked of it (%s)', async (given, got) => {
    const { requests } = await answering([], async ({ client }) => {
      const view = given as never
      const handlers = { event() {}, end() {} }
      const calls: readonly (() => unknown)[] = [
        () => client.get(view, key),
        () => client.list(view),
        () => client.listEach(view, () => {}),
        () => client.pages(view).next(),
        () => client.watchEach(view, handlers),
        () => client.create(view, object),
        () => client.update(view, object),
        () => client.patch(view, key, {}),
        () => client.delete(view, key),
        () => client.deleteCollection(view),
      ]
      for (const call of calls) {
        const thrown = await (async () => call())().catch((error: unknown) => error)
        expect(String(thrown)).toContain(`view takes a resource or a view of one, got ${got}`)
      }
    })
    expect(requests).toEqual([])
  })

  it('X6: is refused before any request', async () => {
    const { requests } = await answering([{ body: object }], async ({ client }) => {
      const wrong = { code: 'INVALID_OPTION' }
      await expect(client.get(configMaps, key, { timeoutMs: Number.NaN })).rejects.toMatchObject({
        ...wrong,
        option: 'get.timeoutMs',
      })
      await expect(client.get(configMaps, key, { retries: 3 } as object)).rejects.toMatchObject(wrong)
      await expect(client.get(null as never, key)).rejects.toMatchObject(wrong)
      await expect(client.get(configMaps, null as never)).rejects.toMatchObject(wrong)
      await expect(client.list(configMaps, { limit: 0 })).rejects.toMatchObject(wrong)
      await expect(client.list(configMaps, { continue: 'x' })).rejects.toMatchObject(wrong)
      await expect(client.list(configMaps, { continue: 'x', limit: 1, resourceVersion: '5' })).rejects.toMatchObject({
        ...wrong,
        option: 'list.continue',
      })
      await expect(client.list(configMaps, { exactly: true })).rejects.toMatchObject(wrong)
      await expect(client.list(configMaps, { exactly: true, resourceVersion: '0' })).rejects.toMatchObject(wrong)
      await expect(client.pages(configMaps, { exactly: true }).next()).rejects.toMatchObject(wrong)
      expect(() => client.pages(configMaps, { limit: -1 })).toThrow(expect.objectContaining(wrong))
      expect(() => client.watch(configMaps, { timeoutSeconds: 0 })).toThrow(expect.objectContaining(wrong))
      expect(() => client.watch(configMaps, { initialEvents: false })).toThrow(expect.objectContaining(wrong))
      expect(() => client.watch(configMaps.within({ namespaces: ['a', 'b'] }))).toThrow(expect.objectContaining(wrong))
      expect(() => client.watchEach(configMaps, {} as never)).toThrow(expect.objectContaining(wrong))
      for (const handler of ['bookmark', 'opened', 'draining']) {
        const on = { event() {}, end() {}, [handler]: true } as never
        const option = `watch.handlers.${handler}`
        expect(() => client.watchEach(configMaps, on)).toThrow(expect.objectContaining({ ...wrong, option }))
      }
      await expect(client.listEach(configMaps, 1 as never)).rejects.toMatchObject(wrong)
      await expect(client.create(configMaps, null as never)).rejects.toMatchObject(wrong)
      await expect(client.create(configMaps, { metadata: { namespace: 'n' } })).rejects.toMatchObject(wrong)
      await expect(client.create(configMaps, object, { fieldValidation: 'strict' as never })).rejects.toMatchObject(
        wrong,
      )
      await expect(client.patch(configMaps, key, 'x' as never)).rejects.toMatchObject(wrong)
      await expect(client.patch(configMaps, key, [], { type: 'merge' })).rejects.toMatchObject(wrong)
      await expect(client.patch(configMaps, key, {}, { type: 'json' })).rejects.toMatchObject(wrong)
      await expect(client.delete(configMaps, key, { preconditions: { uuid: 'u' } as object })).rejects.toMatchObject(
        wrong,
      )
      await expect(client.delete(configMaps, key, { preconditions: { uid: '' } })).rejects.toMatchObject(wrong)
      await expect(client.delete(configMaps, key, { propagationPolicy: 'foreground' as never })).rejects.toMatchObject(
        wrong,
      )
      await expect(client.deleteCollection(configMaps)).rejects.toMatchObject(wrong)
      await expect(client.discover({ group: '' })).rejects.toMatchObject(wrong)
      await expect(client.discover({ kind: 'Pod' } as never)).rejects.toMatchObject(wrong)
      await expect(client.scale.get(configMaps, key, { timeoutMs: -1 })).rejects.toMatchObject(wrong)
    })
    expect(requests).toEqual([])
  })
})

describe('warnings', () => {
  it('X12: reach onWarning, each once for a resource', async () => {
    const warning = [
      '299 - "unknown field \\"a\\""',
      '299 kube "b, c" "Wed, 21 Oct 2026 07:28:00 GMT", 299 - "d"',
      '199 - "no"',
    ]
    const { environment } = await answering([{ body: object, headers: { warning } }], async ({ client }) => {
      for (let i = 0; i < 3; i++) await client.update(configMaps, { metadata: key })
      await client.get(pods, key).catch(() => {})
      await client.list(configMaps).catch(() => {})
    })
    const reported = environment.warnings.map(({ message, context }) => `${context?.resource}: ${message}`)
    expect(reported).toEqual([
      'v1/configmaps: unknown field "a"',
      'v1/configmaps: b, c',
      'v1/configmaps: d',
      'v1/pods: unknown field "a"',
      'v1/pods: b, c',
      'v1/pods: d',
    ])
  })

  it.each([
    ['299 - "a"', ['a']],
    ['299 - "a" , 299 - "b"', ['a', 'b']],
    ['299 - ""', ['']],
    // UTF-8, a character for each byte, as Node.js reads headers; other bytes, and a text that a transport has decoded.
    ['299 - "gr\xc3\xbc\xc3\x9fe"', ['gr\u00fc\u00dfe']],
    ['299 - "gr\xfc\xdfe"', ['gr\u00fc\u00dfe']],
    ['299 - "\u2192"', ['\u2192']],
    ['nonsense', []],
    ['299 - "open', []],
    ['299 - "a", nonsense', ['a']],
    ['', []],
  ])('reads %j', (header, texts) => {
    expect(parseWarnings(header)).toEqual(texts)
  })
})

describe('X3: secrets', () => {
  it('X3: neither token nor a Secret’s data is in an error, its cause, a metric or a warning', async () => {
    const token = 'tok-7f3a'
    const value = 'c2VjcmV0LWRhdGE='
    const answers: ScriptedAnswer[] = [
      refusal(422, 'Invalid', {
        message: `data[x]: Invalid value: "${value}": no`,
        details: { causes: [{ message: `Invalid value: "${value}"` }] },
      }),
      { text: `{"data":{"x":"${value}"` },
      'lost',
    ]
    const received: unknown[] = []
    const report = (...parts: unknown[]): void => void received.push(parts)
    const errors: unknown[] = []
    const of = scripted((_, nth) => answers[(nth - 1) % answers.length] as ScriptedAnswer, {
      token,
      maxRetries: 0,
      environment: {
        onError: report,
        onWarning: report,
        log: report,
        metrics: { count: report, gauge: report, observe: report },
      },
    } as Parameters<typeof scripted>[1])
    await of.run(async () => {
      for (let i = 0; i < 3; i++) {
        const sent = { metadata: key, data: { x: value } }
        errors.push(await of.client.update(secrets, sent).catch((error: unknown) => error))
      }
      await of.client.close()
    })
    expect(errors.map(error => (error as Error).name)).toEqual(['ApiError', 'InvalidBodyError', 'ConnectionError'])
    expect(of.requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
    const { inspect } = await import('node:util')
    const all = inspect([errors, received], { depth: 20, showHidden: true }) + JSON.stringify([errors, received])
    expect(all).not.toContain(token)
    expect(all).not.toContain(value)
  })
})

describe('X11, X5: data stays data', () => {
  interface Big {
    metadata?: { name?: string; namespace?: string }
    spec?: { big?: number; float?: number; more?: number[] }
  }
  const bigs = defineResource<Big>({ group: 'x.io', version: 'v1', kind: 'Big', plural: 'bigs', namespaced: true })
  const text =
    '{"apiVersion":"x.io/v1","kind":"Big","metadata":{"name":"a","namespace":"n"},"spec":{"big":9007199254740993,"float":1.5,"more":[-9223372036854775808,7]}}'

  it('X11: an exact view reads integers as bigint and writes them back digit for digit', async () => {
    const { requests } = await answering([{ text }], async ({ client }) => {
      const read = await client.get(bigs.exact(), key)
      expect(read?.spec).toEqual({ big: 9007199254740993n, float: 1.5, more: [-9223372036854775808n, 7] })
      if (read !== undefined) await client.update(bigs.exact(), read)
    })
    expect(requests[1]?.body).toBe(text)
  })

  it('X11: a rounded integer is not sent: the error names its path', async () => {
    const { requests } = await answering([{ text }], async ({ client }) => {
      const read = (await client.get(bigs, key)) as Big
      const refused = { code: 'INEXACT_NUMBER', path: 'spec.big' }
      await expect(client.update(bigs, read)).rejects.toMatchObject(refused)
      await expect(client.create(bigs, read)).rejects.toMatchObject(refused)
      await expect(client.apply(bigs, read)).rejects.toMatchObject(refused)
      await expect(client.status.update(bigs, read)).rejects.toMatchObject(refused)
      await expect(client.patch(bigs, key, { spec: { big: 2 ** 53 } })).rejects.toMatchObject(refused)
      const patch = [{ op: 'add', path: '/x', value: [2 ** 60] }] as const
      await expect(client.patch(bigs, key, patch)).rejects.toMatchObject({
        code: 'INEXACT_NUMBER',
        path: '[0].value[0]',
      })
      await client.patch(bigs, key, { spec: { big: 2n ** 60n } })
    })
    expect(lines(requests).map(line => line.split(' ')[0])).toEqual(['GET', 'PATCH'])
    expect(requests[1]?.body).toBe('{"spec":{"big":1152921504606846976}}')
  })

  it('X11: so it is for integers of any size, and those that are written with an exponent', async () => {
    const written =
      '{"apiVersion":"x.io/v1","kind":"Big","metadata":{"name":"a","namespace":"n"},"spec":{"big":1e21,"float":1e-7,"more":[123456789012345678901234567890]}}'
    const { requests } = await answering([{ text: written }], async ({ client }) => {
      const read = await client.get(bigs.exact(), key)
      expect(read?.spec).toEqual({ big: 10n ** 21n, float: 1e-7, more: [123456789012345678901234567890n] })
      if (read !== undefined) await client.update(bigs.exact(), read)
      const rounded = (await client.get(bigs, key)) as Big
      await expect(client.update(bigs, rounded)).rejects.toMatchObject({ code: 'INEXACT_NUMBER', path: 'spec.big' })
      const more = client.patch(bigs, key, { spec: { more: rounded.spec?.more } })
      await expect(more).rejects.toMatchObject({ code: 'INEXACT_NUMBER', path: 'spec.more[0]' })
    })
    expect(requests[1]?.body).toBe(written.replace('1e21', `${10n ** 21n}`))
    await answering([{ text: text.replace('9007199254740993', '1e9999') }], async ({ client }) => {
      const read = client.get(bigs.exact(), key)
      await expect(read).rejects.toMatchObject({ code: 'INEXACT_NUMBER', path: 'spec.big' })
    })
  })

  it('X11: a write sends what its caller set, and the kind that its endpoint has', async () => {
    const { requests } = await answering([{ text }], async ({ client }) => {
      await client.update(bigs, { metadata: { name: 'a', namespace: 'n' } })
    })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      apiVersion: 'x.io/v1',
      kind: 'Big',
      metadata: { name: 'a', namespace: 'n' },
    })
  })

  it('X5: keys such as __proto__ and constructor come and go as data', async () => {
    const odd =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n","labels":{"constructor":"c"}},"data":{"__proto__":"p","constructor":"c","toString":"t"}}'
    const { requests } = await answering([{ text: odd }], async ({ client }) => {
      const read = await client.get(configMaps, key)
      expect(Object.entries(read?.data ?? {})).toEqual([
        ['__proto__', 'p'],
        ['constructor', 'c'],
        ['toString', 't'],
      ])
      if (read !== undefined) await client.update(configMaps, read)
      await client.patch(configMaps, key, JSON.parse('{"data":{"__proto__":null}}') as object)
    })
    expect(requests[1]?.body).toBe(odd)
    expect(requests[2]?.body).toBe('{"data":{"__proto__":null}}')
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('p')
  })

  it('X5: so they do through the API server', async () => {
    const bench = await inMemory()
    await bench.run(async () => {
      const data = JSON.parse('{"__proto__":"p","constructor":"c"}') as Record<string, string>
      await bench.client.create(configMaps, { metadata: { name: 'a', namespace: 'default' }, data })
      const { items } = await bench.client.list(configMaps)
      expect(Object.entries(items[0]?.data ?? {})).toEqual([
        ['__proto__', 'p'],
        ['constructor', 'c'],
      ])
    })
    await bench.close()
  })
})

describe('X12: a create that gets no answer', () => {
  const sent = { metadata: { name: 'a', namespace: 'default' }, data: { k: 'v' } }

  it('X12: is read again, and taken for ours if it is what was sent', async () => {
    const bench = await inMemory()
    await bench.run(async () => {
      await bench.server.faults.add({ match: { verb: 'create' }, nth: 1, effect: { kind: 'drop', after: true } })
      const created = await bench.client.create(configMaps, sent)
      expect(created).toEqual(await bench.client.get(configMaps, sent.metadata))
      const { byVerb } = await bench.server.stats()
      expect(byVerb.create?.configmaps?.requests).toBe(1)
    })
    await bench.close()
  })

  it('X12: is sent again if nothing is there', async () => {
    const bench = await inMemory()
    await bench.run(async () => {
      await bench.server.faults.add({ match: { verb: 'create' }, nth: 1, effect: { kind: 'drop' } })
      expect((await bench.client.create(configMaps, sent)).data).toEqual({ k: 'v' })
      const { byVerb } = await bench.server.stats()
      expect([byVerb.create?.configmaps?.requests, byVerb.get?.configmaps?.requests]).toEqual([2, 1])
    })
    await bench.close()
  })

  it('X12: is not sent again for ever where each answer is lost and nothing is there', async () => {
    const missing = refusal(404, 'NotFound', { details: { name: 'a', kind: 'configmaps' } })
    const of = scripted(({ method }) => (method === 'POST' ? 'lost' : missing))
    await of.run(async () => {
      const created = of.client.create(configMaps, sent, { timeoutMs: Number.POSITIVE_INFINITY })
      await expect(created).rejects.toMatchObject({ code: 'CONNECTION_LOST', unprocessed: false })
      await of.client.close()
    })
    expect(of.requests.map(({ method }) => method)).toEqual(Array.from({ length: 6 }, () => ['POST', 'GET']).flat())
  })

  it('X5, X12: is found where the server dropped empty fields that are named as those of every object', async () => {
    const games = defineResource<{ metadata: object; spec: object }>({
      group: 'x.io',
      version: 'v1',
      kind: 'Game',
      plural: 'games',
      namespaced: true,
    })
    const there = { apiVersion: 'x.io/v1', kind: 'Game', metadata: { ...sent.metadata, uid: 'ours' }, spec: { a: 1 } }
    const spec = { a: 1, constructor: {}, toString: null, valueOf: [] }
    const { requests } = await answering(['lost', { body: there }], async ({ client }) => {
      expect(await client.create(games, { metadata: sent.metadata, spec })).toEqual(there)
    })
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it.each<[string, object]>([
    ['has other content', { data: { k: 'other' } }],
    [
      'is older than the call',
      { metadata: { ...sent.metadata, uid: 'old', creationTimestamp: '2025-01-01T00:00:00Z' } },
    ],
    ['is being deleted', { metadata: { ...sent.metadata, uid: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ])('X12: is AlreadyExists, with the uid of the existing object, if that %s', async (_, other) => {
    const there = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...sent,
      metadata: { ...sent.metadata, uid: 'other', creationTimestamp: '2026-01-01T00:00:00Z' },
      ...other,
    }
    await answering(['lost', { body: there }], async ({ client }) => {
      await expect(client.create(configMaps, sent)).rejects.toMatchObject({
        status: 409,
        reason: 'AlreadyExists',
        method: 'POST',
        key: 'default/a',
        details: { uid: there.metadata.uid },
      })
    })
  })

  it('X12: is found after a second create met it', async () => {
    const missing = refusal(404, 'NotFound', { details: { name: 'a', kind: 'configmaps' } })
    const there = { ...sent, apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...sent.metadata, uid: 'ours' } }
    const { requests } = await answering(
      ['lost', missing, refusal(409, 'AlreadyExists'), { body: there }],
      async ({ client }) => {
        expect((await client.create(configMaps, sent)).metadata?.uid).toBe('ours')
      },
    )
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET'])
  })

  it('X12: is the error if it can not be read again: nothing says that it was not processed', async () => {
    await answering(['lost'], async ({ client }) => {
      await expect(client.create(configMaps, sent)).rejects.toMatchObject({
        message: expect.stringMatching(/^POST /),
        unprocessed: false,
      })
    })
    const simulation = simulate(1)
    const transport = new ScriptedTransport(() => simulation.clock.monotonic())
    const client = new Client({ url: 'https://server.test', transport, environment: simulation.environment })
    const error = client.create(configMaps, sent).catch((cause: unknown) => cause)
    await simulation.settle()
    transport.refusal = new Error('refused')
    transport.connections[0]?.die()
    await simulation.advance(60_000)
    expect(await error).toMatchObject({ code: 'CONNECTION_LOST', unprocessed: false })
    await client.close()
  })

  it('of a review needs no name, and of anything else does', () =>
    answering(
      [{ status: 201, body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} } }],
      async ({ client }) => {
        expect(await client.create(tokenReviews, { spec: { token: 't' } })).toMatchObject({ kind: 'TokenReview' })
        await expect(client.create(configMaps, { metadata: { namespace: 'n' } })).rejects.toMatchObject({
          option: 'object',
        })
      },
    ).then(({ requests }) => {
      expect(lines(requests)).toEqual(['POST /apis/authentication.k8s.io/v1/tokenreviews?fieldManager=wherry'])
    }))

  it('X12: with generateName is not repeated: nothing shows what was created', async () => {
    const { requests } = await answering(['lost', { body: object }], async ({ client }) => {
      const generated = { metadata: { generateName: 'a-', namespace: 'n' } }
      await expect(client.create(configMaps, generated)).rejects.toMatchObject({ name: 'ConnectionError' })
    })
    expect(requests).toHaveLength(1)
  })

  it('X12: with generateName, a 409 is asked again, with backoff and not for ever', async () => {
    const generated = { metadata: { generateName: 'a-', namespace: 'n' } }
    const taken = refusal(409, 'AlreadyExists')
    const of = await answering([taken, taken, { body: object }], async ({ client }) => {
      expect(await client.create(configMaps, generated)).toEqual(object)
    })
    expect(of.requests).toHaveLength(3)
    expect(of.now()).toBeGreaterThanOrEqual(2400)
    const never = await answering([taken], async ({ client }) => {
      await expect(client.create(configMaps, generated, { timeoutMs: Number.POSITIVE_INFINITY })).rejects.toMatchObject(
        {
          reason: 'AlreadyExists',
        },
      )
    })
    expect(never.requests).toHaveLength(6)
  })

  it('X12: a Secret’s stringData is found as data', async () => {
    const there = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, uid: 'u' },
      data: { p: Buffer.from('word').toString('base64'), q: 'cQ==' },
    }
    await answering(['lost', { body: there }], async ({ client }) => {
      const secret = { metadata: key, stringData: { p: 'word' }, data: { q: 'cQ==' } }
      expect((await client.create(secrets, secret)).metadata?.uid).toBe('u')
    })
    await answering(['lost', { body: there }], async ({ client }) => {
      const secret = { metadata: key, stringData: { p: 'other' } }
      await expect(client.create(secrets, secret)).rejects.toMatchObject({ reason: 'AlreadyExists' })
    })
  })
})

it('X9: a list that breaks off after items were delivered is an error, not a list delivered twice', async () => {
  const bench = await inMemory()
  await bench.run(async () => {
    const objects = Array.from({ length: 50 }, (_, i) => ({ ...object, metadata: { name: `c${i}`, namespace: 'n' } }))
    await bench.server.fill(objects)
    await bench.server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'break', afterBytes: 1500 } })
    const reported: string[] = []
    const reporting = bench.client.listEach(configMaps, ({ metadata }) => reported.push(`${metadata?.name}`))
    await expect(reporting).rejects.toMatchObject({ name: 'ConnectionError' })
    expect(reported.length).toBeGreaterThan(0)
    await bench.server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'break', afterBytes: 1500 } })
    expect((await bench.client.list(configMaps)).items).toHaveLength(50)
    await bench.server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'expired' } })
    await expect(bench.client.list(configMaps)).rejects.toSatisfy(isExpired)
  })
  await bench.close()
})
