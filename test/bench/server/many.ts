import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerAddress } from '../harness/bench.ts'
import { fillSource, podSource } from './fill-source.ts'

/** Stands for the number of an object, in twelve digits. */
const mark = '@@@@@@@@@@@@'
/** So many objects are made; those after them have the same texts with other numbers. */
const made = 20_000
const chunkBytes = 256 * 1024
/** Larger than any object's. */
const listed = '2000000000000'

interface Made {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: object
  readonly data?: Readonly<Record<string, string>>
}

/**
 * A server with as many ConfigMaps, and as many Pods, as the path of a request says: `/of/1000000/api/v1/pods`. It makes each answer while it sends it, so
 * it holds none of them. It answers lists, whole and in pages, and watches with initial events, which stay open. Each object has a name, a uid and a
 * resourceVersion of its own, and so has each value of a ConfigMap. Plain HTTP/1.1.
 */
export async function startMany(): Promise<ServerAddress> {
  const kinds = new Map([
    ['configmaps', new Kind(fillSource(made) as Iterable<Made>)],
    ['pods', new Kind(podSource(made) as Iterable<Made>)],
  ])
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const [, count, plural = ''] = /^\/of\/(\d+)\/api\/v1\/(\w+)$/.exec(pathname) ?? []
    const kind = kinds.get(plural)
    const discovered = discovery.get(pathname.replace(/^\/of\/\d+/, ''))
    if (discovered !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(discovered))
      return
    }
    if (kind === undefined) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    const isWatch = ['1', 'true'].includes(searchParams.get('watch') ?? '')
    const from = Number(searchParams.get('continue') ?? 0)
    const to = Math.min(Number(count), from + Number(searchParams.get('limit') ?? count))
    const isInitial = searchParams.get('sendInitialEvents') === 'true'
    const pieces = isWatch
      ? isInitial
        ? kind.events(Number(count))
        : []
      : kind.list(from, to, to < Number(count) ? `${to}` : '')
    send(response, pieces).then(
      () => isWatch || response.end(),
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, token: 'none', emptyVersion: '0' }
}

/** What client-go asks first. */
const discovery: ReadonlyMap<string, object> = new Map<string, object>([
  ['/api', { kind: 'APIVersions', versions: ['v1'] }],
  ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [] }],
  [
    '/api/v1',
    {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        { name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['list', 'watch'] },
        { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list', 'watch'] },
      ],
    },
  ],
])

/** A text with places for a number. */
class Template {
  readonly #bytes: Buffer
  readonly #places: readonly number[]

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
    const places: number[] = []
    for (let at = this.#bytes.indexOf(mark); at >= 0; at = this.#bytes.indexOf(mark, at + 1)) places.push(at)
    this.#places = places
  }

  get length(): number {
    return this.#bytes.length
  }

  write(to: Buffer, at: number, number: number): void {
    this.#bytes.copy(to, at)
    const digits = String(number).padStart(mark.length, '0')
    for (const place of this.#places) to.write(digits, at + place, 'latin1')
  }
}

class Kind {
  readonly #objects: readonly Made[]
  #items: readonly Template[] | undefined
  #events: readonly Template[] | undefined

  constructor(objects: Iterable<Made>) {
    this.#objects = [...objects].map(object => ({
      ...object,
      metadata: {
        ...object.metadata,
        name: `object-${mark}`,
        uid: `00000000-0000-4000-8000-${mark}`,
        resourceVersion: `1${mark}`,
      },
      ...(object.data && {
        data: Object.fromEntries(
          Object.entries(object.data).map(([key, value]) => [key, `${mark}${value.slice(mark.length)}`]),
        ),
      }),
    }))
  }

  *list(from: number, to: number, next: string): Generator<Buffer> {
    const [{ kind = '', apiVersion = '' } = {}] = this.#objects
    this.#items ??= this.#objects.map(
      ({ kind: _, apiVersion: __, ...item }) => new Template(`,${JSON.stringify(item)}`),
    )
    const metadata = JSON.stringify({ resourceVersion: listed, continue: next })
    yield Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${metadata},"items":[`)
    let isFirst = true
    for (const chunk of chunks(this.#items, from, to)) {
      yield isFirst ? chunk.subarray(1) : chunk
      isFirst = false
    }
    yield Buffer.from(']}')
  }

  *events(count: number): Generator<Buffer> {
    const [{ kind = '', apiVersion = '' } = {}] = this.#objects
    this.#events ??= this.#objects.map(object => new Template(`${JSON.stringify({ type: 'ADDED', object })}\n`))
    yield* chunks(this.#events, 0, count)
    const metadata = { resourceVersion: listed, annotations: { 'k8s.io/initial-events-end': 'true' } }
    yield Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } })}\n`)
  }
}

function* chunks(templates: readonly Template[], from: number, to: number): Generator<Buffer> {
  for (let number = from; number < to; ) {
    const chunk = Buffer.allocUnsafe(2 * chunkBytes)
    let at = 0
    for (; number < to && at < chunkBytes; number++) {
      const one = templates[number % templates.length] as Template
      one.write(chunk, at, number)
      at += one.length
    }
    yield chunk.subarray(0, at)
  }
}

async function send(response: ServerResponse, pieces: Iterable<Buffer>): Promise<void> {
  response.flushHeaders()
  for (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
}
