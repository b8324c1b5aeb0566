import type { Clock, Connection, ResponseHandlers, Timer, Transport } from '@wherry/client'
import { choose, type Random } from '@wherry/testing'

/**
 * What stops when a process does (SIGSTOP), and what does not: its timers fire and its sockets are read only once it goes
 * on, in an order that nobody promises; time passes, and what it has sent is on its way.
 */
export class PausableProcess {
  readonly clock: Clock
  readonly #base: Clock
  readonly #random: Random
  readonly #timers: (() => void)[] = []
  readonly #network: (() => void)[] = []
  #state: 'running' | 'paused' | 'waking' | 'dead' = 'running'

  constructor(base: Clock, random: Random) {
    this.#base = base
    this.#random = random
    this.clock = {
      now: () => base.now(),
      monotonic: () => base.monotonic(),
      timer: (ms, fn) => this.#timer(ms, fn),
      turn: () => new Promise(resolve => this.#timer(0, resolve)),
    }
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused'
  }

  /** Goes on with what piled up. */
  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'waking'
    this.#wake()
  }

  get dead(): boolean {
    return this.#state === 'dead'
  }

  /** SIGKILL: nothing of it ever runs again. */
  kill(): void {
    this.#state = 'dead'
  }

  /** A network that delivers only while the process runs. */
  transport(network: Transport): Transport {
    return {
      connect: async (target, signal) => {
        const connection = await new Promise<Connection>((resolve, reject) => {
          network.connect(target, signal).then(
            made => this.#received(() => resolve(made)),
            error => this.#received(() => reject(error)),
          )
        })
        return this.#connection(connection)
      },
    }
  }

  #connection(connection: Connection): Connection {
    return {
      maxStreams: connection.maxStreams,
      request: (head, on) => connection.request(head, this.#handlers(on)),
      ping: () =>
        new Promise((resolve, reject) => {
          connection.ping().then(
            () => this.#received(resolve),
            error => this.#received(() => reject(error)),
          )
        }),
      onClose: fn => connection.onClose((why, cause) => this.#received(() => fn(why, cause))),
      close: () => connection.close(),
    }
  }

  #handlers(on: ResponseHandlers): ResponseHandlers {
    return {
      head: (status, headers) => this.#received(() => on.head(status, headers)),
      data: chunk => {
        const own = Buffer.from(chunk)
        this.#received(() => on.data(own))
      },
      end: () => this.#received(() => on.end()),
      error: cause => this.#received(() => on.error(cause)),
    }
  }

  #timer(ms: number, fn: () => void): Timer {
    let cancelled = false
    const run = (): void => {
      if (!cancelled) fn()
    }
    const timer = this.#base.timer(ms, () => {
      if (this.#state === 'running') run()
      else if (this.#state !== 'dead') this.#timers.push(run)
    })
    return {
      cancel: () => {
        cancelled = true
        timer.cancel()
      },
    }
  }

  #received(fn: () => void): void {
    if (this.#state === 'running') fn()
    else if (this.#state !== 'dead') this.#network.push(fn)
  }

  #wake(): void {
    const waiting = [this.#timers, this.#network].filter(({ length }) => length > 0)
    if (waiting.length === 0) {
      this.#state = 'running'
      return
    }
    const next = choose(this.#random, waiting).shift() as () => void
    next()
    this.#base.timer(0, () => {
      if (this.#state === 'waking') this.#wake()
    })
  }
}
