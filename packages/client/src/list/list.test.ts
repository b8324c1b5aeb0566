import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FakeServer, HandClock } from '../bytes/requester.fixture.ts'
import { isExpired } from '../errors/guards.ts'
import { defineResource } from '../views/resource.ts'
import { readItems } from './items.ts'
import { listPages, readPages } from './pages.ts'
import { listQuery } from './query.ts'
import { targetsOf } from './target.ts'
import { eachItem, wholeList } from './whole.ts'

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
  return { server, clock, context: { requester: server, environment: { clock }, gunzip: 'inline' } as const }
}

function body(names: string[], metadata: object = { resourceVersion: '7' }): object {
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: names.map(name => ({ metadata: { name } })) }
}

const expired = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'too old',
}
const nameOf = (object: object): unknown => (object as { metadata: { name: string } }).metadata.name

describe('listing', () => {
  it('asks for plain JSON of a path, a selection and a state', async () => {
    const { server, context } = setup()
    const view = configMaps.within({ namespaces: ['b', 'a'], labels: { app: 'web' }, fields: { 'metadata.name': 'x' } })
    const targets = targetsOf(view, 'shard')
    expect(targets.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/a/configmaps',
      '/api/v1/namespaces/b/configmaps',
    ])
    const list = wholeList(context, targets[0] as (typeof targets)[0], nameOf, { state: { resourceVersion: '0' } })
    expect(server.last.head).toMatchObject({ method: 'GET', lane: 'call', headers: { accept: 'application/json' } })
    expect(Object.fromEntries(server.last.query)).toEqual({
      labelSelector: 'app=web',
      fieldSelector: 'metadata.name=x',
      shardSelector: 'shard',
      resourceVersion: '0',
    })
    server.last.answer(200, body(['a', 'b']))
    expect(await list).toEqual({ items: ['a', 'b'], metadata: { resourceVersion: '7' } })
  })

  it('asks for the metadata form of a metadata view', async () => {
    const { server, context } = setup()
    const [metadata] = targetsOf(configMaps.metadata()) as [typeof target]
    const list = wholeList(context, metadata, object => object)
    expect(server.last.head.headers.accept).toContain('as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')
    server.last.answer(200, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      items: [{ metadata: { name: 'a' } }],
    })
    expect((await list).items).toEqual([
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
    ])
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

  it('R7: gives each item as its bytes arrive, and gives the loop back between slices', async () => {
    const { server, context, clock } = setup()
    const items: unknown[] = []
    const list = eachItem(context, target, item => {
      items.push(nameOf(item))
      clock.time += 5
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
    const plain = wholeList(context, target, nameOf)
    expect(server.last.head.headers).not.toHaveProperty('accept-encoding')
    server.last.answer(200, body(['a']))
    await plain
    const list = wholeList(context, target, nameOf, { gzip: true })
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
      const list = wholeList(context, target, nameOf)
      const status = Buffer.from(JSON.stringify({ ...expired, code: 429, reason: 'TooManyRequests' }))
      const headers = { 'retry-after': '2', ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
      server.last
        .answer(429, undefined, headers)
        .send(gzip ? gzipSync(status) : status)
        .end()
      await expect(list).rejects.toMatchObject({ status: 429, reason: 'TooManyRequests', retryAfterMs: 2000 })
    }
    const { server, context } = setup()
    const list = wholeList(context, target, nameOf)
    server.last.answer(404, '404 page not found')
    await expect(list).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND', path: '/api/v1/namespaces/v1/configmaps' })
  })

  it('X4: reads no more of a refusal than its bound', async () => {
    const { server, context } = setup()
    const list = wholeList(context, target, nameOf)
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
    const list = wholeList(context, target, nameOf)
    server.last
      .answer(200, undefined, why === 'compressed' ? { 'content-encoding': 'br' } : {})
      .send(change(JSON.stringify(body(['a', 'b']))))
      .end()
    await expect(list).rejects.toMatchObject({ code: 'INVALID_BODY', message: expect.stringContaining(why) })
  })

  it('rejects with the cause of a break, and with what a callback throws', async () => {
    const { server, context } = setup()
    const broken = wholeList(context, target, nameOf)
    server.last.answer().send('{"items":[').break()
    await expect(broken).rejects.toThrow('reset')
    const thrown = eachItem(context, target, () => {
      throw new Error('mine')
    })
    server.last.answer(200, body(['a']))
    await expect(thrown).rejects.toThrow('mine')
    expect(server.last.aborted).toBe(true)
    const before = wholeList(context, target, nameOf)
    server.last.break('refused')
    await expect(before).rejects.toThrow('refused')
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

describe('listing in pages', () => {
  const selected = targetsOf(
    configMaps.within({ namespaces: ['v1'], labels: { app: 'web' } }),
    'shard',
  )[0] as typeof target

  async function pagesOf(answers: [number, object][]) {
    const { server, context } = setup()
    const pages: unknown[] = []
    const done = (async () => {
      const options = { limit: 2, state: { resourceVersion: '5' } }
      for await (const page of listPages(context, selected, nameOf, options)) pages.push([page.items, page.restarted])
    })()
    for (const [i, [status, answer]] of answers.entries()) (await server.nth(i)).answer(status, answer)
    await done
    return { pages, queries: server.requests.map(({ query }) => Object.fromEntries(query)), server }
  }

  const shared = { labelSelector: 'app=web', shardSelector: 'shard' }

  it('R3: later pages send the token, the selectors and the limit, and no resourceVersion', async () => {
    const { pages, queries } = await pagesOf([
      [200, body(['a', 'b'], { resourceVersion: '7', continue: 'one', remainingItemCount: 3 })],
      [200, body(['c', 'd'], { resourceVersion: '7', continue: 'two' })],
      [200, body(['e'], { resourceVersion: '7', continue: '' })],
    ])
    expect(pages).toEqual([
      [['a', 'b'], false],
      [['c', 'd'], false],
      [['e'], false],
    ])
    expect(queries).toEqual([
      { ...shared, limit: '2', resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' },
      { ...shared, limit: '2', continue: 'one' },
      { ...shared, limit: '2', continue: 'two' },
    ])
  })

  it('R4: a token that expires means one full list at the resourceVersion first asked for', async () => {
    const { pages, queries } = await pagesOf([
      [200, body(['a', 'b'], { resourceVersion: '7', continue: 'one' })],
      [410, expired],
      [200, body(['a', 'c', 'd'], { resourceVersion: '9' })],
    ])
    expect(pages).toEqual([
      [['a', 'b'], false],
      [['a', 'c', 'd'], true],
    ])
    expect(queries[2]).toEqual({ ...shared, resourceVersion: '5' })
  })

  it('R4: an expired first page is an error, and so is an expired full list', async () => {
    const { server, context } = setup()
    const first = readPages(context, target, { item() {}, restart() {} })
    server.last.answer(410, expired)
    expect(await first.catch(isExpired)).toBe(true)
    await expect(
      pagesOf([
        [200, body(['a'], { continue: 'one' })],
        [410, expired],
        [410, expired],
      ]),
    ).rejects.toMatchObject({ reason: 'Expired' })
  })

  it('R4: tells by callback to drop what came, before the full list comes', async () => {
    const { server, context } = setup()
    const log: unknown[] = []
    const done = readPages(context, target, {
      item: item => log.push(nameOf(item)),
      restart: () => log.push('restart'),
    })
    server.last.answer(200, body(['a'], { resourceVersion: '7', continue: 'one' }))
    expect(server.requests[0]?.query.get('limit')).toBe('500')
    ;(await server.nth(1)).answer(410, expired)
    ;(await server.nth(2)).answer(200, body(['a', 'b'], { resourceVersion: '9' }))
    expect((await done).metadata.resourceVersion).toBe('9')
    expect(log).toEqual(['a', 'restart', 'a', 'b'])
  })
})
