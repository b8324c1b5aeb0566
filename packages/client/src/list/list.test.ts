import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FakeServer, HandClock } from '../bytes/requester.fixture.ts'
import { defineResource } from '../views/resource.ts'
import { type ItemsOptions, readItems } from './items.ts'
import { type ListState, listQuery } from './query.ts'
import { targetsOf } from './target.ts'

const configMaps = defineResource<object>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})
const [target] = targetsOf(configMaps.within({ namespaces: ['v1'] })) as [ReturnType<typeof targetsOf>[0]]

function setup() {
  const server = new FakeServer()
  const clock = new HandClock()
  return { server, clock, context: { requester: server, environment: { clock } } as const }
}

function body(names: string[], metadata: object = { resourceVersion: '7' }): object {
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: names.map(name => ({ metadata: { name } })) }
}

const nameOf = (object: object): unknown => (object as { metadata: { name: string } }).metadata.name

type Reader = Parameters<typeof readItems>[0]

function eachItem(context: Reader, of: typeof target, item: (object: object) => void, options: ItemsOptions = {}) {
  return readItems(context, of, '', item, options).then(({ metadata }) => metadata)
}

async function wholeList(context: Reader, of: typeof target, options: ItemsOptions & { state?: ListState } = {}) {
  const items: unknown[] = []
  const query = listQuery(of.selection, options.state ?? {})
  const { metadata } = await readItems(context, of, query, object => items.push(nameOf(object)), options)
  return { items, metadata }
}

