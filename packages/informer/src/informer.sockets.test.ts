import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Client, type Environment } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, type EmbeddedOptions, startApiServer } from '@wherry/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Informer } from './informer.ts'
import { configMap } from './testkit/bench.ts'
import { behavesAsAnInformer, relistsAfter } from './testkit/scenarios.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function served(
  options: EmbeddedOptions = {},
  environment?: Partial<Environment>,
): Promise<{ server: EmbeddedApiServer; client: Client }> {
  const server = await startApiServer({ ...options, isolate: false, clusterObjects: false })
  const client = new Client({ url: server.url, ca: server.ca, token: server.token, gzip: true, environment })
  open.push(server, client)
  await server.fill([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }])
  return { server, client }
}

describe.each([
  ['HTTP/2 over TLS', {}],
  ['HTTP/1.1', { tls: false }],
] as const)('an informer over sockets (%s)', (_, options) => {
  behavesAsAnInformer(async environment => {
    const { client } = await served(options, environment)
    return { client }
  })

  it('R17, R28: a relist after a restart delivers only the difference', async () => {
    const { server, client } = await served(options)
    await relistsAfter(() => server.restart(), client)
  })

  it('R7: reads a list of thousands, gzipped, item by item', async () => {
    const { server, client } = await served(options)
    const text = 'ü€𝄞},{"metadata":'.repeat(20)
    await server.fill(Array.from({ length: 3000 }, (_, i) => configMap(`c${i}`, { text, i: `${i}` })))
    for (const initial of ['stream', 'whole', 'paged'] as const) {
      const informer = new Informer({ client, view: configMaps.within({ namespaces: ['ns'] }), initial })
      open.push(informer)
      informer.start()
      await informer.whenSynced()
      expect(informer.size).toBe(3000)
      expect(informer.get('ns/c2999')?.data).toEqual({ text, i: '2999' })
      await informer.close()
    }
  })

  it('R14, R17: comes to the server’s state through one broken connection after another', async () => {
    const { server, client } = await served(options)
    const view = configMaps.within({ namespaces: ['ns'] })
    const informer = new Informer({ client, view })
    open.push(informer)
    informer.start()
    await informer.whenSynced()
    const writer = new Client({ url: server.url, ca: server.ca, token: server.token })
    open.push(writer)
    const kinds = ['break', 'reset'] as const
    for (let i = 0; i < 2; i++) {
      const kind = kinds[i] ?? 'break'
      await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind, afterBytes: 200 * i } })
      await server.endWatches()
      await writer.create(view, configMap(`r${i}`))
      await vi.waitFor(() => expect(informer.get(`ns/r${i}`)).toBeDefined())
    }
    expect(informer.size).toBe(2)
  })
})

it('R24: comes to what a watch says that is cut and packed in every way', async () => {
  const text = 'ü€𝄞 \\n'
  const line = (type: string, name: string, resourceVersion: string, more: object = {}): string => {
    const metadata = { name, namespace: 'ns', uid: name, resourceVersion, ...more }
    return JSON.stringify({ type, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } } })
  }
  const synced = { annotations: { 'k8s.io/initial-events-end': 'true' } }
  const members = [
    `${line('ADDED', 'a', '1')}\r\n${line('ADDED', 'b', '2').slice(0, 90)}`,
    `${line('ADDED', 'b', '2').slice(90)}\n\n`,
    `${line('BOOKMARK', '', '2', synced)}\n${line('MODIFIED', 'a', '3')}\n\r\n`,
    // The last line has no end of its own.
    line('DELETED', 'b', '4'),
  ]
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://server').searchParams.get('resourceVersion') ?? 'none')
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    if (asked.length === 1) void drip(response, Buffer.concat(members.map(member => gzipSync(member))))
    else response.write(gzipSync(`${line('ADDED', 'c', '5')}\r\n`))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = new Client({ url: `http://127.0.0.1:${port}`, gzip: true })
  const informer = new Informer({ client, view: configMaps })
  open.push({ close: async () => void server.close() }, client, informer)
  informer.start()
  await vi.waitFor(() => expect(informer.get('ns/c')?.data).toEqual({ text }))
  expect([...informer.keys()].sort()).toEqual(['ns/a', 'ns/c'])
  expect(informer.get('ns/a')?.metadata?.resourceVersion).toBe('3')
  expect(asked.slice(0, 2)).toEqual(['none', '4'])
})

/** Sends bytes a few at a time, in chunks of their own, so that members, lines and characters are cut anywhere. */
async function drip(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 3) {
    await new Promise<void>(resolve => response.write(bytes.subarray(at, at + 3), () => resolve()))
  }
  response.end()
}
