import type { Readable } from 'node:stream'
import type { ServerReply } from '../exchange.ts'

const EMPTY = new Uint8Array(0)

/** The bounds of what a client may send. */
export interface BodyLimit {
  readonly maxBodyBytes: number
  /** How much past the bound is read and dropped before the answer. HTTP/1.1 has no way to say "send no more". */
  readonly lingerBytes: number
}

/**
 * Reads a request's body whole and calls `done` once: with the body, or with `undefined` as soon as
 * it is longer than the bound (and what may linger has been read). Not called when the client goes first.
 */
export function readBody(
  stream: Readable,
  contentLength: string | undefined,
  limit: BodyLimit,
  done: (body: Uint8Array | undefined) => void,
): void {
  const chunks: Uint8Array[] = []
  let size = 0
  let settled = false
  const tooLarge = () => size > limit.maxBodyBytes || Number(contentLength ?? 0) > limit.maxBodyBytes
  const settle = (body: Uint8Array | undefined) => {
    if (settled) return
    settled = true
    done(body)
  }
  stream.on('data', (chunk: Uint8Array) => {
    size += chunk.length
    if (!tooLarge()) chunks.push(chunk)
    else {
      chunks.length = 0
      if (size > limit.maxBodyBytes + limit.lingerBytes) settle(undefined)
    }
  })
  stream.on('end', () => {
    if (tooLarge()) settle(undefined)
    else settle(chunks.length === 1 ? chunks[0] : chunks.length === 0 ? EMPTY : Buffer.concat(chunks))
  })
  if (tooLarge() && limit.lingerBytes === 0) settle(undefined)
}

/** Answers as the API server does when a body is past its bound. */
export function replyTooLarge(reply: ServerReply, maxBodyBytes: number): void {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Request entity too large: limit is ${maxBodyBytes}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  }
  const body = Buffer.from(`${JSON.stringify(status)}\n`)
  reply.head(413, { 'content-type': 'application/json', 'content-length': String(body.length) })
  reply.write(body)
  reply.end()
}