describe('listing', () => {
  it('asks for plain JSON of a path, a selection and a state', async () => {
    const { server, context } = setup()
    const view = configMaps.within({ namespaces: ['b', 'a'], labels: { app: 'web' }, fields: { 'spec.x': 'y' } })
    const targets = targetsOf(view, 'shard')
    expect(targets.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/a/configmaps',
      '/api/v1/namespaces/b/configmaps',
    ])
    const list = wholeList(context, targets[0] as (typeof targets)[0], { state: { resourceVersion: '0' } })
    const accept = 'application/json;drop=metadata.managedFields,application/json'
    expect(server.last.head).toMatchObject({ method: 'GET', lane: 'call', headers: { accept } })
    expect(Object.fromEntries(server.last.query)).toEqual({
      labelSelector: 'app=web',
      fieldSelector: 'spec.x=y',
      shardSelector: 'shard',
      resourceVersion: '0',
    })
    server.last.answer(200, body(['a', 'b']))
    expect(await list).toEqual({ items: ['a', 'b'], metadata: { resourceVersion: '7' } })
  })

  it.each<[string, object]>([
    ['no kind', {}],
    ['a bare List', { kind: 'List', apiVersion: 'v1' }],
    ['a Status', { kind: 'Status', apiVersion: 'v1' }],
    ['a list of another resource', { kind: 'SecretList', apiVersion: 'v1' }],
    ['a list of another group', { kind: 'ConfigMapList', apiVersion: 'other.example.com/v1' }],
    ['no apiVersion', { kind: 'ConfigMapList' }],
    ['a metadata list that was not asked for', { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' }],
  ])('X14: an answer with items that is not the list asked for is no list: %s', async (_, type) => {
    for (const items of [[], [{ metadata: { name: 'a' } }]]) {
      for (const fields of [
        { ...type, metadata: { resourceVersion: '100000' }, items },
        { items, metadata: { resourceVersion: '100000' }, ...type },
      ]) {
        const { server, context } = setup()
        const list = wholeList(context, target)
        server.last.answer(200, fields)
        await expect(list).rejects.toMatchObject({
          code: 'INVALID_BODY',
          message: expect.stringMatching(/not the ConfigMapList of v1 that was asked for/),
        })
      }
    }
  })

  it('X14: a list of a kind that the definition names is the list asked for if the resource names it too', async () => {
    const games = { group: 'x.io', version: 'v1', kind: 'Game', plural: 'games', namespaced: true } as const
    const collection = { kind: 'GameCollection', apiVersion: 'x.io/v1', metadata: { resourceVersion: '7' }, items: [] }
    for (const listKind of [undefined, 'GameCollection']) {
      const [named] = targetsOf(defineResource<object>({ ...games, listKind })) as [typeof target]
      const { server, context } = setup()
      const list = wholeList(context, named)
      server.last.answer(200, collection)
      if (listKind === undefined) await expect(list).rejects.toThrow('not the GameList of x.io/v1')
      else expect(await list).toEqual({ items: [], metadata: { resourceVersion: '7' } })
    }
  })

  it('X14: an error about another list repeats nothing that is no name of a type', async () => {
    const { server, context } = setup()
    const list = wholeList(context, target)
    server.last.answer(200, { kind: 'a secret: c2VjcmV0', apiVersion: 'v1', metadata: {}, items: [] })
    await expect(list).rejects.toThrow('the answer is of an unreadable kind, not the ConfigMapList of v1')
  })

  it('asks for the metadata form of a metadata view', async () => {
    const { server, context } = setup()
    const [metadata] = targetsOf(configMaps.metadata()) as [typeof target]
    const items: object[] = []
    const list = eachItem(context, metadata, object => items.push(object))
    expect(server.last.head.headers.accept).toContain('as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')
    server.last.answer(200, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      items: [{ metadata: { name: 'a' } }],
    })
    await list
    expect(items).toEqual([{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }])
  })

  it('R2: a resourceVersion with a limit never means the old state, unless exactly that is wanted', () => {
    expect(listQuery({}, { resourceVersion: '5' })).toBe('?resourceVersion=5')
    expect(listQuery({}, { resourceVersion: '5' }, 2)).toBe(
      '?limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan',
    )
    expect(listQuery({}, { resourceVersion: '5', exactly: true }, 2)).toBe(
      '?limit=2&resourceVersion=5&resourceVersionMatch=Exact',
    )
    expect(listQuery({}, { resourceVersion: '0' }, 2)).toBe('?limit=2&resourceVersion=0')
    expect(listQuery({}, { resourceVersion: '' }, 2)).toBe('?limit=2')
  })

  it('R20: gives items the kind of the list, and leaves out one without a name', async () => {
    const { server, context } = setup()
    const items: object[] = []
    const skipped: string[] = []
    const list = eachItem(context, target, item => items.push(item), { skipped: error => skipped.push(error.message) })
    server.last.answer(200, {
      ...body(['a']),
      items: [{ metadata: { name: 'a' } }, { metadata: {} }, { metadata: { name: '' } }, {}],
    })
    await list
    expect(items).toEqual([{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } }])
    expect(skipped).toEqual(Array.from({ length: 3 }, () => 'v1/configmaps: an item of the list has no name'))
  })

  it('R20: leaves out an item of another kind, namespace or name than the list’s, or with no proper version', async () => {
    const { server, context } = setup()
    const [named] = targetsOf(configMaps.within({ namespaces: ['v1'], fields: { 'metadata.name': 'a' } })) as [
      typeof target,
    ]
    const skipped: string[] = []
    const items: unknown[] = []
    const list = eachItem(context, named, item => items.push(item), { skipped: error => skipped.push(error.message) })
    const a = { name: 'a', namespace: 'v1', resourceVersion: '3' }
    server.last.answer(200, {
      ...body([]),
      items: [
        { metadata: { ...a, namespace: 'other' } },
        { metadata: { ...a, name: 'b' } },
        { kind: 'Secret', apiVersion: 'v1', metadata: a },
        { kind: 'ConfigMap', apiVersion: 'v2', metadata: a },
        { apiVersion: 'v2', metadata: a },
        { metadata: { ...a, resourceVersion: null } },
        { metadata: { ...a, resourceVersion: 3 } },
        { metadata: { ...a, namespace: {} } },
        { metadata: { ...a, resourceVersion: '' } },
        { metadata: a },
      ],
    })
    await list
    expect(items).toEqual([{ kind: 'ConfigMap', apiVersion: 'v1', metadata: a }])
    expect(skipped.map(message => message.replace('v1/configmaps: an item of the list ', ''))).toEqual([
      'is of another namespace',
      'has another name',
      ...Array(3).fill('is of another kind'),
      ...Array(2).fill('has a resourceVersion that is no text'),
      'has a namespace that is no text',
      'has a resourceVersion that is no text',
    ])
  })

  it.each([
    ['in one piece', (text: string) => [text]],
    ['in two', (text: string) => [text.slice(0, 40), text.slice(40)]],
  ])('R3, R6: null is no token and no resourceVersion, and other values than text make no list: %s', async (_, cut) => {
    const { server, context } = setup()
    const read = (metadata: object): Promise<unknown> => {
      const list = wholeList(context, target)
      const request = server.last.answer(200)
      for (const piece of cut(JSON.stringify(body(['a'], metadata)))) request.send(piece)
      request.end()
      return list.then(({ metadata }) => metadata)
    }
    expect(await read({ resourceVersion: '7', continue: null })).toEqual({ resourceVersion: '7' })
    expect(await read({ resourceVersion: null, continue: 'x' })).toEqual({ continue: 'x' })
    for (const metadata of [{ resourceVersion: 7 }, { resourceVersion: {} }, { continue: 5 }, { continue: false }]) {
      await expect(read(metadata)).rejects.toMatchObject({ code: 'INVALID_BODY' })
    }
  })

  it('R7: gives each item as its bytes arrive, and gives the loop back between slices', async () => {
    const { server, context, clock } = setup()
    const items: unknown[] = []
    const list = eachItem(context, target, item => {
      items.push(nameOf(item))
      clock.time += 3
    })
    const text = JSON.stringify(body(['a', 'b', 'c', 'd', 'e']))
    const cut = text.indexOf('{"name":"e"}')
    server.last.answer().send(text.slice(0, cut))
    expect([items, server.last.paused]).toEqual([['a', 'b'], true])
    await clock.turnAll()
    expect([items, server.last.paused]).toEqual([['a', 'b', 'c', 'd'], true])
    await clock.turnAll()
    expect(server.last.paused).toBe(false)
    server.last.send(text.slice(cut)).end()
    expect(await list).toEqual({ resourceVersion: '7' })
    expect(items).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('R24: reads gzip where it was asked for', async () => {
    const { server, context } = setup()
    const plain = wholeList(context, target)
    expect(server.last.head.headers).not.toHaveProperty('accept-encoding')
    server.last.answer(200, body(['a']))
    await plain
    const list = wholeList(context, target, { gzip: true })
    expect(server.last.head.headers['accept-encoding']).toBe('gzip')
    server.last
      .answer(200, undefined, { 'content-encoding': 'gzip' })
      .send(gzipSync(JSON.stringify(body(['b']))))
      .end()
    expect((await list).items).toEqual(['b'])
  })

  it('is refused with the Status of the answer, gzip or not, whatever its form', async () => {
    for (const gzip of [false, true]) {
      const { server, context } = setup()
      const list = wholeList(context, target)
      const status = Buffer.from(
        JSON.stringify({ kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'later' }),
      )
      const headers = { 'retry-after': '2', ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
      server.last
        .answer(429, undefined, headers)
        .send(gzip ? gzipSync(status) : status)
        .end()
      await expect(list).rejects.toMatchObject({ status: 429, reason: 'TooManyRequests', retryAfterMs: 2000 })
    }
    const { server, context } = setup()
    const list = wholeList(context, target)
    server.last.answer(404, '404 page not found')
    await expect(list).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND', path: '/api/v1/namespaces/v1/configmaps' })
  })

  it('X4: reads no more of a refusal than its bound', async () => {
    const { server, context } = setup()
    const list = wholeList(context, target)
    server.last.answer(500).send('x'.repeat(700_000)).send('x'.repeat(700_000))
    await expect(list).rejects.toMatchObject({ status: 500, message: expect.stringContaining('longer than') })
    expect(server.last.aborted).toBe(true)
  })

  it.each([
    ['cut short', (text: string) => text.slice(0, -1)],
    ['no list', () => '{"kind":"Status"}'],
    ['no JSON list', () => '<html>'],
    ['compressed', (text: string) => text],
  ])('rejects a body that is %s', async (why, change) => {
    const { server, context } = setup()
    const list = wholeList(context, target)
    server.last
      .answer(200, undefined, why === 'compressed' ? { 'content-encoding': 'br' } : {})
      .send(change(JSON.stringify(body(['a', 'b']))))
      .end()
    await expect(list).rejects.toMatchObject({ code: 'INVALID_BODY', message: expect.stringContaining(why) })
  })

  it('rejects with the cause of a break, and with what a callback throws', async () => {
    const { server, context } = setup()
    const broken = wholeList(context, target)
    server.last.answer().send('{"items":[').break()
    await expect(broken).rejects.toThrow('reset')
    const thrown = eachItem(context, target, () => {
      throw new Error('mine')
    })
    server.last.answer(200, body(['a']))
    await expect(thrown).rejects.toThrow('mine')
    expect(server.last.aborted).toBe(true)
    const before = wholeList(context, target)
    server.last.break('refused')
    await expect(before).rejects.toThrow('refused')
  })

  it('rejects gzip that is none, and a break in the midst of it', async () => {
    const { server, context } = setup()
    const garbled = wholeList(context, target, { gzip: true })
    server.last.answer(200, undefined, { 'content-encoding': 'gzip' }).send('{"items":[]}')
    await expect(garbled).rejects.toMatchObject({ code: 'INVALID_BODY', message: expect.stringContaining('gzip') })
    expect(server.last.aborted).toBe(true)

    const broken = wholeList(context, target, { gzip: true })
    const bytes = gzipSync(JSON.stringify(body(['a'])))
    server.last.answer(200, undefined, { 'content-encoding': 'gzip' }).send(bytes.subarray(0, 30)).break()
    await expect(broken).rejects.toThrow('reset')
  })

  it('X4: does not follow a redirect, and takes no end for an answer', async () => {
    const { server, context } = setup()
    const moved = wholeList(context, target)
    server.last.answer(301, 'elsewhere', { location: 'https://elsewhere.test/' })
    await expect(moved).rejects.toMatchObject({ code: 'API_ERROR', status: 301 })
    expect(server.requests.length).toBe(1)
    const none = wholeList(context, target)
    server.last.end()
    await expect(none).rejects.toThrow(/GET .*configmaps: the answer ended before it began/)
  })

  it('X12: passes the headers of every answer to the receiver of warnings', async () => {
    const { server, context } = setup()
    const received: unknown[] = []
    const list = wholeList({ ...context, warnings: { receive: (...what) => received.push(what) } }, target)
    server.last.answer(200, body([]), { warning: '299 - "old"' })
    await list
    const path = '/api/v1/namespaces/v1/configmaps'
    const about = { resource: 'v1/configmaps', method: 'GET', path, sensitive: false }
    expect(received).toEqual([[{ warning: '299 - "old"' }, about]])
  })

  it('ends with its signal: before, on the way, and from within a callback', async () => {
    const { server, context } = setup()
    const none = readItems(context, target, '', () => {}, { signal: AbortSignal.abort(new Error('early')) })
    await expect(none).rejects.toThrow('early')
    expect(server.requests).toEqual([])

    const controller = new AbortController()
    const items: unknown[] = []
    const list = eachItem(
      context,
      target,
      item => {
        items.push(nameOf(item))
        controller.abort(new Error('enough'))
      },
      { signal: controller.signal },
    )
    server.last.answer(200, body(['a', 'b']))
    await expect(list).rejects.toThrow('enough')
    expect(items).toEqual(['a'])
    expect(server.last.aborted).toBe(true)
  })
})
