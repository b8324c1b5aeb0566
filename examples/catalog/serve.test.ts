import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Catalogs } from './operator.ts'
import { digestOf } from './registry/verified.ts'
import { catalogServer } from './serve.ts'
import { indexOf } from './testkit/releases.ts'

let server: Server
let catalogs: Catalogs

beforeEach(async () => {
  catalogs = new Catalogs()
  server = catalogServer(catalogs).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
  await catalogs.close()
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
  ['/catalogs/community/packages/etcd/bundles/etcd.v1.0.0/manifest', 404],
  ['/catalogs/community/upgrades/etcd/stable?name=%E0%A4%A', 404],
  ['/', 404],
])('%s is answered with %i', async (path, expected) => {
  expect(await code(path)).toBe(expected)
})

it('says what can be installed: packages, their channels, and the heads of these', async () => {
  const digest = digestOf('bundle')
  const of = (name: string, channel: string, minor: number) => {
    const version = `1.${minor}.0`
    const replaces = minor === 0 ? {} : { replaces: `${name}.v1.${minor - 1}.0` }
    const metadata = { metadata: { name: `${name}.v${version}` }, spec: { version, displayName: name, ...replaces } }
    return { channel: { package: name, name: channel }, metadata, digest }
  }
  const index = indexOf([
    of('etcd', 'stable', 0),
    of('etcd', 'stable', 1),
    of('etcd', 'alpha', 2),
    of('go', 'stable', 0),
  ]).withDefault({ package: 'etcd', name: 'alpha' })
  vi.spyOn(catalogs.open('games/community'), 'index', 'get').mockReturnValue(index)
  const { port } = server.address() as AddressInfo
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}/games/community/${path}`)
  const head = (name: string, version: string) => ({ name: `${name}.v${version}`, version, digest, summary: name })
  const etcd = {
    name: 'etcd',
    defaultChannel: 'alpha',
    channels: [
      { name: 'alpha', head: head('etcd', '1.2.0') },
      { name: 'stable', head: head('etcd', '1.1.0') },
    ],
  }
  const go = { name: 'go', defaultChannel: 'stable', channels: [{ name: 'stable', head: head('go', '1.0.0') }] }
  expect(await (await ask('packages')).json()).toMatchObject([etcd, go])
  expect(await (await ask('packages/etcd')).json()).toMatchObject(etcd)
  expect((await ask('packages/chess')).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${port}/games/other/packages`)).status).toBe(404)
})
