import type { WebSocket } from 'ws'
import type { Upgrade } from '../exchange.ts'
import { StatusError } from '../status.ts'

/** The maximum size of a frame. Clients send at most 32 KiB in a frame. */
const maxFrameBytes = 16 * 1024 * 1024

/** The protocol with which a WebSocket is opened. Throws the server's 400 if the client offers no known protocol. */
export function chosenProtocol({ request }: Upgrade, known: readonly string[]): string {
  if (!/\bwebsocket\b/i.test(request.headers.upgrade ?? '')) {
    throw StatusError.missing(
      `connections that are upgraded to ${request.headers.upgrade ?? 'nothing'}: WebSockets are`,
    )
  }
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map(one => one.trim())
  const found = known.find(one => offered.includes(one))
  if (found !== undefined) return found
  throw StatusError.badRequest(
    `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]`,
  )
}

/** Opens the WebSocket. `ws` is imported at the first call. */
export async function openChannels(upgrade: Upgrade, protocol: string): Promise<WebSocket> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, handleProtocols: () => protocol })
  return new Promise((resolve, reject) => {
    upgrade.socket.once('close', () => reject(new Error('the client has gone')))
    server.handleUpgrade(upgrade.request, upgrade.socket, upgrade.head, resolve)
  })
}

/** Sends a frame. Resolves once the frame is sent, or the client has gone. */
export function sendFrame(socket: WebSocket, channel: number, data: Uint8Array): Promise<void> {
  const frame = Buffer.allocUnsafe(data.length + 1)
  frame[0] = channel
  frame.set(data, 1)
  return new Promise(resolve => socket.send(frame, { binary: true }, () => resolve()))
}
