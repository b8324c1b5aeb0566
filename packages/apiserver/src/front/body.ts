import type { Readable } from 'node:stream'
import type { ServerReply } from '../exchange.ts'

const EMPTY = new Uint8Array(0)

/**
 * Reads a request's whole body and calls `done` once: with the body, or with `undefined` as soon as the body is known to be too long. The rest is read and
 * dropped. `done` is not called if the client disconnects before.
 */
export function readBody(
  stream: Readable,
  contentLength: string | undefined,
  maxBytes: number,
  done: (body: Uint8Array | undefined) => void,
): void {
  const chunks: Uint8Array[] = []
  let size = 0
  let tooLarge = false
  const refuse = () => {
    tooLarge = true
    chunks.length = 0
    done(undefined)
  }
  stream.on('data', (chunk: Uint8Array) => {
    if (tooLarge) return
    size += chunk.length
    if (size > maxBytes) refuse()
    else chunks.push(chunk)
  })
  stream.on('end', () => {
    if (!tooLarge) done(chunks.length === 1 ? chunks[0] : chunks.length === 0 ? EMPTY : Buffer.concat(chunks))
  })
  if (Number(contentLength ?? 0) > maxBytes) refuse()
}

/** The API server's 413 for a body that is too long. */
export function tooLargeStatus(maxBodyBytes: number): string {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Request entity too large: limit is ${maxBodyBytes}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  }
  return `${JSON.stringify(status)}\n`
}

/** Sends the 413 for a body that is too long. */
export function replyTooLarge(reply: ServerReply, maxBodyBytes: number): void {
  const status = Buffer.from(tooLargeStatus(maxBodyBytes))
  reply.head(413, {
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
    'content-length': String(status.length),
  })
  reply.write(status)
  reply.end()
}
