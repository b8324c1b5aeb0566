import {
  type Connection,
  type Credentials,
  type Exchange,
  NodeTransport,
  type RequestHead,
  type ResponseHandlers,
  type Transport,
} from '@wherry/client'

/** So many requests are answered with this status, and not sent. */
export interface Refusal {
  readonly method: string
  readonly code: number
  readonly reason: string
  readonly times: number
}

/** A transport that refuses requests for ConfigMaps in a server's place, where the server itself can't be made to. */
export class RefusingTransport implements Transport {
  readonly #inner: Transport
  /** By method. */
  readonly #refusals = new Map<string, Refusal & { left: number }>()
  readonly #refused = new Map<number, number>()

  constructor(credentials: Credentials) {
    this.#inner = new NodeTransport({ credentials })
  }

  /** From now on; in the place of what was refused of that method before. */
  refuse(refusal: Refusal): void {
    this.#refusals.set(refusal.method, { ...refusal, left: refusal.times })
  }

  refuseNothing(): void {
    this.#refusals.clear()
  }

  /** How many requests were refused with this status. */
  refused(code: number): number {
    return this.#refused.get(code) ?? 0
  }

  async connect(target: URL, signal: AbortSignal): Promise<Connection> {
    const inner = await this.#inner.connect(target, signal)
    return {
      get maxStreams() {
        return inner.maxStreams
      },
      request: (head, on) => {
        const refusal = this.#next(head)
        return refusal === undefined ? inner.request(head, on) : answer(refusal, on)
      },
      ping: () => inner.ping(),
      onClose: fn => inner.onClose(fn),
      close: () => inner.close(),
    }
  }

  #next({ method, path }: RequestHead): Refusal | undefined {
    const refusal = path.includes('/configmaps') ? this.#refusals.get(method) : undefined
    if (refusal === undefined || refusal.left === 0) return undefined
    refusal.left -= 1
    this.#refused.set(refusal.code, this.refused(refusal.code) + 1)
    return refusal
  }
}

function answer({ code, reason }: Refusal, on: ResponseHandlers): Exchange {
  let isOver = false
  setImmediate(() => {
    if (isOver) return
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'refused by the test', reason, code }
    on.head(code, { 'content-type': 'application/json' })
    on.data(Buffer.from(JSON.stringify(status)))
    on.end()
  })
  return {
    pause: () => {},
    resume: () => {},
    abort: () => {
      isOver = true
    },
  }
}
