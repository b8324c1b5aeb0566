import { createServer, type Server, type Socket } from 'node:net'

export interface ListenerOptions {
  readonly host: string
  /** With `0`, a free port, which the listener then keeps. */
  readonly port: number
  /** Whether our side stays open if a peer ends its side. @default false */
  readonly allowHalfOpen?: boolean | undefined
  readonly onSocket: (socket: Socket) => void
}

/** A TCP listener that can be closed and opened again on the same port, whatever its connections do. */
export class Listener {
  readonly #options: ListenerOptions
  #server: Server | undefined
  #switching: Promise<void> = Promise.resolve()
  #over = false
  port: number

  constructor(options: ListenerOptions) {
    this.#options = options
    this.port = options.port
  }

  /** Closes the listener, or opens it again. Calls take effect in order. Rejects if the port is not available. */
  refuse(on: boolean): Promise<void> {
    const switched = this.#switching.then(() => (on ? this.#stop() : this.#start()))
    this.#switching = switched.catch(() => {})
    return switched
  }

  /** Closes the listener for good. */
  async close(): Promise<void> {
    this.#over = true
    await this.refuse(true)
  }

  async #start(): Promise<void> {
    if (this.#server !== undefined || this.#over) return
    const { host, onSocket, allowHalfOpen = false } = this.#options
    const server = createServer({ noDelay: true, allowHalfOpen }, onSocket)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    this.#server = server
    const address = server.address()
    if (address !== null && typeof address === 'object') this.port = address.port
  }

  async #stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    // The handle is closed at once. The callback would wait for the connections, which stay open.
    server.close()
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}
