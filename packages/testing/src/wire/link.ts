import type { Socket } from 'node:net'
import type { Clock, Timer } from '@wherry/apiserver'
import { checkCut, type WireConnection, type WireCut, type WireDirection, wholeShape } from './faults.ts'
import { Pipe, type WireShape } from './pipe.ts'

/** How long a cut waits for both sides to close, before it destroys their sockets, in milliseconds. */
const CUT_LINGER_MS = 500

/** The faults with which a new connection begins. */
export interface LinkState {
  up: WireShape
  down: WireShape
  frozenUp: boolean
  frozenDown: boolean
}

export interface LinkOptions {
  readonly id: number
  readonly client: Socket
  readonly server: Socket
  readonly clock: Clock
  readonly state: Readonly<LinkState>
  readonly onUp: (count: number) => void
  readonly onDown: (count: number) => void
  readonly onGone: () => void
}

/** A client's socket, the server's, and a pipe each way. */
export class Link implements WireConnection {
  readonly id: number
  readonly #client: Socket
  readonly #server: Socket
  readonly #clock: Clock
  readonly #up: Pipe
  readonly #down: Pipe
  readonly #gone: Promise<void>
  #left = 2
  #linger: Timer | undefined

  constructor({ id, client, server, clock, state, onUp, onDown, onGone }: LinkOptions) {
    this.id = id
    this.#client = client
    this.#server = server
    this.#clock = clock
    const ends = { clock, onBroken: () => this.reset(), onCut: () => this.#cutNow() }
    this.#up = new Pipe({ source: client, sink: server, onBytes: onUp, ...ends }, state.up, state.frozenUp)
    this.#down = new Pipe({ source: server, sink: client, onBytes: onDown, ...ends }, state.down, state.frozenDown)
    this.#gone = new Promise(resolve => {
      for (const socket of [client, server]) {
        socket.on('error', () => {})
        socket.once('close', () => {
          if (--this.#left > 0) return
          this.#linger?.cancel()
          this.#up.stop()
          this.#down.stop()
          onGone()
          resolve()
        })
      }
    })
  }

  get open(): boolean {
    return this.#left > 0
  }

  get bytesUp(): number {
    return this.#up.passed
  }

  get bytesDown(): number {
    return this.#down.passed
  }

  freeze(direction: WireDirection = 'both'): void {
    if (direction !== 'down') this.#up.freeze(true)
    if (direction !== 'up') this.#down.freeze(true)
  }

  thaw(): void {
    this.#up.freeze(false)
    this.#down.freeze(false)
  }

  cut(cut: WireCut = {}): void {
    checkCut(cut)
    const { afterBytes = 0, direction = 'down' } = cut
    const pipe = direction === 'up' ? this.#up : this.#down
    pipe.cutAfter(afterBytes)
  }

  reset(): void {
    this.#stop()
    for (const socket of [this.#client, this.#server]) {
      if (socket.connecting) socket.destroy()
      else socket.resetAndDestroy()
    }
  }

  shape(shape: Partial<WireShape>, direction: WireDirection = 'both'): void {
    const whole = wholeShape(shape)
    if (direction !== 'down') this.#up.shape(whole)
    if (direction !== 'up') this.#down.shape(whole)
  }

  /** Closes both sockets at once. Resolves when they are closed. */
  destroy(): Promise<void> {
    this.#stop()
    this.#client.destroy()
    this.#server.destroy()
    return this.#gone
  }

  #stop(): void {
    this.#up.stop()
    this.#down.stop()
  }

  #cutNow(): void {
    this.#stop()
    this.#client.end()
    this.#server.end()
    this.#linger ??= this.#clock.timer(CUT_LINGER_MS, () => void this.destroy())
  }
}
