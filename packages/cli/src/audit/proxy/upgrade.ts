import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { OpenCall } from '../ledger/open-call.ts'
import { flow, type Sink } from './flow.ts'
import type { passing } from './headers.ts'
import type { Upstream } from './upstream.ts'

/** Passes on a request that upgrades its connection to another protocol, as `exec` and `port-forward` do, and then the bytes of both sides. Never rejects. */
export async function passUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  early: Buffer,
  { upstream, call, isOwn, headers }: UpgradeOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  try {
    const { method = 'GET', url: path = '/', headers: given } = request
    const own = { ...headers, connection: 'Upgrade', upgrade: given.upgrade }
    const sent = await upstream.request({ method, path, headers: own, isOwn })
    socket.once('close', () => sent.destroy())
    sent.on('error', () => socket.destroy())
    sent.once('upgrade', (answer, other, first) => {
      call.answered(answer.statusCode ?? 0)
      socket.write(headOf(answer))
      join(socket, early, other, first, size => call.bytes(size))
    })
    sent.once('response', answer => {
      call.answered(answer.statusCode ?? 0)
      // The proxy does not parse further requests on this connection.
      socket.write(headOf(answer, 'connection: close\r\n'))
      answer.on('data', (chunk: Buffer) => call.bytes(chunk.length))
      answer.pipe(socket)
    })
    sent.end()
  } catch {
    socket.destroy()
  }
}

/** The connections and counters for an upgrade. */
export interface UpgradeOptions {
  readonly upstream: Upstream
  readonly call: OpenCall
  readonly isOwn: boolean
  readonly headers: ReturnType<typeof passing>
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage, more: string = ''): string {
  let lines = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const isOfConnection = /^(connection|transfer-encoding|keep-alive)$/i.test(rawHeaders[at] as string)
    if (more === '' || !isOfConnection) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`
  }
  return `${lines}${more}\r\n`
}

/** Passes the bytes of both sides on, and counts those to the program. `early` came with its request, `first` with the answer. */
function join(program: Duplex, early: Buffer, server: Duplex, first: Buffer, count: (size: number) => void): void {
  const [toProgram, toServer] = [sinkOf(program, count), sinkOf(server)]
  if (first.length > 0) toProgram.write(first)
  if (early.length > 0) toServer.write(early)
  flow(server, toProgram)
  flow(program, toServer)
  for (const [from, to] of [
    [program, server],
    [server, program],
  ] as const) {
    from.once('end', () => to.end())
    from.once('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }
}

function sinkOf(to: Duplex, count?: (size: number) => void): Sink {
  return {
    write: chunk => {
      count?.(chunk.length)
      return to.write(chunk)
    },
    onDrain: then => void to.once('drain', then),
  }
}
