import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { connect } from 'node:tls'
import { createCertificateAuthority } from '@wherry/apiserver/internal/requests'
import { fromUrl } from '@wherry/client/internal'
import { expect, it, vi } from 'vitest'
import { Ledger } from '../ledger/ledger.ts'
import { startProxy } from './proxy.ts'

const pieces = 96
const pieceBytes = 2 ** 20

/** Resolves when a number has stayed the same for many turns of the event loop. */
async function stands(number: () => number): Promise<number> {
  let last = -1
  for (let same = 0; same < 2_000; same++) {
    if (number() !== last) same = 0
    last = number()
    await turn()
  }
  return last
}

interface Proxied extends AsyncDisposable {
  readonly server: Server
  /** The address and the authority of the proxy. */
  readonly url: string
  readonly ca: Buffer
}

async function proxied(): Promise<Proxied> {
  const authority = createCertificateAuthority()
  const { certPem: cert, keyPem: key } = authority.issueServer()
  const server = createServer({ cert, key })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await startProxy(fromUrl(url, { ca: authority.caPem, token: 'none' }), new Ledger(() => 0, 1))
  return {
    server,
    url: proxy.url,
    ca: Buffer.from(proxy.kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64'),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

it('a program that does not read stops the server, and then receives every byte', async () => {
  await using run = await proxied()
  let sent = 0
  const sum = createHash('sha256')
  run.server.on('request', async (_, response) => {
    for (; sent < pieces; sent++) {
      const piece = randomBytes(pieceBytes)
      sum.update(piece)
      if (!response.write(piece)) await once(response, 'drain')
    }
    response.end()
  })
  const asked = request(`${run.url}/api/v1/configmaps`, { ca: run.ca, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(await stands(() => sent)).toBeLessThan(pieces / 2)
  const received = createHash('sha256')
  for await (const chunk of answer) received.update(chunk as Buffer)
  expect(received.digest('hex')).toBe(sum.digest('hex'))
  expect(sent).toBe(pieces)
})

it('over HTTP/2, an answer fills the whole window of a program that does not read it, and other answers pass', async () => {
  await using run = await proxied()
  run.server.on('request', async ({ url }, response) => {
    const isLong = url === '/api/v1/configmaps'
    for (let sent = 0; sent < (isLong ? pieces : 1) && !response.destroyed; sent++) {
      if (!response.write(Buffer.alloc(pieceBytes)))
        await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  })
  const windowBytes = 4 * pieceBytes
  const session = connectHttp2(run.url, { ca: run.ca, settings: { initialWindowSize: windowBytes } })
  try {
    await once(session, 'connect')
    session.setLocalWindowSize(2 * windowBytes)
    const unread = session.request({ ':path': '/api/v1/configmaps' })
    await once(unread, 'response')
    await vi.waitFor(() => expect(unread.state.localWindowSize).toBe(0))
    const other = session.request({ ':path': '/api/v1/secrets' })
    let received = 0
    for await (const chunk of other) received += (chunk as Buffer).length
    expect(received).toBe(pieceBytes)
    expect(unread.state.localWindowSize).toBe(0)
  } finally {
    session.destroy()
  }
})

it('a program that reads an upgraded connection late receives every byte', async () => {
  await using run = await proxied()
  const body = randomBytes(16 * pieceBytes)
  run.server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
    socket.end(body)
  })
  const socket = connect({ port: Number(new URL(run.url).port), host: '127.0.0.1', ca: run.ca })
  socket.write(
    'POST /api/v1/namespaces/default/pods/a/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
  )
  await once(socket, 'readable')
  await stands(() => socket.bytesRead)
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk as Buffer)
  expect(Buffer.concat(received).subarray(-body.length).equals(body)).toBe(true)
})
