import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { brief, cm, definitions, game, gameDefinition, games, sie, withServer } from '../testkit/in-memory.ts'

describe('watch', () => {
  it('F1: a watch from a resourceVersion gets what came after it, in order, and goes on', () =>
    withServer(async ({ configMap, call, server, watch, sim }) => {
      await configMap('before')
      const rv = await server.revision()
      await configMap('a')
      await call('DELETE', `${cm}/before`)
      const stream = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
      await sim.settle()
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a', 'DELETED before'])
      await configMap('b')
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a', 'DELETED before', 'ADDED b'])
      expect(stream.events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
      expect(stream.state()).toBe('open')
    }))

  it('F1: a deleted object shows its last state at a resourceVersion of its own', () =>
    withServer(async ({ configMap, call, server, watch, sim }) => {
      const made = await configMap('a', { data: { k: 'v' } })
      const stream = await watch(`${cm}?watch=1&resourceVersion=${made.metadata.resourceVersion}`)
      await call('DELETE', `${cm}/a`)
      await sim.advance(10)
      expect(stream.events[0]?.object.data).toEqual({ k: 'v' })
      expect(stream.events[0]?.object.metadata.resourceVersion).toBe(String(await server.revision()))
    }))

  it('F1: a streaming list gives all objects in key order, the end bookmark, and goes on as the watch', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      for (const name of ['b', 'c', 'a']) await configMap(name)
      const rv = await server.revision()
      const stream = await watch(`${cm}?${sie}`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c', `BOOKMARK ${rv} end`])
      await configMap('d')
      await sim.advance(10)
      expect(brief(stream.events).at(-1)).toBe('ADDED d')
    }))

  it('F1: a streaming list without objects is the end bookmark alone', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      const stream = await watch(`${cm}?${sie}&fieldSelector=metadata.name%3Dabsent`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual([`BOOKMARK ${await server.revision()} end`])
    }))

  it.each(['', '0', '1'])('F1: a streaming list from resourceVersion "%s" is never 410', rv =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      await server.compact()
      await server.expireWatchCaches()
      const stream = await watch(`${cm}?${sie}&resourceVersion=${rv}`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a', `BOOKMARK ${await server.revision()} end`])
    }),
  )

  it('F1: without bookmarks a streaming list has no end', () =>
    withServer(async ({ configMap, watch, sim }) => {
      await configMap('a')
      const stream = await watch(`${cm}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`)
      await sim.advance(200_000)
      expect(brief(stream.events)).toEqual(['ADDED a'])
    }))

  it('F1: sendInitialEvents=false gives new events only', () =>
    withServer(async ({ configMap, watch, sim }) => {
      await configMap('a')
      const stream = await watch(`${cm}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`)
      await configMap('b')
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED b'])
    }))

  it.each([
    ['sendInitialEvents=true', 422],
    ['sendInitialEvents=true&resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=NotOlderThan', 422],
    ['resourceVersion=abc', 500],
  ])('F1: watch=1&%s is answered with %d', (query, status) =>
    withServer(async ({ call }) => {
      expect((await call('GET', `${cm}?watch=1&${query}`)).status).toBe(status)
    }),
  )

  it('F1: a plain watch from "" or 0 is a streaming list unasked', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      const rv = await server.revision()
      const plain = await watch(`${cm}?watch=1`)
      const marked = await watch(`${cm}?watch=1&resourceVersion=0&allowWatchBookmarks=true`)
      await sim.advance(10)
      expect(brief(plain.events)).toEqual(['ADDED a'])
      expect(brief(marked.events)).toEqual(['ADDED a', `BOOKMARK ${rv} end`])
    }))

  it('F1: a streaming list ahead of the server is an ERROR event after three seconds', () =>
    withServer(async ({ watch, sim }) => {
      const stream = await watch(`${cm}?${sie}&resourceVersion=100000`)
      await sim.advance(2900)
      expect([stream.status(), brief(stream.events)]).toEqual([200, []])
      await sim.advance(200)
      expect(brief(stream.events)).toEqual(['ERROR 504'])
      expect(stream.events[0]?.object.details).toEqual({
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      })
      expect(stream.state()).toBe('end')
    }))

  it('F1: a plain watch ahead of the server is silent, and deaf up to its resourceVersion', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      const ahead = (await server.revision()) + 2
      const stream = await watch(`${cm}?watch=1&allowWatchBookmarks=true&resourceVersion=${ahead}&timeoutSeconds=50`)
      for (const name of ['a', 'b', 'c']) await configMap(name)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED c'])
    }))

  it('F1: a watch from before the watch cache is one ERROR event 410 and a clean end', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      const rv = await server.revision()
      await configMap('b')
      await server.expireWatchCaches()
      const stream = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
      await sim.advance(10)
      expect(stream.status()).toBe(200)
      expect(brief(stream.events)).toEqual(['ERROR 410'])
      expect(stream.events[0]?.object.message).toBe(`too old resource version: ${rv} (${await server.revision()})`)
      expect(stream.state()).toBe('end')
    }))

  it('F1: a compacted resourceVersion that the watch cache still holds resumes well', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      const rv = await server.revision()
      await configMap('b')
      await server.compact()
      const stream = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED b'])
    }))

  it('F1: history is compacted of itself after one to two intervals', () =>
    withServer(
      async ({ configMap, server, watch, sim }) => {
        await configMap('a')
        const rv = await server.revision()
        await configMap('b')
        await sim.advance(1500)
        const early = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
        await sim.advance(700)
        expect(brief(early.events)).toEqual(['ADDED b'])
        const late = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
        await sim.advance(10)
        expect(brief(late.events)).toEqual(['ERROR 410'])
      },
      { compactionMs: 1000 },
    ))

  it('F1: bookmarks come each minute and two seconds before the end, which is clean', () =>
    withServer(async ({ server, watch, sim }) => {
      const rv = await server.revision()
      const stream = await watch(`${cm}?watch=1&allowWatchBookmarks=true&resourceVersion=${rv}&timeoutSeconds=150`)
      await sim.advance(59_000)
      expect(stream.lines).toEqual([])
      await sim.advance(62_000)
      expect(brief(stream.events)).toEqual([`BOOKMARK ${rv}`, `BOOKMARK ${rv}`])
      await sim.advance(28_000)
      expect([stream.events.length, stream.state()]).toEqual([3, 'open'])
      await sim.advance(2000)
      expect([stream.events.length, stream.state()]).toEqual([3, 'end'])
    }))

  it('F1: a resource without a watch cache has no bookmarks', () =>
    withServer(async ({ server, watch, sim }) => {
      const rv = await server.revision()
      const path = `/api/v1/namespaces/default/events?watch=1&allowWatchBookmarks=true&resourceVersion=${rv}&timeoutSeconds=100`
      const stream = await watch(path)
      await sim.advance(101_000)
      expect([stream.lines, stream.state()]).toEqual([[], 'end'])
    }))

  it('F1: an object that leaves the selector is DELETED in its last matching state, and ADDED when it is back', () =>
    withServer(async ({ configMap, call, server, watch, sim }) => {
      const rv = await server.revision()
      const stream = await watch(`${cm}?watch=1&resourceVersion=${rv}&labelSelector=app%3Dweb`)
      const label = async (app: string): Promise<string> => {
        const metadata = { labels: { app } }
        const { json } = await call(
          'PATCH',
          `${cm}/a`,
          { metadata },
          { 'content-type': 'application/merge-patch+json' },
        )
        return json.metadata.resourceVersion
      }
      await configMap('a', { labels: { app: 'web' } })
      await configMap('b', { labels: { app: 'db' } })
      const left = await label('db')
      await label('cache')
      await label('web')
      await call('DELETE', `${cm}/a`)
      await call('DELETE', `${cm}/b`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a'])
      expect(stream.events[1]?.object.metadata).toMatchObject({ labels: { app: 'web' }, resourceVersion: left })
    }))

  it('F1: a watch of one name receives no other', () =>
    withServer(async ({ configMap, call, server, watch, sim }) => {
      const rv = await server.revision()
      const one = await watch(`${cm}?watch=1&resourceVersion=${rv}&fieldSelector=metadata.name%3Da`)
      const anywhere = await watch(`/api/v1/configmaps?watch=1&resourceVersion=${rv}&fieldSelector=metadata.name%3Da`)
      await configMap('a')
      await configMap('b')
      await configMap('a', { namespace: 'kube-system' })
      await call('DELETE', `${cm}/a`)
      await sim.advance(10)
      expect(brief(one.events)).toEqual(['ADDED a', 'DELETED a'])
      expect(brief(anywhere.events)).toEqual(['ADDED a', 'ADDED a', 'DELETED a'])
    }))

  it('F1: a namespaced watch receives objects of its namespace only', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      const stream = await watch(`${cm}?watch=1&resourceVersion=${await server.revision()}`)
      await configMap('a', { namespace: 'kube-system' })
      await configMap('b')
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED b'])
    }))

  it('F1: metadata alone and Tables are watched by Accept', () =>
    withServer(async ({ configMap, watch, sim }) => {
      await configMap('a', { data: { k: 'secret' } })
      const as = (kind: string): Record<string, string> => ({
        accept: `application/json;as=${kind};g=meta.k8s.io;v=v1`,
      })
      const metadata = await watch(`${cm}?${sie}`, as('PartialObjectMetadata'))
      const table = await watch(`${cm}?${sie}`, as('Table'))
      await configMap('b')
      await sim.advance(10)
      expect(metadata.events.map(event => event.object.kind)).toEqual(Array(3).fill('PartialObjectMetadata'))
      expect(metadata.lines.join()).not.toContain('secret')
      const [first, mark, second] = table.events
      expect(first?.object.columnDefinitions).toHaveLength(3)
      expect(mark?.object.rows[0].object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
      expect([second?.object.columnDefinitions, second?.object.rows[0].cells[0]]).toEqual([null, 'b'])
    }))

  it('F1: a compressed streaming list is one gzip member for each flush; a resumed watch is plain', () =>
    withServer(async ({ configMap, connection, server, sim }) => {
      await configMap('a')
      const link = await connection()
      const open = (query: string): { chunks: Buffer[]; encoding: () => unknown } => {
        const chunks: Buffer[] = []
        let encoding: unknown
        link.request(
          { method: 'GET', path: `${cm}?${query}`, headers: { 'accept-encoding': 'gzip' } },
          {
            head(_status, headers) {
              encoding = headers['content-encoding']
            },
            data: chunk => void chunks.push(Buffer.from(chunk)),
            end: () => undefined,
            error: () => undefined,
          },
        )
        return { chunks, encoding: () => encoding }
      }
      const streaming = open(sie)
      const resumed = open(`watch=1&allowWatchBookmarks=true&resourceVersion=${await server.revision()}`)
      await sim.advance(10)
      await configMap('b')
      await sim.advance(10)
      expect([streaming.encoding(), resumed.encoding()]).toEqual(['gzip', undefined])
      const raw = Buffer.concat(streaming.chunks)
      expect(raw.toString('latin1').split('\x1f\x8b\x08').length - 1).toBe(2)
      const lines = gunzipSync(raw).toString().trim().split('\n')
      expect(lines.map(line => JSON.parse(line).type)).toEqual(['ADDED', 'BOOKMARK', 'ADDED'])
    }))

  it('F1: any change of a definition closes its watches cleanly a second later, on every version', () =>
    withServer(async ({ call, server, watch, sim }) => {
      const versions = [
        { name: 'v1', served: true, storage: true },
        { name: 'v2', served: true, storage: false },
      ]
      await call('POST', definitions, gameDefinition(versions))
      await sim.advance(1500)
      await call('POST', games, game('chess'))
      const streams = [await watch(`${games}?watch=1`), await watch(`${games.replace('v1', 'v2')}?watch=1`)]
      const other = await watch(`${cm}?watch=1`)
      await sim.advance(10)
      const labels = { metadata: { labels: { a: 'b' } } }
      await call('PATCH', `${definitions}/games.arcade.example.com`, labels, {
        'content-type': 'application/merge-patch+json',
      })
      await sim.advance(2000)
      expect(streams.map(stream => stream.state())).toEqual(['open', 'open'])
      const spec = { spec: { names: { categories: ['all'] } } }
      await call('PATCH', `${definitions}/games.arcade.example.com`, spec, {
        'content-type': 'application/merge-patch+json',
      })
      await sim.advance(900)
      expect(streams.map(stream => stream.state())).toEqual(['open', 'open'])
      await sim.advance(200)
      expect(streams.map(stream => [stream.state(), brief(stream.events)])).toEqual([
        ['end', ['ADDED chess']],
        ['end', ['ADDED chess']],
      ])
      expect(other.state()).toBe('open')
      const resumed = await watch(`${games}?watch=1&resourceVersion=${await server.revision()}`)
      await sim.advance(10)
      expect(resumed.state()).toBe('open')
    }))

  it('F1: a watcher that does not read holds nobody else back, and misses nothing', () =>
    withServer(
      async ({ configMap, watch, sim, server }) => {
        const rv = await server.revision()
        const slow = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
        const fast = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
        await sim.advance(10)
        slow.pause()
        for (let i = 0; i < 100; i++) await configMap(`c${i}`, { data: { big: 'x'.repeat(5000) } })
        await sim.advance(100)
        expect(fast.events).toHaveLength(100)
        expect(slow.events.length).toBeLessThan(40)
        slow.resume()
        await sim.advance(200)
        expect(brief(slow.events)).toEqual(brief(fast.events))
      },
      { network: { chunking: 'whole' } },
    ))

  it('F1: an unknown part of the object in a Table is a 400, before the watch begins; any other form ignores it', () =>
    withServer(async ({ call, watch, sim, configMap }) => {
      await configMap('a')
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      for (const path of [`${cm}?watch=1&includeObject=foo`, `${cm}?includeObject=foo`, `${cm}/a?includeObject=foo`]) {
        const refused = await call('GET', path, undefined, { accept })
        expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('"foo"')])
      }
      expect((await call('GET', `${cm}?includeObject=foo`)).status).toBe(200)
      const stream = await watch(`${cm}?watch=1&includeObject=foo`)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['ADDED a'])
    }))
})
