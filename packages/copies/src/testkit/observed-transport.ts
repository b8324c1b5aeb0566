import type { Connection, Credentials, Exchange, RequestHead, ResponseHandlers, Transport } from '@wherry/client'
import { NodeTransport } from '@wherry/client/internal'

/** Requests of a method for ConfigMaps that are answered with a status, and not sent. */
interface Refusal {
  readonly method: string
  readonly code: number
  left: number
}

/** Sends requests over real sockets, counts them, and refuses some in the server's place. */
export class ObservedTransport implements Transport {
  readonly #inner: Transport
  readonly #refusals = new Map<string, Refusal>()
  readonly #refused = new Map<number, number>()
  #counted: Record<string, number> = {}

  constructor(credentials: Credentials) {
    this.#inner = new NodeTransport({ credentials })
  }

  /** The number of requests since the last call, by method and resource such as `PATCH configmaps`, without watches. */
  counted(): Readonly<Record<string, number>> {
    const counted = this.#counted
    this.#counted = {}
    return counted
  }

  /** How many requests of a method there were since `counted` was called last. */
  sent(method: string): number {
    return Object.entries(this.#counted).reduce((sum, [what, count]) => sum + (what.startsWith(method) ? count : 0), 0)
  }

  /** Refuses the next requests of a method. Replaces an earlier refusal of that method. */
  refuse(method: string, code: number, times: number): void {
    this.#refusals.set(method, { method, code, left: times })
  }

  refuseNothing(): void {
    this.#refusals.clear()
  }

  /** How many requests were refused with a status. */
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
        this.#count(head)
        const refusal = this.#next(head)
        return refusal === undefined ? inner.request(head, on) : answer(refusal, on)
      },
      ping: () => inner.ping(),
      onClose: fn => inner.onClose(fn),
      close: () => inner.close(),
    }
  }

  #count({ method, path }: RequestHead): void {
    if (/[?&]watch=/.test(path)) return
    const [, plural = path] = /\/(?:v\w+)(?:\/namespaces\/[^/]+)?\/([a-z]+)(?:[/?]|$)/.exec(path) ?? []
    const what = `${method} ${plural}`
    this.#counted[what] = (this.#counted[what] ?? 0) + 1
  }

  #next({ method, path }: RequestHead): Refusal | undefined {
    const refusal = path.includes('/configmaps') ? this.#refusals.get(method) : undefined
    if (refusal === undefined || refusal.left === 0) return undefined
    refusal.left -= 1
    this.#refused.set(refusal.code, this.refused(refusal.code) + 1)
    return refusal
  }
}

function answer({ code }: Refusal, on: ResponseHandlers): Exchange {
  let isOver = false
  setImmediate(() => {
    if (isOver) return
    const reason = code === 409 ? 'Conflict' : 'InternalError'
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
