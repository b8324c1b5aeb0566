import { createHash, type Hash } from 'node:crypto'
import { RegistryError } from './errors.ts'

/** What a stream must hold. */
export interface Expected {
  /** Of errors: `the blob sha256:…`. */
  readonly what: string
  readonly digest: string
  readonly maxBytes: number
}

/**
 * Reads a stream whole, and computes its digest meanwhile.
 *
 * @throws RegistryError `TooLarge` as soon as there are more bytes than allowed, `WrongDigest` at the end
 */
export async function verified(stream: AsyncIterable<Buffer>, { what, digest, maxBytes }: Expected): Promise<Buffer> {
  const hash = createHash('sha256')
  const content = await bounded(hashed(stream, hash), what, maxBytes)
  const found = `sha256:${hash.digest('hex')}`
  if (found !== digest) throw new RegistryError('WrongDigest', `${what} has the digest ${found}`)
  return content
}

/** Reads a stream whole. @throws RegistryError `TooLarge` as soon as there are more bytes than allowed */
export async function bounded(stream: AsyncIterable<Buffer>, what: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new RegistryError('TooLarge', `${what} has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

async function* hashed(stream: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    hash.update(chunk)
    yield chunk
  }
}

export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)
}

/** The sha256 digest of bytes, as registries write it. */
export function digestOf(bytes: string | Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
