import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { cm, type Kit, withServer } from '../testkit/in-memory.ts'

const names = (list: { items: { metadata: { name: string } }[] }): string[] =>
  list.items.map(item => item.metadata.name)

async function five({ configMap }: Kit): Promise<void> {
  for (const name of ['c', 'a', 'e', 'b', 'd']) await configMap(name)
}

describe('list', () => {
  it('F1: a list has its items in key order, without kind and apiVersion, at the newest resourceVersion', () =>
    withServer(async kit => {
      await five(kit)
      const { status, json } = await kit.call('GET', cm)
      expect(status).toBe(200)
      expect(Object.keys(json)).toEqual(['kind', 'apiVersion', 'metadata', 'items'])
      expect(names(json)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(json.metadata).toEqual({ resourceVersion: String(await kit.server.revision()) })
      expect(json.items[0].kind).toBeUndefined()
    }))

  it('F1: pages share one snapshot: they do not show writes between them', () =>
    withServer(async kit => {
      await five(kit)
      const first = (await kit.call('GET', `${cm}?limit=2`)).json
      await kit.call('DELETE', `${cm}/c`)
      await kit.configMap('bb')
      const second = (await kit.call('GET', `${cm}?limit=2&continue=${first.metadata.continue}`)).json
      const third = (await kit.call('GET', `${cm}?limit=2&continue=${second.metadata.continue}`)).json
      expect([names(first), names(second), names(third)]).toEqual([['a', 'b'], ['c', 'd'], ['e']])
      expect(first.metadata.remainingItemCount).toBe(3)
      expect(third.metadata.continue).toBeUndefined()
      expect(new Set([first, second, third].map(page => page.metadata.resourceVersion)).size).toBe(1)
    }))

  it('F1: resourceVersion=0 ignores the limit, but not for a resource without a watch cache', () =>
    withServer(async kit => {
      await five(kit)
      const cached = (await kit.call('GET', `${cm}?resourceVersion=0&limit=2`)).json
      expect(cached.items).toHaveLength(5)
      expect(cached.metadata.continue).toBeUndefined()
      for (const name of ['e1', 'e2', 'e3']) {
        await kit.call('POST', '/api/v1/namespaces/default/events', { metadata: { name }, involvedObject: {} })
      }
      const uncached = (await kit.call('GET', '/api/v1/namespaces/default/events?resourceVersion=0&limit=2')).json
      expect(uncached.items).toHaveLength(2)
      expect(uncached.metadata.continue).toEqual(expect.any(String))
    }))

  it('F1: a resourceVersion alone is a lower bound; with a limit, or Exact, it is the old state', () =>
    withServer(async kit => {
      await kit.configMap('a')
      const then = await kit.server.revision()
      await kit.configMap('b')
      const now = String(await kit.server.revision())
      const at = async (query: string): Promise<unknown> => {
        const { json } = await kit.call('GET', `${cm}?resourceVersion=${then}${query}`)
        return [names(json), json.metadata.resourceVersion]
      }
      expect(await at('')).toEqual([['a', 'b'], now])
      expect(await at('&limit=5')).toEqual([['a'], String(then)])
      expect(await at('&resourceVersionMatch=Exact')).toEqual([['a'], String(then)])
      expect(await at('&limit=5&resourceVersionMatch=NotOlderThan')).toEqual([['a', 'b'], now])
    }))

  it('F1: after compaction an exact list is 410 and any other shows the present', () =>
    withServer(async kit => {
      await five(kit)
      const old = (await kit.server.revision()) - 2
      await kit.server.compact()
      const exact = await kit.call('GET', `${cm}?resourceVersion=${old}&resourceVersionMatch=Exact`)
      expect([exact.status, exact.json.reason]).toEqual([410, 'Expired'])
      const atLeast = await kit.call('GET', `${cm}?resourceVersion=${old}`)
      expect([atLeast.status, atLeast.json.items.length]).toEqual([200, 5])
    }))

  it('F1: a continue token past compaction is 410 with a token for the rest, at a newer resourceVersion', () =>
    withServer(async kit => {
      await five(kit)
      const first = (await kit.call('GET', `${cm}?limit=2`)).json
      await kit.configMap('f')
      await kit.server.compact()
      const expired = await kit.call('GET', `${cm}?limit=2&continue=${first.metadata.continue}`)
      expect([expired.status, expired.json.reason]).toEqual([410, 'Expired'])
      const rest = (await kit.call('GET', `${cm}?limit=2&continue=${expired.json.metadata.continue}`)).json
      expect(names(rest)).toEqual(['c', 'd'])
      expect(rest.metadata.resourceVersion).toBe(String(await kit.server.revision()))
      const last = (await kit.call('GET', `${cm}?limit=2&continue=${rest.metadata.continue}`)).json
      expect(names(last)).toEqual(['e', 'f'])
      expect(last.metadata.resourceVersion).toBe(rest.metadata.resourceVersion)
    }))

  it('F1: a resourceVersion that is not there yet is 504 after three seconds', () =>
    withServer(async ({ call, sim, server }) => {
      const before = sim.clock.now()
      const { status, json, headers } = await call('GET', `${cm}?resourceVersion=100000`)
      expect(sim.clock.now() - before).toBeGreaterThanOrEqual(3000)
      expect(sim.clock.now() - before).toBeLessThan(3100)
      expect([status, json.reason, headers['retry-after']]).toEqual([504, 'Timeout', '1'])
      expect(json.message).toBe(`Timeout: Too large resource version: 100000, current: ${await server.revision()}`)
      expect(json.details.causes).toEqual([
        { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
      ])
    }))

  it.each([
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422],
    ['resourceVersion=1&resourceVersionMatch=Newest', 422],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 422],
    ['continue=zzz', 400],
    ['limit=abc', 400],
    ['limit=99999999999999999999', 400],
    ['resourceVersion=99999999999999999', 504],
    ['resourceVersion=18446744073709551616', 400],
    ['resourceVersion=abc', 400],
    ['labelSelector=a%20b', 400],
    ['labelSelector=a%3E-5', 400],
    ['labelSelector=a%3E99999999999999999999', 400],
    ['fieldSelector=spec.foo%3Dx', 400],
    ['nonsense=1', 200],
  ])('F1: %s is answered with %d', (query, status) =>
    withServer(async ({ call }) => {
      expect((await call('GET', `${cm}?${query}`)).status).toBe(status)
    }),
  )

  it('F1: the booleans of a query are read as a real server reads them', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a')
      expect((await call('GET', `${cm}?watch=False`)).json.kind).toBe('ConfigMapList')
      const lines = async (pretty: string): Promise<boolean> =>
        (await call('GET', `${cm}?pretty=${pretty}`)).text.includes('\n ')
      expect([await lines('T'), await lines('x'), await lines('False'), await lines('')]).toEqual([
        ...[true, false, false, false],
      ])
      const type = { 'content-type': 'application/apply-patch+yaml' }
      const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { a: '1' } }
      await call('PATCH', `${cm}/b?fieldManager=one`, config, type)
      const applied = async (force: string): Promise<number> =>
        (await call('PATCH', `${cm}/b?fieldManager=two&force=${force}`, { ...config, data: { a: '2' } }, type)).status
      expect([await applied('FALSE'), await applied('yes')]).toEqual([409, 200])
    }))

  it('F1: a token takes no resourceVersion but 0 with it, and no match', () =>
    withServer(async kit => {
      await five(kit)
      const token = (await kit.call('GET', `${cm}?limit=2`)).json.metadata.continue
      expect((await kit.call('GET', `${cm}?limit=2&continue=${token}&resourceVersion=3`)).status).toBe(400)
      expect((await kit.call('GET', `${cm}?limit=2&continue=${token}&resourceVersion=0`)).status).toBe(200)
      const match = 'resourceVersion=3&resourceVersionMatch=NotOlderThan'
      expect((await kit.call('GET', `${cm}?limit=2&continue=${token}&${match}`)).status).toBe(422)
    }))

  it('F1: selectors choose by labels and fields; a page without them forgets them', () =>
    withServer(async kit => {
      await kit.configMap('a', { labels: { app: 'web', tier: 'front' } })
      await kit.configMap('b', { labels: { app: 'web' } })
      await kit.configMap('c', { labels: { app: 'db' } })
      const by = async (query: string): Promise<string[]> => names((await kit.call('GET', `${cm}?${query}`)).json)
      const label = (text: string): Promise<string[]> => by(`labelSelector=${encodeURIComponent(text)}`)
      expect(await label('app=web')).toEqual(['a', 'b'])
      expect(await label('app!=web')).toEqual(['c'])
      expect(await label('app in (web, db), !tier')).toEqual(['b', 'c'])
      expect(await label('tier notin (front)')).toEqual(['b', 'c'])
      expect(await label('tier')).toEqual(['a'])
      expect(await by('fieldSelector=metadata.name%3Db')).toEqual(['b'])
      expect(await by('fieldSelector=metadata.name!%3Db')).toEqual(['a', 'c'])
      const first = (await kit.call('GET', `${cm}?limit=1&labelSelector=app%3Ddb`)).json
      expect(first.metadata.remainingItemCount).toBeUndefined()
      const page = (await kit.call('GET', `${cm}?limit=1&labelSelector=app%3Dweb`)).json
      const rest = await by(`continue=${page.metadata.continue}`)
      expect(rest).toEqual(['b', 'c'])
    }))

  it('F1: the last page by a selector may be empty', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a', { labels: { l: 'x' } })
      await configMap('b')
      const first = (await call('GET', `${cm}?labelSelector=l%3Dx&limit=1`)).json
      expect([first.items.length, first.metadata.remainingItemCount]).toEqual([1, undefined])
      const last = (await call('GET', `${cm}?labelSelector=l%3Dx&limit=1&continue=${first.metadata.continue}`)).json
      expect([last.items, last.metadata.continue]).toEqual([[], undefined])
    }))

  it('F1: a custom resource lists its items first, each with kind and apiVersion, and always says continue', () =>
    withServer(async kit => {
      const { definitions, gameDefinition, games, game } = await import('../testkit/in-memory.ts')
      await kit.call('POST', definitions, gameDefinition())
      await kit.sim.advance(1000)
      await kit.call('POST', games, game('chess', { players: 2 }))
      const { json } = await kit.call('GET', games)
      expect(Object.keys(json)).toEqual(['apiVersion', 'items', 'kind', 'metadata'])
      expect(json.kind).toBe('GameList')
      expect(json.metadata.continue).toBe('')
      expect([json.items[0].kind, json.items[0].apiVersion]).toEqual(['Game', 'arcade.example.com/v1'])
    }))

  it('F1: metadata alone is listed, got and watched by Accept; the wrong kind is 406', () =>
    withServer(async kit => {
      await kit.configMap('a', { data: { k: 'secret' }, labels: { l: 'v' } })
      const as = (kind: string): Record<string, string> => ({
        accept: `application/json;as=${kind};g=meta.k8s.io;v=v1`,
      })
      const list = await kit.call('GET', cm, undefined, as('PartialObjectMetadataList'))
      expect([list.json.kind, list.json.apiVersion]).toEqual(['PartialObjectMetadataList', 'meta.k8s.io/v1'])
      expect(list.json.items[0]).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name: 'a', labels: { l: 'v' } },
      })
      expect(list.text).not.toContain('secret')
      expect((await kit.call('GET', cm, undefined, as('PartialObjectMetadata'))).status).toBe(406)
      const one = await kit.call('GET', `${cm}/a`, undefined, as('PartialObjectMetadata'))
      expect(one.json.kind).toBe('PartialObjectMetadata')
      expect(one.text).not.toContain('secret')
      expect((await kit.call('GET', cm, undefined, { accept: 'application/xml' })).status).toBe(406)
    }))

  it('F1: a Table has columns and a row for each object', () =>
    withServer(async kit => {
      await kit.configMap('a', { data: { x: '1', y: '2' } })
      await kit.sim.advance(65_000)
      const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
      const { json } = await kit.call('GET', cm, undefined, accept)
      expect(json.kind).toBe('Table')
      expect(json.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(['Name', 'Data', 'Age'])
      expect(json.rows[0].cells).toEqual(['a', 2, '65s'])
      expect(json.rows[0].object.metadata.name).toBe('a')
      const rows = async (include: string): Promise<unknown> =>
        (await kit.call('GET', `${cm}?includeObject=${include}`, undefined, accept)).json.rows?.[0].object
      expect(await rows('None')).toBeNull()
      expect(await rows('Object')).toMatchObject({ kind: 'ConfigMap', data: { x: '1' } })
      expect(await rows('Nonsense')).toBeUndefined()
      const written = await kit.call('POST', cm, { metadata: { name: 'b' } }, accept)
      expect([written.json.kind, written.json.rows[0].cells]).toEqual(['Table', ['b', 0, '0s']])
    }))

  it('F1: shards select by the hash of the uid and are echoed; with the gate off they are ignored', async () => {
    const half = (start: string, end: string): string =>
      `shardSelector=${encodeURIComponent(`shardRange(object.metadata.uid, '${start}', '${end}')`)}`
    const low = half('0x0000000000000000', '0x8000000000000000')
    const high = half('0x8000000000000000', '0x10000000000000000')
    await withServer(
      async kit => {
        for (let i = 0; i < 20; i++) await kit.configMap(`c${i}`)
        const [one, two] = [await kit.call('GET', `${cm}?${low}`), await kit.call('GET', `${cm}?${high}`)]
        expect(one.json.items.length).toBeGreaterThan(0)
        expect([...names(one.json), ...names(two.json)].sort()).toEqual(
          Array.from({ length: 20 }, (_, i) => `c${i}`).sort(),
        )
        expect(one.json.metadata.shardInfo.selector).toContain('shardRange')
        expect((await kit.call('GET', `${cm}?shardSelector=bogus`)).status).toBe(500)
      },
      { shards: true },
    )
    await withServer(async kit => {
      for (let i = 0; i < 20; i++) await kit.configMap(`c${i}`)
      const { json } = await kit.call('GET', `${cm}?${low}`)
      expect([json.items.length, json.metadata.shardInfo]).toEqual([20, undefined])
    })
  })

  it('F1: a long list is compressed when asked for, a short one is not', () =>
    withServer(async kit => {
      const gzip = { 'accept-encoding': 'gzip' }
      await kit.configMap('small')
      expect((await kit.call('GET', cm, undefined, gzip)).headers['content-encoding']).toBeUndefined()
      for (let i = 0; i < 30; i++) await kit.configMap(`c${i}`, { data: { big: 'x'.repeat(10_000) } })
      const plain = (await kit.call('GET', cm)).text
      const link = await kit.connection()
      const raw = await new Promise<Buffer>((resolve, reject) => {
        const chunks: Uint8Array[] = []
        let encoding: unknown
        link.request(
          { method: 'GET', path: cm, headers: gzip },
          {
            head(_status, headers) {
              encoding = headers['content-encoding']
            },
            data: chunk => void chunks.push(Uint8Array.from(chunk)),
            end: () => (encoding === 'gzip' ? resolve(Buffer.concat(chunks)) : reject(new Error('not compressed'))),
            error: reject,
          },
        )
      })
      expect(gunzipSync(raw).toString()).toBe(plain)
    }))

  it('F1: curl and ?pretty get indented JSON of the same content', () =>
    withServer(async kit => {
      await five(kit)
      const compact = await kit.call('GET', cm)
      const pretty = await kit.call('GET', cm, undefined, { 'user-agent': 'curl/8' })
      expect(pretty.text).toContain('\n  "kind": "ConfigMapList"')
      expect(pretty.json).toEqual(compact.json)
      expect((await kit.call('GET', `${cm}/a?pretty=1`)).text).toContain('\n  "metadata"')
    }))

  it('F1: indented JSON escapes what Go escapes, in objects, lists and refusals, and ends without a line break; a compact Status ends with one', () =>
    withServer(async ({ call }) => {
      const curl = { 'user-agent': 'curl/8' }
      const data = { k: '<b>&\u2028\u2029é' }
      const escaped = '\\u003cb\\u003e\\u0026\\u2028\\u2029é'
      const created = await call('POST', cm, { metadata: { name: 'odd' }, data }, curl)
      const all = [created, await call('GET', `${cm}/odd?pretty=true`), await call('GET', cm, undefined, curl)]
      for (const { text } of all) {
        expect(text).toContain(`"k": "${escaped}"`)
        expect(text.endsWith('}')).toBe(true)
      }
      expect(created.json.data).toEqual(data)
      expect((await call('GET', `${cm}/a%3Cb%3E&c`, undefined, curl)).text).toBe(
        [
          '{\n  "kind": "Status",\n  "apiVersion": "v1",\n  "metadata": {},\n  "status": "Failure",',
          '  "message": "configmaps \\"a\\u003cb\\u003e\\u0026c\\" not found",\n  "reason": "NotFound",\n  "details": {',
          '    "name": "a\\u003cb\\u003e\\u0026c",\n    "kind": "configmaps"\n  },\n  "code": 404\n}',
        ].join('\n'),
      )
      expect((await call('GET', `${cm}/none`)).text).toMatch(/"code":404\}\n$/)
    }))

  it('F1: a list in a namespace that does not exist is empty', () =>
    withServer(async ({ call }) => {
      const { status, json } = await call('GET', '/api/v1/namespaces/nowhere/configmaps')
      expect([status, json.items]).toEqual([200, []])
    }))

  it('F1: integers beyond 2^53 - 1 are listed, got and watched as they were written', () =>
    withServer(async kit => {
      const { definitions, gameDefinition, games } = await import('../testkit/in-memory.ts')
      await kit.call('POST', definitions, gameDefinition())
      await kit.sim.advance(1000)
      const text =
        '{"apiVersion":"arcade.example.com/v1","kind":"Game","metadata":{"name":"big"},"spec":{"score":9007199254740993}}'
      expect((await kit.call('POST', games, text)).text).toContain('9007199254740993')
      expect((await kit.call('GET', games)).text).toContain('9007199254740993')
      const { merge } = await import('../testkit/in-memory.ts')
      const patched = await kit.call('PATCH', `${games}/big`, '{"spec":{"other":1}}', merge)
      expect(patched.text).toContain('9007199254740993')
    }))
})
