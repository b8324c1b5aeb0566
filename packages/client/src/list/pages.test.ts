import { describe, expect, it } from 'vitest'
import { FakeServer, HandClock } from '../bytes/requester.fixture.ts'
import { configMaps } from '../bytes/server.fixture.ts'
import { systemEnvironment } from '../environment.ts'
import { Caller } from '../verbs/caller.ts'
import { pages } from '../verbs/list.ts'

const view = configMaps.within({ namespaces: ['v1'], labels: { app: 'web' }, fields: { 'spec.x': 'y' } })
const selectors = { labelSelector: 'app=web', fieldSelector: 'spec.x=y', shardSelector: 'shard' }
const expired = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'too old',
}

function body(names: string[], metadata: object): object {
  return { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: names.map(name => ({ metadata: { name } })) }
}

/** Reads all pages of a server that answers so, and gives what came and what was asked. */
async function read(answers: readonly [status: number, body: object][]) {
  const requester = new FakeServer()
  const caller = new Caller({
    requester,
    environment: systemEnvironment({ clock: new HandClock() }),
    timeoutMs: 1000,
    maxRetries: 0,
    fieldManager: 'test',
    gzip: false,
  })
  const seen: unknown[] = []
  const options = { limit: 2, resourceVersion: '5', shardSelector: 'shard' }
  const done = (async () => {
    for await (const { items, restarted } of pages(caller, view, options)) {
      seen.push([items.map(item => (item as { metadata: { name: string } }).metadata.name), restarted])
    }
  })()
  for (const [i, [status, answer]] of answers.entries()) (await requester.nth(i)).answer(status, answer)
  await done
  return { seen, queries: requester.requests.map(({ query }) => Object.fromEntries(query)) }
}

describe('listing in pages', () => {
  it('R2, R3: later pages send the token, the selectors and the limit, and no resourceVersion', async () => {
    const { seen, queries } = await read([
      [200, body(['a', 'b'], { resourceVersion: '7', continue: 'one', remainingItemCount: 3 })],
      [200, body(['c', 'd'], { resourceVersion: '7', continue: 'two' })],
      [200, body(['e'], { resourceVersion: '7', continue: '' })],
    ])
    expect(seen).toEqual([
      [['a', 'b'], false],
      [['c', 'd'], false],
      [['e'], false],
    ])
    expect(queries).toEqual([
      { ...selectors, limit: '2', resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' },
      { ...selectors, limit: '2', continue: 'one' },
      { ...selectors, limit: '2', continue: 'two' },
    ])
  })

  it('R4: a token that expires means one full list at the resourceVersion first asked for', async () => {
    const { seen, queries } = await read([
      [200, body(['a', 'b'], { resourceVersion: '7', continue: 'one' })],
      [410, expired],
      [200, body(['a', 'c', 'd'], { resourceVersion: '9' })],
    ])
    expect(seen).toEqual([
      [['a', 'b'], false],
      [['a', 'c', 'd'], true],
    ])
    expect(queries[2]).toEqual({ ...selectors, resourceVersion: '5' })
  })

  it('X14: a last page that says that more items remain is no end of the list', async () => {
    for (const more of [{}, { continue: '' }]) {
      const page = body(['a', 'b'], { resourceVersion: '7', remainingItemCount: 3, ...more })
      await expect(read([[200, page]])).rejects.toMatchObject({ code: 'INVALID_BODY' })
    }
  })

  it('R4: an expired first page is an error, and so is an expired full list', async () => {
    await expect(read([[410, expired]])).rejects.toMatchObject({ reason: 'Expired' })
    await expect(
      read([
        [200, body(['a'], { continue: 'one' })],
        [410, expired],
        [410, expired],
      ]),
    ).rejects.toMatchObject({ reason: 'Expired' })
  })

  it('R3: a page that lost its metadata is an error: objects on the pages after it are not gone', async () => {
    const pages = (last: object): Promise<unknown> =>
      read([
        [200, body(['a', 'b'], { resourceVersion: '7', continue: 'one' })],
        [200, { ...body(['c'], {}), ...last }],
      ])
    for (const last of [{}, { metadata: null }, { metadata: { resourceVersion: '' } }]) {
      await expect(pages(last)).rejects.toThrow('a page has no resourceVersion')
    }
    await expect(pages({ metadata: { resourceVersion: '7' } })).resolves.toBeDefined()
  })

  it('R3: a token that has come before is an error, not a page that is asked for again', async () => {
    await expect(
      read([
        [200, body(['a'], { continue: 'one' })],
        [200, body(['b'], { continue: 'one' })],
      ]),
    ).rejects.toMatchObject({ code: 'INVALID_BODY', message: expect.stringContaining('came before') })
    await expect(
      read([
        [200, body(['a'], { continue: 'one' })],
        [200, body(['b'], { continue: 'two' })],
        [200, body(['c'], { continue: 'one' })],
      ]),
    ).rejects.toMatchObject({ code: 'INVALID_BODY' })
  })

  it('R3: ten pages running without an item are an error; one with an item restarts the count', async () => {
    const empty = (from: number, count: number): [number, object][] =>
      Array.from({ length: count }, (_, i) => [200, body([], { continue: `t${from + i}` })])
    const { queries } = await read([
      ...empty(0, 9),
      [200, body(['a'], { continue: 'next' })],
      ...empty(20, 9),
      [200, body([], {})],
    ])
    expect(queries).toHaveLength(20)
    await expect(read(empty(0, 10))).rejects.toMatchObject({
      code: 'INVALID_BODY',
      message: expect.stringContaining('without an item'),
    })
  })
})
