import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerAddress } from '../harness/bench.ts'
import { fillSource } from './fill-source.ts'

/** Events of a watch change so many objects, one after the other, again and again. */
const KEYS = 10_000
/** The list's resourceVersion. */
const LISTED = 1_000_000
const CHUNK_BYTES = 256 * 1024

interface ConfigMap {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string; readonly namespace: string }
}

/**
 * An API server's answers as bytes made before, so that only their reader has work to do:
 *
 * - `events`: a list of up to 10,000 ConfigMaps, and a watch that sends `count` changes of them at once and stays open.
 * - `expired`: `count` ConfigMaps; each watch is answered at once that its resourceVersion is too old.
 *
 * Streaming lists are answered too. A client that asks for metadata alone gets no more. Plain HTTP/1.1, in pieces of 256 KiB, no faster than they
 * are taken.
 */
export async function startCanned(count: number, after: 'events' | 'expired'): Promise<ServerAddress> {
  const objects = [...fillSource(after === 'events' ? Math.min(count, KEYS) : count)].map((object, index) =>
    withVersion(object as ConfigMap, index, 1 + index),
  )
  const whole = answersOf(objects, count, after)
  const metadata = answersOf(objects.map(metadataOnly), count, after)

  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const { head, items, initial, tail } = request.headers.accept?.includes('as=PartialObjectMetadata')
      ? metadata
      : whole
    response.setHeader('content-type', 'application/json')
    const watch = ['1', 'true'].includes(searchParams.get('watch') ?? '')
    const parts = watch
      ? [...(searchParams.get('sendInitialEvents') === 'true' ? initial : []), ...tail]
      : [Buffer.from(head), ...items, Buffer.from(']}')]
    send(response, parts).then(
      () => {
        if (!watch || after === 'expired') response.end()
      },
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, token: 'none', emptyVersion: `${LISTED}` }
}

/** The texts of all answers. */
function answersOf(objects: readonly ConfigMap[], count: number, after: 'events' | 'expired'): Answers {
  const { kind, apiVersion } = objects[0] ?? {}
  return {
    head: `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{"resourceVersion":"${LISTED}"},"items":[`,
    items: chunks(objects.map((object, index) => `${index === 0 ? '' : ','}${JSON.stringify(bare(object))}`)),
    initial: chunks([
      ...objects.map(object => line('ADDED', object)),
      line('BOOKMARK', { kind, apiVersion, metadata: endOfInitialEvents }),
    ]),
    tail: after === 'events' ? chunks(changes(objects, count)) : [Buffer.from(line('ERROR', expired))],
  }
}

interface Answers {
  readonly head: string
  readonly items: readonly Buffer[]
  readonly initial: readonly Buffer[]
  readonly tail: readonly Buffer[]
}

function metadataOnly({ metadata }: ConfigMap): ConfigMap {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}

const endOfInitialEvents = { resourceVersion: `${LISTED}`, annotations: { 'k8s.io/initial-events-end': 'true' } }

const expired = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'too old',
}

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`

function withVersion<T extends ConfigMap>(object: T, index: number, version: number): T {
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${version}` } }
}

/** As an item of a list. */
function bare(object: object): object {
  const { kind: _, apiVersion: __, ...rest } = object as { kind?: string; apiVersion?: string }
  return rest
}

function* changes(objects: readonly ConfigMap[], count: number): Generator<string> {
  for (let n = 0; n < count; n++) {
    const index = n % objects.length
    yield line('MODIFIED', withVersion(objects[index] as ConfigMap, index, LISTED + 1 + n))
  }
}

function chunks(texts: Iterable<string>): Buffer[] {
  const all: Buffer[] = []
  let parts: string[] = []
  let length = 0
  for (const text of texts) {
    parts.push(text)
    length += text.length
    if (length < CHUNK_BYTES) continue
    all.push(Buffer.from(parts.join('')))
    parts = []
    length = 0
  }
  if (length > 0) all.push(Buffer.from(parts.join('')))
  return all
}

async function send(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  response.flushHeaders()
  for (const part of parts) {
    if (response.destroyed) return
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
}
