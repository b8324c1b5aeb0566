import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

/** HTTP/2 frame types. */
const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const PING = 6
const GOAWAY = 7

/** An HTTP/2 connection on which a test says each frame itself: what no well-behaved server library would send. */
export interface FrameConnection {
  readonly socket: TLSSocket
  /** RST_STREAMs of the client: stream and code. */
  readonly resets: (readonly [stream: number, code: number])[]
  /** `:status: 200`, and no more. */
  head(stream: number, flags?: { readonly end?: boolean }): void
  data(stream: number, text: string, flags?: { readonly end?: boolean }): void
  rst(stream: number, code: number): void
  goaway(lastStream: number, code?: number): void
}

export interface FrameServer {
  readonly url: URL
  close(): Promise<void>
}

/** Answers the `n`th request of a connection with whatever frames `onRequest` sends. */
export async function frameServer(
  tls: { readonly cert: string; readonly key: string },
  onRequest: (connection: FrameConnection, stream: number) => void,
  options: { readonly maxStreams?: number; readonly silent?: boolean } = {},
): Promise<FrameServer> {
  const sockets = new Set<TLSSocket>()
  const server = createServer({ ...tls, ALPNProtocols: ['h2'] }, socket => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    const resets: (readonly [number, number])[] = []
    const send = (type: number, flags: number, stream: number, payload: Uint8Array): void => {
      const header = Buffer.alloc(9)
      header.writeUIntBE(payload.length, 0, 3)
      header[3] = type
      header[4] = flags
      header.writeUInt32BE(stream, 5)
      if (!socket.destroyed) socket.write(Buffer.concat([header, payload]))
    }
    const connection: FrameConnection = {
      socket,
      resets,
      head: (stream, { end = false } = {}) => send(HEADERS, 4 | (end ? 1 : 0), stream, Buffer.from([0x88])),
      data: (stream, text, { end = false } = {}) => send(DATA, end ? 1 : 0, stream, Buffer.from(text)),
      rst: (stream, code) => send(RST_STREAM, 0, stream, uint32(code)),
      goaway: (lastStream, code = 0) => send(GOAWAY, 0, 0, Buffer.concat([uint32(lastStream), uint32(code)])),
    }
    if (options.silent) return
    send(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 3]), uint32(options.maxStreams ?? 100)]))
    let bytes: Buffer = Buffer.alloc(0)
    let preface = 24
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (preface > 0 && bytes.length >= preface) {
        bytes = bytes.subarray(preface)
        preface = 0
      }
      while (preface === 0 && bytes.length >= 9) {
        const length = bytes.readUIntBE(0, 3)
        if (bytes.length < 9 + length) break
        const [type, flags, stream] = [bytes[3], bytes[4] ?? 0, bytes.readUInt32BE(5)]
        const payload = bytes.subarray(9, 9 + length)
        bytes = bytes.subarray(9 + length)
        if (type === SETTINGS && (flags & 1) === 0) send(SETTINGS, 1, 0, Buffer.alloc(0))
        if (type === PING && (flags & 1) === 0) send(PING, 1, 0, payload)
        if (type === RST_STREAM) resets.push([stream, payload.readUInt32BE(0)])
        if (type === HEADERS) onRequest(connection, stream)
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}
