import type { OnReadOpts } from 'node:net'
import type { Client } from './client.ts'
import { openSocketOf } from './connection/own-sockets.ts'
import { asError } from './errors/as-error.ts'
import type { LaneRequest, OwnSocket, Requester, RequestHandlers } from './requester.ts'
import type { Exchange } from './transport.ts'
import type { Caller } from './verbs/caller.ts'

/** The result of `client.guardedBy(…)`. */
export interface GuardedClient {
  readonly client: Client
  /** Ends its calls and watches, and all later ones, with `reason`. */
  end(reason: Error): void
}

/** Requests over another client's connections. Each has to be admitted, until the guard is closed. */
export class Guard implements Requester {
  readonly #caller: Caller
  readonly #admit: () => void
  readonly #open = new Map<RequestHandlers, Exchange>()
  readonly #sockets = new Set<OwnSocket>()
  #closed: Error | undefined

  constructor(admit: () => void, caller: Caller) {
    this.#admit = admit
    this.#caller = caller
  }

  request(request: LaneRequest, on: RequestHandlers): Exchange {
    const admit = (): void => {
      this.#check()
      request.admit?.()
    }
    const own: RequestHandlers = {
      head: (status, headers) => on.head(status, headers),
      data: chunk => on.data(chunk),
      draining: () => on.draining?.(),
      end: () => {
        this.#open.delete(own)
        on.end()
      },
      error: cause => {
        this.#open.delete(own)
        on.error(cause)
      },
    }
    // Through the requester of the caller, which may be a guard itself.
    const exchange = this.#caller.requester.request({ ...request, admit }, own)
    this.#open.set(own, exchange)
    return {
      pause: () => exchange.pause(),
      resume: () => exchange.resume(),
      abort: () => {
        this.#open.delete(own)
        exchange.abort()
      },
    }
  }

  async openSocket(signal: AbortSignal, admit?: () => void, reader?: OnReadOpts): Promise<OwnSocket> {
    const { requester } = this.#caller
    const admitted = (): void => {
      this.#check()
      admit?.()
    }
    const opened = await openSocketOf(requester, signal, admitted, reader)
    // The guard may have been closed since the socket was admitted.
    if (this.#closed !== undefined) {
      opened.end(this.#closed)
      throw this.#closed
    }
    this.#sockets.add(opened)
    opened.stream.once('close', () => this.#sockets.delete(opened))
    return opened
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#closed
    this.#admit()
  }

  /** Ends requests under way with `reason`; nothing is admitted from now on. Idempotent. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    for (const socket of this.#sockets) socket.end(reason)
    for (const [on, exchange] of [...this.#open]) {
      exchange.abort()
      try {
        on.error(reason)
      } catch (thrown) {
        this.#caller.environment.onError(asError(thrown), { phase: 'handler' })
      }
    }
  }
}
