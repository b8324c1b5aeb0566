import { Agent, request } from 'undici'
import { basic, type Credentials } from '../registry/credentials.ts'
import { digestOf } from './releases.ts'

/** A registry to test with. */
export interface TestRegistry {
  /** With its port. */
  readonly host: string
  /** PEM. */
  readonly ca: string
  readonly credentials: Credentials
  /** Changes the bytes of a blob behind its back. */
  corrupt(digest: string, change: (bytes: Buffer) => Buffer): Promise<void>
  /** Makes it unreachable, until `start`, where it is at the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Pushes content as the only layer of a manifest. Gives the digests of both. */
export async function push(
  registry: TestRegistry,
  repository: string,
  { content, mediaType, tag }: { readonly content: Buffer; readonly mediaType: string; readonly tag?: string },
): Promise<{ readonly manifest: string; readonly blob: string }> {
  const dispatcher = new Agent({ connect: { ca: registry.ca } })
  const base = `https://${registry.host}/v2/${repository}`
  const send = async (method: 'POST' | 'PUT', url: URL | string, type: string, body: Buffer): Promise<string> => {
    const headers = { authorization: basic(registry.credentials), 'content-type': type }
    const answer = await request(url, { method, headers, body, dispatcher })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${text}`)
    return `${answer.headers.location ?? ''}`
  }
  const blob = async (bytes: Buffer): Promise<string> => {
    const at = new URL(await send('POST', `${base}/blobs/uploads/`, 'application/octet-stream', Buffer.alloc(0)), base)
    at.searchParams.set('digest', digestOf(bytes))
    await send('PUT', at, 'application/octet-stream', bytes)
    return digestOf(bytes)
  }
  try {
    const empty = Buffer.from('{}')
    const layer = { mediaType, digest: await blob(content), size: content.length }
    const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: await blob(empty), size: empty.length }
    const type = 'application/vnd.oci.image.manifest.v1+json'
    const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers: [layer] }))
    await send('PUT', `${base}/manifests/${tag ?? digestOf(manifest)}`, type, manifest)
    return { manifest: digestOf(manifest), blob: layer.digest }
  } finally {
    await dispatcher.close()
  }
}
