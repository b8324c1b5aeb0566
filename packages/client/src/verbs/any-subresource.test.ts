import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { isTooManyRequests } from '../errors/guards.ts'
import { pods } from '../resources/core.ts'
import { anySubresource } from './testkit/any-subresource.ts'

let server: EmbeddedApiServer
let client: Client
beforeEach(async () => {
  server = await startApiServer()
  client = new Client({ url: server.url, ca: server.ca, token: server.token })
})
afterEach(async () => {
  await client?.close()
  await server?.close()
})

describe('any subresource, and any path, on the embedded server', () => anySubresource(() => client))

describe('X6: refused before anything is sent are', () => {
  it.each([
    '',
    'api',
    '//other.example.com/api',
    '/api/../version',
    '/api/%2e%2E/version',
    '/api/v1?limit=1',
    '/api/v1#a',
    '/a b',
    'https://other.example.com/',
  ])('the path %j', async path => {
    await expect(client.request({ method: 'GET', path })).rejects.toMatchObject({ option: 'request.path' })
  })

  it('methods, queries and forms of answers that do not exist', async () => {
    const path = '/version'
    const wrong: [object, string][] = [
      [{ method: 'HEAD', path }, 'request.method'],
      [{ method: 'GET', path, query: { a: 1 } }, 'request.query'],
      [{ method: 'GET', path, as: 'xml' }, 'request.as'],
      [{ method: 'GET', path, headers: {} }, 'request.headers'],
    ]
    for (const [request, option] of wrong) {
      await expect(client.request(request as never)).rejects.toMatchObject({ option })
    }
  })

  it('names of subresources that are no segment of a path, and options of other calls', async () => {
    const key = { name: 'a', namespace: 'default' }
    expect(() => client.subresource(pods, key, 'a/b')).toThrow("may not contain '/'")
    await expect(client.subresource(pods, key, 'status').get({ dryRun: true } as never)).rejects.toMatchObject({
      option: 'subresource.get.dryRun',
    })
  })

  it('bodies of subresources that are no object', async () => {
    const status = client.subresource(pods, { name: 'a', namespace: 'default' }, 'status')
    for (const write of ['create', 'update', 'apply'] as const) {
      const refused = Promise.resolve(status[write]('text' as never))
      await expect(refused).rejects.toThrow(TypeError)
    }
  })
})

it('a 429 of an eviction is its answer, and is not repeated', async () => {
  const match = { verb: 'create', resource: 'pods', subresource: 'eviction' } as const
  const effect = { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 } as const
  const rule = await server.faults.add({ match, effect })
  const evict = client.subresource(pods, { name: 'a', namespace: 'default' }, 'eviction').create({})
  await expect(evict).rejects.toSatisfy(isTooManyRequests)
  expect(await rule.hits()).toBe(1)
})
