import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServerReply } from '../exchange.ts'
import type { ResponseHeaders } from '../transport.ts'
import type { OpenExchange, SocketPeer } from './peer.ts'

/**
 * The answer to a request that asks for another protocol. If the request is refused, the connection ends with the answer. Otherwise the reply is over when the
 * connection is.
 */
export class UpgradeReply implements ServerReply, OpenExchange {
  readonly #peer: SocketPeer
  readonly #socket: Duplex
  #onDrain: (() => void) | undefined
  #onClose: (() => void) | undefined
  #isOver = false

  constructor(peer: SocketPeer, socket: Duplex) {
    this.#peer = peer
    this.#socket = socket
    peer.begin(this)
    socket.on('drain', () => this.#onDrain?.())
    socket.once('close', () => {
      this.#isOver = true
      peer.finish(this)
      this.#onClose?.()
    })
  }

  head(status: number, headers: ResponseHeaders): void {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map(one => `${name}: ${one}\r\n`),
    )
    this.#socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}connection: close\r\n\r\n`)
  }

  write(chunk: Uint8Array): boolean {
    return this.#socket.write(chunk)
  }

  end(): void {
    this.#socket.end()
  }

  rst(): void {
    this.#peer.destroy()
  }

  onDrain(fn: () => void): void {
    this.#onDrain = fn
  }

  onClose(fn: () => void): void {
    if (this.#isOver) queueMicrotask(fn)
    else this.#onClose = fn
  }

  buffered(): number {
    return this.#socket.writableLength
  }
}
