import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { fromUrl } from '@wherry/client/internal'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Asked, ask, type Question } from '../../testkit/asked.ts'
import { Ledger } from '../ledger/ledger.ts'
import { reportOf } from '../report/report.ts'
import { type AuditProxy, startProxy } from './proxy.ts'

let server: EmbeddedApiServer

beforeAll(async () => {
  server = await startApiServer({ clusterObjects: false, anonymous: false })
  const settings = Array.from({ length: 40 }, (_, at) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: `settings-${at}` } },
    data: { name: 'é'.repeat(2_000), metadata: '{"name":"no"}' },
  }))
  await server.fill(settings)
})

afterAll(() => server.close())

interface Audited extends AsyncDisposable {
  readonly ledger: Ledger
  readonly proxy: AuditProxy
  readonly asked: Asked
}

async function audited(access = fromUrl(server.url, { ca: server.ca, token: server.token })): Promise<Audited> {
  const ledger = new Ledger(() => 0, 10_000)
  const proxy = await startProxy(access, ledger)
  return { ledger, proxy, asked: askedOf(proxy), [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

function askedOf({ url, kubeconfig }: AuditProxy): Asked {
  const ca = kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? ''
  return { url, ca: Buffer.from(ca, 'base64').toString(), token: kubeconfig.users[0]?.user.token }
}

const direct = (): Asked => ({ url: server.url, ca: server.ca ?? '', token: server.token })
const report = ({ ledger }: Audited) => reportOf(ledger, { seconds: 1, rest: undefined, memory: [] })

const protobuf = 'application/vnd.kubernetes.protobuf'
const configMaps = '/api/v1/namespaces/default/configmaps'
/** Their answers differ in the time of their date only. */
const unlike = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'audit-id', ':status'])
const like = (headers: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !unlike.has(name)))

