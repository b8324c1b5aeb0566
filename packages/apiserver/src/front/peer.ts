import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock, Timer } from '../clock.ts'
import type { Peer } from '../exchange.ts'

/** The part of an exchange that its connection needs. */
export interface OpenExchange {
  /** The number of written bytes that the kernel has not accepted yet. */
  buffered(): number
}

/** The time for which Go's server waits before it closes a connection while the client still sends, in milliseconds. */
const LINGER_MS = 500

export interface SocketPeerOptions {
  /** The TCP socket under `socket`. Without TLS it is the same socket. */
  readonly raw: Socket
  readonly socket: Socket | TLSSocket
  readonly clock: Clock
  /** The time without an exchange after which the connection is closed as by a server's idle timeout, in milliseconds. `Infinity`: never. */
  readonly idleMs: number
}

/** One connection as faults and authentication see it, with its exchanges under way. The protocols differ in `goaway`. */
export abstract class SocketPeer implements Peer {
  abstract readonly protocol: 'h2' | 'http/1.1'
  readonly certificate: Peer['certificate']
  readonly socket: Socket | TLSSocket
  readonly #raw: Socket
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #exchanges = new Set<OpenExchange>()
  #idle: Timer | undefined
  #broken = false

  constructor(options: SocketPeerOptions) {
    this.socket = options.socket
    this.#raw = options.raw
    this.#clock = options.clock
    this.#idleMs = options.idleMs
    this.certificate = verifiedSubject(options.socket)
    this.socket.once('close', () => this.#idle?.cancel())
    this.#watchIdle()
  }

  abstract goaway(): void

  /** Whether `destroy` or `reset` was called, so that later writes are dropped. */
  get broken(): boolean {
    return this.#broken
  }

  /** The number of exchanges under way. */
  get active(): number {
    return this.#exchanges.size
  }

  buffered(): number {
    let sum = 0
    for (const exchange of this.#exchanges) sum += exchange.buffered()
    return sum
  }

  destroy(): void {
    this.#break(() => this.socket.destroy())
  }

  reset(): void {
    this.#break(() => {
      // A closed socket can't be reset, only destroyed.
      if (this.#raw.destroyed) this.socket.destroy()
      else this.#raw.resetAndDestroy()
    })
  }

  /**
   * Sends `last` and ends the connection, but reads on for half a second unless the client disconnects before. A close with unread bytes would be a TCP reset,
   * which would drop the answer.
   */
  endWith(last: string): void {
    this.socket.end(last)
    this.socket.resume()
    const linger = this.#clock.timer(LINGER_MS, () => this.socket.destroy())
    this.socket.once('close', () => linger.cancel())
  }

  begin(exchange: OpenExchange): void {
    this.#exchanges.add(exchange)
    this.#idle?.cancel()
  }

  finish(exchange: OpenExchange): void {
    if (this.#exchanges.delete(exchange) && this.#exchanges.size === 0 && !this.socket.destroyed) this.#watchIdle()
  }

  #watchIdle(): void {
    this.#idle?.cancel()
    if (Number.isFinite(this.#idleMs)) this.#idle = this.#clock.timer(this.#idleMs, () => this.goaway())
  }

  /** Breaks the connection in the next turn. Node sends the data that was written before at the end of this turn, as far as the kernel accepts it. */
  #break(how: () => void): void {
    if (this.#broken) return
    this.#broken = true
    setImmediate(how)
  }
}

/** The subject of the client's certificate if it was verified against the CA. An invalid certificate is ignored. */
function verifiedSubject(socket: Socket | TLSSocket): Peer['certificate'] {
  if (!('authorized' in socket) || !socket.authorized) return undefined
  // Node's types lack the array for an attribute that occurs more than once.
  const subject = socket.getPeerCertificate().subject as Readonly<Record<string, string | string[]>> | undefined
  if (subject === undefined) return undefined
  const commonName = [subject.CN ?? ''].flat()[0] ?? ''
  return { commonName, organizations: [subject.O ?? []].flat() }
}
