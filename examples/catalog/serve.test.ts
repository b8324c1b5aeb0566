import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Catalogs } from './operator.ts'
import { catalogServer } from './serve.ts'

let server: Server

beforeEach(async () => {
  server = catalogServer(new Catalogs()).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

/** The code of the answer. The path is sent as it is: `fetch` would mend it. */
async function code(path: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo
  const sent = request({ host: '127.0.0.1', port, path }).end()
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode
}

it.each([
  ['/catalogs/community/packages/etcd/bundles/%E0%A4%A', 400],
  ['//', 400],
  ['/catalogs/community/packages/etcd/bundles/etcd.v1.0.0', 404],
  ['/catalogs/community/upgrades/etcd/stable?name=%E0%A4%A', 404],
  ['/', 404],
])('%s is answered with %i', async (path, expected) => {
  expect(await code(path)).toBe(expected)
})
