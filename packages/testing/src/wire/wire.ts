import { connect, type Socket } from 'node:net'
import type { Clock } from '@wherry/apiserver'
import { Listener, systemClock } from '@wherry/apiserver/internal'
import {
  checkCut,
  type WireConnection,
  type WireCut,
  type WireDirection,
  type WireFaults,
  wholeShape,
} from './faults.ts'
import { Link, type LinkState } from './link.ts'
import { UNSHAPED, type WireShape } from './pipe.ts'

/** Options of {@link startWire}. */
export interface WireOptions {
  /** The address to which connections are passed on. */
  readonly target: { readonly host: string; readonly port: number }
  /** The port that the proxy listens on. @default 0, a free port */
  readonly port?: number | undefined
  /** The address that the proxy listens on. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** The clock for delays. @default systemClock() */
  readonly clock?: Clock | undefined
  /** Called with each new connection before a byte has passed. */
  readonly onConnection?: ((connection: WireConnection) => void) | undefined
}

/** Counters of a wire. */
export interface WireStats {
  /** Connections since the start. */
  readonly accepted: number
  /** Connections that are open. */
  readonly open: number
  readonly bytesUp: number
  readonly bytesDown: number
}

/** A TCP proxy with faults below the protocol. It behaves like a bad network in front of any server. */
export interface Wire extends WireFaults, AsyncDisposable {
  readonly host: string
  readonly port: number
  /** The open connections, oldest first. */
  connections(): readonly WireConnection[]
  stats(): WireStats
  /** Refuses new connections, or accepts them again on the same port. Existing connections stay open. Rejects if another program took the port meanwhile. */
  refuse(on: boolean): Promise<void>
  /** Breaks open connections and closes the listener. Resolves when neither socket nor timer is left. */
  close(): Promise<void>
}

/**
 * Puts a wire in front of a server, on loopback: clients connect to `wire.port` instead. TLS
 * passes unchanged, so the server's certificate must be valid for the wire's host too.
 *
 * Rejects if the port is not free. Resets a client if the target refuses its connection.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { startApiServer, startWire } from '@wherry/testing'
 *
 * await using server = await startApiServer()
 * const wire = await startWire({ target: { host: '127.0.0.1', port: Number(new URL(server.url).port) } })
 * const client = new Client({ url: `https://127.0.0.1:${wire.port}`, ca: server.ca, token: server.token })
 * await wire.refuse(true) // new connections are refused, as by a server that is away
 * await client.close()
 * await wire.close()
 * ```
 */
export async function startWire(options: WireOptions): Promise<Wire> {
  const wire = new TcpWire(options)
  await wire.refuse(false)
  return wire
}

class TcpWire implements Wire {
  readonly host: string
  readonly #options: WireOptions
  readonly #clock: Clock
  readonly #listener: Listener
  readonly #links = new Set<Link>()
  readonly #state: LinkState = { up: UNSHAPED, down: UNSHAPED, frozenUp: false, frozenDown: false }
  #accepted = 0
  #bytesUp = 0
  #bytesDown = 0
  #closed: Promise<void> | undefined

  constructor(options: WireOptions) {
    this.#options = options
    this.host = options.host ?? '127.0.0.1'
    this.#clock = options.clock ?? systemClock()
    this.#listener = new Listener({
      host: this.host,
      port: options.port ?? 0,
      allowHalfOpen: true,
      onSocket: socket => this.#accept(socket),
    })
  }

  get port(): number {
    return this.#listener.port
  }

  connections(): readonly WireConnection[] {
    return [...this.#links]
  }

  stats(): WireStats {
    return { accepted: this.#accepted, open: this.#links.size, bytesUp: this.#bytesUp, bytesDown: this.#bytesDown }
  }

  freeze(direction: WireDirection = 'both'): void {
    if (direction !== 'down') this.#state.frozenUp = true
    if (direction !== 'up') this.#state.frozenDown = true
    for (const link of [...this.#links]) link.freeze(direction)
  }

  thaw(): void {
    this.#state.frozenUp = false
    this.#state.frozenDown = false
    for (const link of [...this.#links]) link.thaw()
  }

  cut(cut: WireCut = {}): void {
    checkCut(cut)
    for (const link of [...this.#links]) link.cut(cut)
  }

  reset(): void {
    for (const link of [...this.#links]) link.reset()
  }

  shape(shape: Partial<WireShape>, direction: WireDirection = 'both'): void {
    const whole = wholeShape(shape)
    if (direction !== 'down') this.#state.up = whole
    if (direction !== 'up') this.#state.down = whole
    for (const link of [...this.#links]) link.shape(whole, direction)
  }

  refuse(on: boolean): Promise<void> {
    return this.#listener.refuse(on)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#listener.close()
    await Promise.all([...this.#links].map(link => link.destroy()))
  }

  #accept(client: Socket): void {
    const server = connect({ ...this.#options.target, noDelay: true, allowHalfOpen: true })
    const link: Link = new Link({
      id: ++this.#accepted,
      client,
      server,
      clock: this.#clock,
      state: this.#state,
      onUp: count => {
        this.#bytesUp += count
      },
      onDown: count => {
        this.#bytesDown += count
      },
      onGone: () => this.#links.delete(link),
    })
    this.#links.add(link)
    this.#options.onConnection?.(link)
  }
}
