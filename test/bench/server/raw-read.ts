import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'

/** One request over a bare socket. */
export interface RawRequest {
  /** Of a server on plain http. */
  readonly url: string
  readonly token: string
  /** With its query. */
  readonly path: string
  /** @default application/json */
  readonly accept?: string | undefined
  /** Hang up after so many lines of the body; without it the server ends the answer. */
  readonly lines?: number | undefined
}

/** What came. */
export interface RawAnswer {
  /** From the request to the last byte, the connection being there. */
  readonly ms: number
  /** Bytes of the whole answer, its framing included. */
  readonly bytes: number
  /** Lines of the body, when they were asked for. */
  readonly lines: number
}

const NEWLINE = 10
const RETURN = 13

/**
 * Reads an answer as fast as a socket gives it, into one buffer that is used again and again, and only
 * counts: the sender can't be held up by the reader. Rejects when the status is not 200 or the connection breaks.
 */
export function readRaw(request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(request.url)
  const wanted = request.lines ?? Number.POSITIVE_INFINITY
  return new Promise((resolve, reject) => {
    let bytes = 0
    let lines = 0
    let before = 0
    let start = 0
    const buffer = Buffer.allocUnsafeSlow(1024 * 1024)
    const finish = (): void => {
      const ms = performance.now() - start
      socket.destroy()
      resolve({ ms, bytes, lines })
    }
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer,
        callback: read => {
          const isFirst = bytes === 0
          bytes += read
          if (isFirst && !buffer.toString('latin1', 0, Math.min(read, 64)).startsWith('HTTP/1.1 200')) {
            socket.destroy(new Error(`not 200: ${buffer.toString('latin1', 0, Math.min(read, 500))}`))
            return false
          }
          if (wanted === Number.POSITIVE_INFINITY) return true
          // The newlines of HTTP's own framing all follow a return; those of the body, which is JSON, never do.
          for (let at = buffer.indexOf(NEWLINE); at !== -1 && at < read; at = buffer.indexOf(NEWLINE, at + 1)) {
            if ((at === 0 ? before : buffer[at - 1]) !== RETURN) lines++
          }
          before = buffer[read - 1] ?? 0
          if (lines >= wanted) finish()
          return true
        },
      },
    })
    socket.once('connect', () => {
      start = performance.now()
      const headers = `host: ${hostname}:${port}\r\nauthorization: Bearer ${request.token}\r\naccept: ${request.accept ?? 'application/json'}\r\nconnection: close`
      socket.write(`GET ${request.path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    })
    socket.once('end', () =>
      wanted === Number.POSITIVE_INFINITY ? finish() : reject(new Error(`ended after ${lines} lines`)),
    )
    socket.once('error', reject)
  })
}
