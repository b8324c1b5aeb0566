import type { WebSocket, WebSocketServer } from 'ws'
import type { Upgrade } from '../exchange.ts'
import { StatusError } from '../status.ts'

/** A client sends 32 KiB in a frame at most. */
const maxFrameBytes = 16 * 1024 * 1024

const servers = new Map<string, Promise<WebSocketServer>>()

/** The protocol that a WebSocket is opened with. Throws the server's 400 if the client offers none of them. */
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

/** Opens the WebSocket. `ws` is loaded with the first one. */
export async function openChannels(upgrade: Upgrade, protocol: string): Promise<WebSocket> {
  let loading = servers.get(protocol)
  if (loading === undefined) {
    loading = import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, handleProtocols: () => protocol }),
    )
    servers.set(protocol, loading)
  }
  const server = await loading
  return new Promise((resolve, reject) => {
    upgrade.socket.once('close', () => reject(new Error('the client has gone')))
    server.handleUpgrade(upgrade.request, upgrade.socket, upgrade.head, resolve)
  })
}

/** Sends a frame. Resolves once it has left, or the client has gone. */
export function sendFrame(socket: WebSocket, channel: number, data: Uint8Array): Promise<void> {
  const frame = Buffer.allocUnsafe(data.length + 1)
  frame[0] = channel
  frame.set(data, 1)
  return new Promise(resolve => socket.send(frame, { binary: true }, () => resolve()))
}
