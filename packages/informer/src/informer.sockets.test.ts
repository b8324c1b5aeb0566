import { Client } from '@wherry/client'
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

async function served(options: EmbeddedOptions = {}): Promise<{ server: EmbeddedApiServer; client: Client }> {
  const server = await startApiServer({ ...options, isolate: false })
  const client = new Client({ url: server.url, ca: server.ca, token: server.token, gzip: true })
  open.push(server, client)
  await server.fill([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }])
  return { server, client }
}

describe.each([
  ['HTTP/2 over TLS', {}],
  ['HTTP/1.1', { tls: false }],
] as const)('an informer over sockets (%s)', (_, options) => {
  behavesAsAnInformer(async () => {
    const { client } = await served(options)
    return { client }
  })

  it('R17, R28: a relist after a restart tells the difference only', async () => {
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
      await vi.waitFor(() => expect(informer.get(`ns/r${i}`)).toBeDefined(), { timeout: 20_000 })
    }
    expect(informer.size).toBe(2)
  })
})
