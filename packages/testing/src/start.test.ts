import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EmbeddedApiServer } from '@wherry/apiserver/api-server'
import { childFlags } from '@wherry/apiserver/isolated/child-flags'
import { OptionError } from '@wherry/apiserver/options'
import { describe, expect, it } from 'vitest'
import { startApiServer } from './start.ts'

/** One request on an HTTP/2 session. */
function ask(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ':method': body === undefined ? 'GET' : 'POST', ...headers })
    let status = 0
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', head => {
      status = Number(head[':status'])
    })
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('end', () => resolve({ status, text }))
    stream.on('error', reject)
    stream.end(body)
  })
}

async function withSession(
  server: EmbeddedApiServer,
  test: (session: ClientHttp2Session) => Promise<void>,
  more: object = {},
): Promise<void> {
  const session = connect(server.url, { ca: server.ca ?? '', ...more })
  try {
    await test(session)
  } finally {
    await new Promise<void>(resolve => session.close(resolve))
  }
}

const cm = '/api/v1/namespaces/default/configmaps'

describe('startApiServer', () => {
  it('F1: answers on TLS by HTTP/2 and by HTTP/1.1, to a CA of its own', async () => {
    await using server = await startApiServer()
    await withSession(server, async session => {
      expect((await ask(session, '/version')).status).toBe(200)
      expect(session.alpnProtocol).toBe('h2')
    })
    const http1 = await new Promise<string | undefined>((resolve, reject) => {
      request(`${server.url}/version`, { ca: server.ca, agent: false }, answer => {
        answer.resume()
        answer.on('end', () => resolve(answer.httpVersion))
      })
        .on('error', reject)
        .end()
    })
    expect(http1).toBe('1.1')
  })

  it('F1: tokens and client certificates name the user, and RBAC decides the rights', async () => {
    await using server = await startApiServer({
      authorization: 'RBAC',
      tokens: { known: { name: 'known', groups: [] } },
    })
    const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
    await withSession(server, async session => {
      expect((await ask(session, cm, bearer(server.token))).status).toBe(200)
      expect((await ask(session, cm, bearer('known'))).text).toContain('User \\"known\\" cannot list')
      expect((await ask(session, cm, bearer('wrong'))).status).toBe(401)
      expect((await ask(session, cm)).text).toContain('system:anonymous')
    })
    const { certPem, keyPem } = await server.clientCertificate({ commonName: 'jane', organizations: ['team'] })
    await withSession(
      server,
      async session => expect((await ask(session, cm)).text).toContain('User \\"jane\\" cannot list'),
      {
        cert: certPem,
        key: keyPem,
      },
    )
    const boss = await server.clientCertificate({ commonName: 'boss', organizations: ['system:masters'] })
    await withSession(server, async session => expect((await ask(session, cm)).status).toBe(200), {
      cert: boss.certPem,
      key: boss.keyPem,
    })
  })

  it('F1: its kubeconfig has all that a client needs, in a file that only this user can read', async () => {
    await using server = await startApiServer()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-'))
    try {
      const path = join(folder, 'config')
      await server.writeKubeconfig(path)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      const config = JSON.parse(await readFile(path, 'utf8'))
      expect(config).toEqual(server.kubeconfig)
      expect(config.clusters[0].cluster.server).toBe(server.url)
      expect(Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString()).toBe(server.ca)
      expect(config.users[0].user.token).toBe(server.token)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('F1: is filled by the thousand, from an iterable or a module, and makes the namespaces that are named', async () => {
    await using server = await startApiServer({ sockets: false, clusterObjects: false })
    function* objects(): Generator<object> {
      for (let i = 0; i < 1000; i++) {
        const metadata = { name: `c${i}`, namespace: `n${i % 3}`, managedFields: [{ manager: 'm' }] }
        yield { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { i: `${i}` } }
      }
    }
    expect(await server.fill(objects())).toBe(1000)
    const module = `data:text/javascript,${encodeURIComponent(
      `export const pods = count => Array.from({ length: count }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' + i } }))`,
    )}`
    expect(await server.fill({ module, export: 'pods', args: [7] })).toBe(7)
    await expect(server.fill({ module })).rejects.toThrow(/exports no function default/)
    await expect(server.fill([{ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } }])).rejects.toThrow(
      /not served/,
    )
    await expect(server.fill([{ kind: 'ConfigMap' }])).rejects.toThrow(TypeError)
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x', namespace: 'n1' } }
    await expect(server.fill([node])).rejects.toThrow(/is in a namespace/)
    for (const source of ['text', null, {}, (async function* () {})()]) {
      await expect(server.fill(source as never)).rejects.toThrow(/takes an iterable of objects, or/)
    }
    const transport = server.transport({ latencyMs: 0 })
    const connection = await transport.connect(new URL(server.url), new AbortController().signal)
    const list = await new Promise<{ items: { metadata: object }[] }>((resolve, reject) => {
      let text = ''
      connection.request(
        { method: 'GET', path: '/api/v1/namespaces/n1/configmaps', headers: {} },
        {
          head: () => undefined,
          data(chunk) {
            text += Buffer.from(chunk).toString()
          },
          end: () => resolve(JSON.parse(text)),
          error: reject,
        },
      )
    })
    expect(list.items).toHaveLength(333)
    expect(list.items[0]?.metadata).toMatchObject({ managedFields: [{ manager: 'm' }], uid: expect.any(String) })
    await connection.close()
  })

  it('F2: a restart comes back on the same port; refused connections are refused', async () => {
    await using server = await startApiServer()
    const { url } = server
    const session = connect(url, { ca: server.ca ?? '' })
    const broken = new Promise<void>(resolve => session.once('close', () => resolve()))
    session.on('error', () => undefined)
    await ask(session, '/version')
    await server.restart()
    await broken
    expect(server.url).toBe(url)
    await withSession(server, async again => expect((await ask(again, '/version')).status).toBe(200))
    await server.refuse(true)
    const refused = await new Promise<string>(resolve => {
      const late = connect(url, { ca: server.ca ?? '' })
      late.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(refused).toBe('ECONNREFUSED')
  })

  it('F5: an exchange in memory keeps the process alive, and an idle server does not', async () => {
    const script = `
      const { startApiServer } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
      const server = await startApiServer({ sockets: false })
      const connection = await server.transport().connect(new URL(server.url), new AbortController().signal)
      const on = { head: status => console.log(status), data() {}, error: console.error }
      await new Promise(end => connection.request({ method: 'GET', path: '/version', headers: {} }, { ...on, end }))
    `
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...childFlags(),
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stdout).toBe('200\n')
  })

  it('F3: counts connections', async () => {
    await using server = await startApiServer()
    await withSession(server, async session => {
      await ask(session, '/version')
      expect((await server.stats()).connections).toEqual({ open: 1, total: 1 })
    })
  })

  it('X6: refuses options that it does not know or can not take', async () => {
    for (const options of [
      { nonsense: 1 },
      { tls: 'yes' },
      { port: -1 },
      { authorization: 'maybe' },
      { compactionMs: Number.NaN },
      { compactionMs: 0 },
      { port: 70_000 },
      { maxStreams: 0 },
      { maxStreams: 1.5 },
      { tokens: 'x' },
      { tokens: { a: { name: 'b' } } },
      { withoutWatchCache: 'events' },
      { clock: {} },
      { random: 5 },
      { establishMs: Number.POSITIVE_INFINITY },
      { controllerDelayMs: 3_000_000_000 },
    ]) {
      await expect(startApiServer(options as object)).rejects.toThrow(OptionError)
    }
  })
})