const forms = (['h2', 'http/1.1'] as const).flatMap(protocol =>
  [
    { accept: 'application/json' },
    { accept: 'application/json', 'accept-encoding': 'gzip' },
    { accept: protobuf },
    { accept: protobuf, 'accept-encoding': 'gzip' },
    { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
    { accept: `${protobuf};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io` },
    { accept: 'application/yaml' },
  ].map(headers => ({ protocol, headers, title: `${protocol} ${Object.values(headers).join(' ')}` })),
)

it.each(['h2', 'http/1.1'] as const)('a request with a header named constructor passes: %s', async protocol => {
  await using run = await audited()
  const question = { protocol, headers: { accept: 'application/json', constructor: 'x' }, path: configMaps }
  expect((await ask(run.asked, question)).status).toBe(200)
})

it.each(forms)('a list passes unchanged, and its objects are counted: $title', async ({ protocol, headers }) => {
  await using run = await audited()
  const question = { protocol, headers, path: configMaps }
  const [through, plain] = [await ask(run.asked, question), await ask(direct(), question)]
  expect(through.status).toBe(200)
  // A Table has the age of each object.
  const [got, wanted] = [through, plain].map(({ body }) => body.toString('latin1').replaceAll(/"\d+s"/g, 'AGE'))
  expect(got === wanted).toBe(true)
  expect(like(through.headers)).toEqual(like(plain.headers))
  await run.proxy.settled()
  const isRead = headers.accept !== 'application/yaml'
  const { bytes = 0, ...rest } = report(run).collections[0] ?? {}
  expect(rest).toMatchObject({
    ...{ resource: 'configmaps', namespace: 'default', lists: 1, watches: 0, wireBytes: through.body.length },
    ...{ objects: isRead ? 40 : 0, distinct: isRead ? 40 : 0 },
  })
  if (!('accept-encoding' in headers)) expect(bytes).toBe(through.body.length)
  else expect(bytes).toBeGreaterThan(through.body.length)
})

it.each(forms.filter(({ headers }) => headers.accept !== 'application/yaml' && !('accept-encoding' in headers)))(
  'the events of a watch pass as they come, and are counted: $title',
  async ({ protocol, headers }) => {
    await using run = await audited()
    const { signal, abort } = abortable()
    const watching = ask(run.asked, { protocol, headers, signal, path: `${configMaps}?watch=true` })
    watching.catch(() => undefined)
    const seen = () => report(run).collections[0]?.objects ?? 0
    await vi.waitFor(() => expect(seen()).toBe(40))
    const body = JSON.stringify({ data: { at: `${protocol} ${headers.accept}` } })
    const patch = { 'content-type': 'application/merge-patch+json' }
    const path = `${configMaps}/settings-3`
    await ask(direct(), { protocol, method: 'PATCH', path, headers: patch, body })
    await vi.waitFor(() => expect(seen()).toBe(41))
    abort()
    await expect(watching).rejects.toThrow()
    await run.proxy.settled()
    expect(report(run).collections[0]).toMatchObject({ watches: 1, objects: 41, distinct: 40 })
    // The server has seen that the program is gone.
    await vi.waitFor(async () => expect((await server.stats()).total.openStreams).toBe(0))
  },
)

function abortable(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe('writes', () => {
  const put = async (run: Audited, name: string, change: object): Promise<number> => {
    const { body } = await ask(direct(), { protocol: 'h2', path: `${configMaps}/${name}` })
    const object = { ...(JSON.parse(body.toString()) as object), ...change }
    const question: Question = {
      ...{ protocol: 'h2', method: 'PUT', path: `${configMaps}/${name}`, body: JSON.stringify(object) },
      headers: { 'content-type': 'application/json', 'user-agent': 'game/1.0' },
    }
    return (await ask(run.asked, question)).status
  }

  it('that change nothing are counted: their answer has the version from before', async () => {
    await using run = await audited()
    expect(await put(run, 'settings-1', {})).toBe(200)
    expect(await put(run, 'settings-1', { data: { now: 'another' } })).toBe(200)
    expect(await put(run, 'settings-1', { data: { now: 'another' } })).toBe(200)
    await run.proxy.settled()
    expect(report(run).byName).toMatchObject([{ resource: 'configmaps', update: 3, unchanged: 2 }])
  })

  it.each(['h2', 'http/1.1'] as const)('patches are counted by manager and type: %s', async protocol => {
    await using run = await audited()
    const patch = (query: string, type: string, value: string): Promise<unknown> =>
      ask(run.asked, {
        ...{ protocol, method: 'PATCH', path: `${configMaps}/settings-2?${query}` },
        body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { at: `${value} ${protocol}` } }),
        headers: { 'content-type': `application/${type}`, 'user-agent': 'game/1.0 (linux)' },
      })
    await patch('', 'merge-patch+json', 'a')
    await patch('dryRun=All', 'merge-patch+json', 'a')
    await patch('fieldManager=arcade&force=true', 'apply-patch+yaml', 'b')
    await patch('fieldManager=arcade&force=true', 'apply-patch+yaml', 'b')
    await run.proxy.settled()
    expect(report(run).patches).toEqual([
      { resource: 'configmaps', manager: 'game', type: 'merge', times: 2, unchanged: 0 },
      { resource: 'configmaps', manager: 'arcade', type: 'apply', times: 2, unchanged: 1 },
    ])
  })

  it.each(['h2', 'http/1.1'] as const)('a body of a DELETE passes: %s', async protocol => {
    await using run = await audited()
    const [name, body] = [
      `settings-${protocol === 'h2' ? 20 : 21}`,
      JSON.stringify({ preconditions: { uid: 'another' } }),
    ]
    const question: Question = { protocol, method: 'DELETE', path: `${configMaps}/${name}`, body }
    const { status } = await ask(run.asked, { ...question, headers: { 'content-type': 'application/json' } })
    expect(status).toBe(409)
  })
})

it('a request without the token of the proxy has no rights', async () => {
  await using run = await audited()
  for (const token of [undefined, 'another'])
    expect((await ask({ ...run.asked, token }, { protocol: 'h2', path: configMaps })).status).toBe(401)
  expect((await ask({ ...run.asked, token: server.token }, { protocol: 'h2', path: configMaps })).status).toBe(200)
  expect(report(run).refusals).toMatchObject([{ status: 401, verb: 'list', resource: 'configmaps', times: 2 }])
})

