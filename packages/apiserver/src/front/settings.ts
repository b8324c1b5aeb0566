import { getPackedSettings } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'

const PREFACE_BYTES = 24
const FRAME_HEADER_BYTES = 9
const SETTINGS = 4
const ACK = 1
/** The maximum number of bytes that a client may send before its ACK: generously, its connection window and one header block. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

export interface Announcement {
  readonly socket: Socket
  readonly maxStreams: number
  readonly clock: Clock
  /** The maximum time to wait for the client, in milliseconds. `Infinity`: no limit. */
  readonly timeoutMs: number
}

/**
 * Announces MAX_CONCURRENT_STREAMS without Node's HTTP/2 session. Calls `ready` when the announcement was sent, the client has acknowledged it, and the socket
 * can be given to a session. A client that does not acknowledge it within `timeoutMs` is disconnected.
 *
 * The reason: if a client opens one stream more than the session announced, nghttp2 ends the whole connection, but Go's server resets that single stream. So
 * the session knows no limit, the client reads the limit from this function's SETTINGS frame, and streams past the limit are reset one by one. The session
 * never sent that frame, so the client's ACK must not reach it and is cut out here.
 */
export function announceMaxStreams({ socket, maxStreams, clock, timeoutMs }: Announcement, ready: () => void): void {
  const payload = getPackedSettings({ maxConcurrentStreams: maxStreams })
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = SETTINGS
  let isWritten = false
  let bytes: Buffer = Buffer.alloc(0)
  const timer = Number.isFinite(timeoutMs) ? clock.timer(timeoutMs, () => socket.destroy()) : undefined
  const stop = () => {
    timer?.cancel()
    socket.off('readable', read)
    socket.off('close', stop)
  }
  const read = () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      bytes = Buffer.concat([bytes, chunk])
    }
    const ack = findAck(bytes)
    if (ack === undefined || !isWritten) {
      if (bytes.length > MAX_BUFFERED_BYTES) socket.destroy()
      return
    }
    stop()
    socket.unshift(Buffer.concat([bytes.subarray(0, ack), bytes.subarray(ack + FRAME_HEADER_BYTES)]))
    ready()
  }
  // A session writes without the socket's queue. If a TLS socket is still writing at that time, Node ends the process.
  socket.write(Buffer.concat([header, payload]), () => {
    isWritten = true
    read()
  })
  socket.on('readable', read)
  socket.on('close', stop)
}

/** The start of the first SETTINGS ACK, if its bytes have arrived. */
function findAck(bytes: Buffer): number | undefined {
  let at = PREFACE_BYTES
  while (at + FRAME_HEADER_BYTES <= bytes.length) {
    if (bytes[at + 3] === SETTINGS && ((bytes[at + 4] ?? 0) & ACK) !== 0) return at
    at += FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3)
  }
  return undefined
}
