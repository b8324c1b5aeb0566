/**
 * The process of the API that fan-out is measured with: ConfigMaps that are listed and watched, and changed on order as fast
 * as the sockets take them. It answers only these requests, so that it takes little of the machine, and counts.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fillSource } from '../../server/fill-source.ts'
import type { SourceAnswer, SourceOrder } from './source.ts'

const objects: string[] = []
const watches = new Set<ServerResponse>()
let version = 1
let requests = 0
let bytes = 0

async function send(response: ServerResponse, text: string): Promise<void> {
  bytes += Buffer.byteLength(text)
  if (!response.write(text) && !response.destroyed)
    await Promise.race([once(response, 'drain'), once(response, 'close')])
}

const place = '"resourceVersion":"0"'

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://source')
  requests++
  if (pathname !== '/api/v1/configmaps') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"kind":"Status","code":404}')
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  if (!searchParams.has('watch') || searchParams.get('watch') === '0') {
    await send(
      response,
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"},"items":[`,
    )
    for (const [index, text] of objects.entries()) await send(response, `${index > 0 ? ',' : ''}${at(text, 1)}`)
    await send(response, ']}')
    response.end()
    return
  }
  watches.add(response)
  response.on('close', () => watches.delete(response))
  response.flushHeaders()
  if (searchParams.get('sendInitialEvents') !== 'true') return
  for (const text of objects) await send(response, `{"type":"ADDED","object":${at(text, 1)}}\n`)
  const annotations = '{"k8s.io/initial-events-end":"true"}'
  const metadata = `{"resourceVersion":"${version}","annotations":${annotations}}`
  await send(response, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata}}}\n`)
}

function at(text: string, resourceVersion: number): string {
  return text.replace(place, `"resourceVersion":"${resourceVersion}"`)
}

/** `count` events of `keys` objects in turn, the last one of object 0; all at once, or `perSecond`. */
async function burst({ count, keys, perSecond }: Extract<SourceOrder, { what: 'burst' }>): Promise<void> {
  const size = 32
  const begin = performance.now()
  for (let sent = 0; sent < count; ) {
    const lines: string[] = []
    for (let i = 0; i < size && sent < count; i++) {
      sent++
      const index = sent === count ? 0 : 1 + (sent % (keys - 1))
      lines.push(`{"type":"MODIFIED","object":${at(objects[index] as string, ++version)}}\n`)
    }
    const text = lines.join('')
    await Promise.all([...watches].map(watch => send(watch, text)))
    if (perSecond === undefined) continue
    const early = (sent / perSecond) * 1000 - (performance.now() - begin)
    if (early > 1) await new Promise(resolve => setTimeout(resolve, early))
  }
}

async function obey(order: SourceOrder): Promise<SourceAnswer> {
  if (order.what === 'start') {
    for (const object of fillSource(order.objects)) {
      const { metadata, ...rest } = object as { metadata: object }
      const name = `config-map-${objects.length}`
      const whole = { ...rest, metadata: { ...metadata, name, uid: `uid-${objects.length}`, resourceVersion: '0' } }
      objects.push(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...whole }))
    }
    const server = createServer((request, response) => {
      answer(request, response).catch(() => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, bytes }
  }
  if (order.what === 'burst') await burst(order)
  return { url: '', requests, bytes }
}

process.on('message', (order: SourceOrder) => {
  obey(order).then(
    answer => process.send?.(answer),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
