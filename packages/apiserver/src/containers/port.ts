import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { sendFrame } from './channels.ts'
import type { PortForwardCall, PortForwardHandler } from './handlers.ts'

export const portProtocols: readonly string[] = ['v4.channel.k8s.io']

const channels = { data: 0, error: 1 } as const

/** Plays the program at a port, over an open WebSocket. Resolves when the connection is over. */
export async function playPort(
  socket: WebSocket,
  pod: Pick<PortForwardCall, 'namespace' | 'pod' | 'port'>,
  handler: PortForwardHandler,
): Promise<void> {
  const gone = new AbortController()
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _, done) => void sendFrame(socket, channels.data, chunk).then(() => done()),
    final: done => {
      socket.close(1000)
      done()
    },
    destroy: (error, done) => {
      socket.close(1000)
      done(error)
    },
  })
  stream.on('error', () => {})
  socket.on('message', data => {
    const frame = data as Buffer
    if (frame[0] === channels.data && !stream.push(frame.subarray(1))) socket.pause()
  })
  void closed.then(() => {
    gone.abort(new Error('the client has gone'))
    stream.destroy()
  })
  const port = Buffer.alloc(2)
  port.writeUInt16LE(pod.port)
  await sendFrame(socket, channels.data, port)
  await sendFrame(socket, channels.error, port)
  try {
    await handler({ ...pod, stream, signal: gone.signal })
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    await sendFrame(
      socket,
      channels.error,
      Buffer.from(`error forwarding port ${pod.port} to pod ${pod.pod}, uid : ${said}`),
    )
    stream.destroy()
  }
  await closed
}