it('a relist is counted with its reason', async () => {
  await using run = await audited()
  const list = (): Promise<unknown> => ask(run.asked, { protocol: 'h2', path: configMaps })
  const watch = (query: string): Promise<unknown> =>
    ask(run.asked, { protocol: 'h2', path: `${configMaps}?watch=true&${query}` })
  await list()
  await list()
  await watch('timeoutSeconds=1')
  await list()
  await list()
  await run.proxy.settled()
  expect(report(run).collections[0]?.relists).toEqual({ unwatched: 2, closed: 1 })
})

/** A server of plain HTTP that answers as it is written here. */
async function scripted(
  listener: RequestListener,
): Promise<{ url: string; server: ReturnType<typeof createServer> } & AsyncDisposable> {
  const own = createServer(listener).listen(0, '127.0.0.1')
  await once(own, 'listening')
  return {
    server: own,
    url: `http://127.0.0.1:${(own.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      own.closeAllConnections()
      await new Promise(closed => own.close(closed))
    },
  }
}

it('the token of the proxy is for the proxy alone', async () => {
  const seen: unknown[] = []
  await using server = await scripted(({ headers }, answer) => {
    seen.push(headers.authorization)
    answer.end()
  })
  await using run = await audited(fromUrl(server.url))
  await ask(run.asked, { protocol: 'h2', path: configMaps })
  await ask({ ...run.asked, token: 'of a ServiceAccount' }, { protocol: 'h2', path: configMaps })
  expect(seen).toEqual([undefined, 'Bearer of a ServiceAccount'])
})

it('an answer begins before its first byte comes, as a watch without events does', async () => {
  await using silent = await scripted((_, answer) => answer.writeHead(200).flushHeaders())
  await using run = await audited(fromUrl(silent.url))
  const { url, ca, token } = run.asked
  const headers = { authorization: `Bearer ${token}` }
  const sent = request(new URL(`${configMaps}?watch=1`, url), { ca, headers, agent: false }).end()
  sent.on('error', () => undefined)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  sent.destroy()
  await run.proxy.settled()
})

it.each(['h2', 'http/1.1'] as const)('an answer that is cut off is cut off for the program too: %s', async protocol => {
  await using cut = await scripted((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' })
    answer.write('{"items":[', () => answer.destroy())
  })
  await using run = await audited(fromUrl(cut.url))
  await expect(ask(run.asked, { protocol, path: `${configMaps}?watch=1` })).rejects.toThrow()
  await expect(ask(run.asked, { protocol, path: configMaps })).rejects.toThrow()
  await run.proxy.settled()
})

it('an upgrade passes with the bytes of both sides, and counts the received bytes; a refused one passes as it is', async () => {
  await using upgrading = await scripted(() => undefined)
  upgrading.server.on('upgrade', ({ url }, socket: Socket) => {
    if (url?.includes('refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nfirst ')
    socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()))
    socket.on('end', () => socket.end())
  })
  await using run = await audited(fromUrl(upgrading.url))
  const upgraded = async (path: string, then: string): Promise<string> => {
    const { port } = new URL(run.asked.url)
    const socket = tlsConnect({ port: Number(port), host: '127.0.0.1', ca: run.asked.ca, ALPNProtocols: ['http/1.1'] })
    socket.setEncoding('utf8')
    const lines = [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: SPDY/3.1']
    socket.write(`${[...lines, `Authorization: Bearer ${run.asked.token}`].join('\r\n')}\r\n\r\n`)
    let text = ''
    for await (const part of socket) {
      if (text === '') socket.write(then)
      text += part
      if (text.endsWith('HELLO')) socket.end()
    }
    return text
  }
  const exec = '/api/v1/namespaces/default/pods/a/exec?command=ls'
  expect(await upgraded(exec, 'hello')).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*\r\n\r\nfirst HELLO$/)
  expect(await upgraded(`${exec}&refused`, '')).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*\r\n\r\nno$/)
  expect(report(run)).toMatchObject({
    byName: [{ resource: 'pods/exec', connect: 2, bytes: 'first HELLO'.length + 'no'.length }],
    refusals: [{ status: 403, verb: 'connect', resource: 'pods/exec' }],
  })
})
