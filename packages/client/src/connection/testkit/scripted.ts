import { lend } from '../../bytes/chunks.fixture.ts'
import type { Lane, Requester } from '../../requester.ts'
import type { CloseReason, Connection, RequestHead, ResponseHandlers, Transport } from '../../transport.ts'

/** A request as a {@link ScriptedConnection} holds it: its answer is up to the test. */
export interface ScriptedRequest extends ResponseHandlers {
  readonly request: RequestHead
  readonly connection: ScriptedConnection
  paused: boolean
}

/** A connection to the test itself as the server. */
export class ScriptedConnection implements Connection {
  readonly id: number
  maxStreams: number
  /** Under way: neither answered to the end, nor failed, nor aborted. */
  readonly open: Set<ScriptedRequest> = new Set()
  /** The most that was under way at once. */
  peak = 0
  /** When each reset was sent. */
  readonly resets: number[] = []
  pings = 0
  /** Whether PINGs are answered. */
  alive = true
  closed: boolean = false
  readableBy: string | undefined
  readonly #now: () => number
  readonly #listeners: ((why: CloseReason, cause?: Error) => void)[] = []

  constructor(id: number, maxStreams: number, now: () => number) {
    this.id = id
    this.maxStreams = maxStreams
    this.#now = now
  }

  request(request: RequestHead, on: ResponseHandlers): { pause(): void; resume(): void; abort(): void } {
    if (this.closed) throw new Error(`connection ${this.id} is closed`)
    const finish = (): boolean => this.open.delete(scripted)
    const scripted: ScriptedRequest = {
      request,
      connection: this,
      paused: false,
      head: (status, headers) => on.head(status, headers),
      data: chunk => lend(chunk, lent => on.data(lent)),
      end: () => {
        if (finish()) on.end()
      },
      error: cause => {
        if (finish()) on.error(cause)
      },
    }
    this.open.add(scripted)
    this.peak = Math.max(this.peak, this.open.size)
    return {
      pause: () => {
        scripted.paused = true
      },
      resume: () => {
        scripted.paused = false
      },
      abort: () => {
        if (finish()) this.resets.push(this.#now())
      },
    }
  }

  ping(): Promise<void> {
    this.pings += 1
    return this.alive ? Promise.resolve() : new Promise(() => {})
  }

  onClose(fn: (why: CloseReason, cause?: Error) => void): void {
    this.#listeners.push(fn)
  }

  /** The server says GOAWAY; `refused` were not processed. */
  goaway(...refused: readonly ScriptedRequest[]): void {
    for (const listener of this.#listeners) listener('goaway')
    for (const one of refused) one.error(Object.assign(new Error('refused'), { unprocessed: true }))
  }

  /** The connection breaks with all that is on it. */
  die(cause: Error = new Error('connection reset')): void {
    if (this.closed) return
    this.closed = true
    const open = [...this.open]
    for (const one of open) one.error(cause)
    for (const listener of this.#listeners) listener('closed', cause)
  }

  close(): Promise<void> {
    if (!this.closed) {
      this.closed = true
      this.open.clear()
      for (const listener of this.#listeners) listener('closed')
    }
    return Promise.resolve()
  }
}

/** A transport with connections that the test scripts. */
export class ScriptedTransport implements Transport {
  readonly connections: ScriptedConnection[] = []
  maxStreams = 100
  /** While set, no connection can be opened, for this reason. */
  refusal: Error | undefined
  /** While set, opening takes for ever. */
  hangs = false
  /** What connections say about their readers. */
  readableBy: string | undefined
  attempts = 0
  /** Connections that were being opened and were given up. */
  givenUp = 0
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  async connect(_target: URL, signal: AbortSignal): Promise<Connection> {
    this.attempts += 1
    if (this.refusal !== undefined) throw this.refusal
    if (this.hangs) {
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          this.givenUp += 1
          reject(signal.reason)
        }),
      )
    }
    const connection = new ScriptedConnection(this.connections.length, this.maxStreams, this.#now)
    connection.readableBy = this.readableBy
    this.connections.push(connection)
    return connection
  }

  /** All requests under way, in the order of their connections. */
  get open(): ScriptedRequest[] {
    return this.connections.flatMap(connection => [...connection.open])
  }

  /** The one request under way with this path. */
  at(path: string): ScriptedRequest {
    const found = this.open.filter(({ request }) => request.path === path)
    const [one] = found
    if (one === undefined || found.length > 1) throw new Error(`${found.length} requests under way at ${path}`)
    return one
  }
}

/** What became of a request, in words. */
export interface SentRequest {
  readonly log: string[]
  readonly exchange: { pause(): void; resume(): void; abort(): void }
  readonly errors: Error[]
}

/** Sends a request and writes down what it receives. */
export function send(
  requester: Requester,
  lane: Lane,
  path: string,
  more: { readonly method?: string; readonly body?: Uint8Array } = {},
): SentRequest {
  const log: string[] = []
  const errors: Error[] = []
  const exchange = requester.request(
    { lane, path, method: more.method ?? (lane === 'write' ? 'POST' : 'GET'), headers: {}, body: more.body },
    {
      head: status => log.push(`head ${status}`),
      data: chunk => log.push(`data ${Buffer.from(chunk)}`),
      end: () => log.push('end'),
      error: cause => {
        errors.push(cause)
        log.push(`error ${(cause as { code?: string }).code ?? cause.message}`)
      },
      draining: () => log.push('draining'),
    },
  )
  return { log, exchange, errors }
}

/** Answers a request whole. */
export function answer(request: ScriptedRequest, status = 200): void {
  request.head(status, {})
  request.end()
}
