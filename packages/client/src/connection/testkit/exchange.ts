import type { Connection, Exchange, RequestHead, ResponseHeaders } from '../../transport.ts'

/** One request on a bare connection, written down. */
export interface Recorded {
  readonly exchange: Exchange
  /** `200`, then chunks joined, then `end` or the error's code. */
  readonly log: string[]
  readonly head: Promise<{ readonly status: number; readonly headers: ResponseHeaders }>
  /** Resolves to the whole body, or rejects with the error. */
  readonly body: Promise<string>
  /** Bytes of the body so far. */
  bytes(): number
}

/** Sends a request on `connection` and writes down what it receives. */
export function record(connection: Connection, head: Partial<RequestHead> = {}): Recorded {
  const log: string[] = []
  const chunks: Uint8Array[] = []
  let bytes = 0
  const heads = Promise.withResolvers<{ status: number; headers: ResponseHeaders }>()
  const body = Promise.withResolvers<string>()
  heads.promise.catch(() => {})
  body.promise.catch(() => {})
  const exchange = connection.request(
    { method: 'GET', path: '/', headers: {}, ...head },
    {
      head(status, headers) {
        log.push(`${status}`)
        heads.resolve({ status, headers })
      },
      data(chunk) {
        bytes += chunk.length
        chunks.push(Buffer.from(chunk))
      },
      end() {
        log.push('end')
        body.resolve(Buffer.concat(chunks).toString())
      },
      error(cause) {
        log.push((cause as { code?: string }).code ?? cause.message)
        heads.reject(cause)
        body.reject(cause)
      },
    },
  )
  return { exchange, log, head: heads.promise, body: body.promise, bytes: () => bytes }
}
