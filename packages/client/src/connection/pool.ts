import type { OnReadOpts } from 'node:net'
import { anonymous, type Credentials } from '../credentials/credentials.ts'
import { carriesSecret, refuseUnencrypted } from '../credentials/unencrypted.ts'
import { type Environment, guarded, type MetricLabels } from '../environment.ts'
import { asError } from '../errors/as-error.ts'
import { anything, type Check, checkOptions, having, integer, milliseconds } from '../errors/check.ts'
import { ConnectionError, clientClosed } from '../errors/connection-error.ts'
import { unsendable } from '../errors/headers.ts'
import { OptionRangeError, OptionTypeError } from '../errors/option.ts'
import type { Lane, LaneRequest, OwnSocket, Requester, RequestHandlers } from '../requester.ts'
import type { Exchange, RequestHead, ResponseHeaders, Transport } from '../transport.ts'
import { ConnectionGroup } from './group.ts'
import { OwnSockets } from './own-sockets.ts'
import { PendingRequest, type RequestOwner } from './pending-request.ts'

/** Bounds of the pool of connections. The defaults suit kube-apiserver. */
export interface ConnectionOptions {
  /** How long opening a connection may take, TLS and proxy included, in milliseconds. @default 15_000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * How long a connection without requests is kept, in milliseconds; `Infinity`: until the server
   * closes it. kube-apiserver does so after 90 s. @default 60_000
   */
  readonly idleMs?: number | undefined
  /** How long a connection may be quiet before it is PINGed, in milliseconds. @default 30_000 */
  readonly pingAfterMs?: number | undefined
  /** How long an answer to a PING may take until the connection is dropped, in milliseconds. @default 15_000 */
  readonly pingTimeoutMs?: number | undefined
  /**
   * How many HTTP/1.1 connections may carry calls at once, and as many writes; more wait, in order.
   * Streams are not bounded. Means nothing on HTTP/2. @default 32
   */
  readonly maxHttp1Calls?: number | undefined
}

/** The options of a {@link ConnectionPool}. */
export interface PoolOptions extends ConnectionOptions {
  /** The URL of the API server. Its path is a prefix of each request's path. */
  readonly target: URL
  readonly transport: Transport
  readonly environment: Environment
  /** @default nobody */
  readonly credentials?: Credentials | undefined
  /** The default headers of requests, with lower-case names: user agent, impersonation. */
  readonly headers?: RequestHead['headers'] | undefined
}

/** Checks of {@link ConnectionOptions}, for options that extend them. */
export const connectionChecks: Readonly<Record<keyof ConnectionOptions, Check>> = {
  connectTimeoutMs: milliseconds({ min: 1 }),
  idleMs: milliseconds({ infinite: true }),
  pingAfterMs: milliseconds({ min: 1 }),
  pingTimeoutMs: milliseconds({ min: 1 }),
  maxHttp1Calls: integer(1),
}

/**
 * The connections to one API server.
 *
 * - **Lanes.** Reads and streams share connections, as many as the server's bound on streams
 *   requires; streams leave room for reads on each connection. Writes have connections of their own.
 * - **Going away.** After a GOAWAY a connection takes no new requests; requests under way go on. Requests
 *   that the server did not process are silently repeated on another connection.
 * - **Half-open.** A quiet connection is PINGed; if it does not answer, it is dropped with all its streams.
 * - **Down.** If no connection can be opened, all waiting requests fail. The next request causes a new attempt
 *   within 2 s, or within a minute if only watches and patient calls wait.
 * - **Credentials.** A 401 refreshes them once for all requests that carried them. Each is then repeated
 *   once (a server that answers 401 has done nothing). If the credentials have not changed, the caller gets the 401.
 *
 * A request that may have been processed is never repeated, except for a GET on a kept-alive HTTP/1.1
 * connection that ended before the answer began.
 *
 * Metrics, under client-go's names: `rest_client_requests_total` (by `method`, `host` and `code`, which is `<error>`
 * if no answer came) and `rest_client_request_duration_seconds`, until the answer begins; both include
 * watches. And `wherry_client_streams` (gauge, by `lane`), `wherry_client_connections` (gauge, by
 * `lane`), and the counters `wherry_client_connects_total` (by `result`),
 * `wherry_client_retries_total`, `wherry_client_resets_total`, `wherry_client_ping_timeouts_total`,
 * `wherry_client_credential_refreshes_total`.
 */
export class ConnectionPool implements Requester {
  readonly #target: URL
  readonly #basePath: string
  readonly #headers: RequestHead['headers']
  readonly #environment: Environment
  readonly #credentials: Credentials
  readonly #reads: ConnectionGroup
  readonly #writes: ConnectionGroup
  readonly #sockets: OwnSockets
  /** The requests that wait for credentials, or that fail unsent and wait for their error. Most requests are never in this set. */
  readonly #unsettled = new Set<PendingRequest>()
  readonly #underWay: Record<Lane, number> = { call: 0, write: 0, stream: 0 }
  readonly #owner: RequestOwner
  #digest: string
  #epoch = 0
  #changed = false
  #refreshing: Promise<boolean> | undefined
  #closed: Promise<void> | undefined

  constructor(options: PoolOptions) {
    checkOptions('connections', options, {
      ...connectionChecks,
      target: url,
      transport: having('a Transport', 'connect'),
      environment: having('an Environment', 'random', 'onError', 'onWarning', 'log'),
      credentials: having('Credentials', 'headers', 'tls', 'digest', 'refresh'),
      headers: anything,
    })
    this.#target = options.target
    this.#basePath = options.target.pathname.replace(/\/+$/, '')
    this.#headers = options.headers ?? {}
    this.#environment = guarded(options.environment)
    this.#credentials = options.credentials ?? anonymous
    this.#digest = this.#credentials.digest()
    this.#owner = {
      dropped: pending => {
        this.#unsettled.delete(pending)
        this.#groupOf(pending).forget(pending)
      },
      answered: (pending, code) => this.#measure(pending, code),
      handlerThrew: (_, thrown) => this.#environment.onError(thrown, { phase: 'handler' }),
    }
    const group = {
      target: options.target,
      transport: options.transport,
      environment: this.#environment,
      limits: {
        idleMs: options.idleMs ?? 60_000,
        pingAfterMs: options.pingAfterMs ?? 30_000,
        pingTimeoutMs: options.pingTimeoutMs ?? 15_000,
      },
      connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
      maxHttp1Calls: options.maxHttp1Calls ?? 32,
      digest: () => this.#credentials.digest(),
      head: this.#onHead,
      counted: (lane: Lane, by: number) => {
        this.#underWay[lane] += by
        this.#environment.metrics.gauge('wherry_client_streams', this.#underWay[lane], laneLabels[lane])
      },
    }
    this.#sockets = new OwnSockets(group)
    const size = (lane: Lane, of: () => number) => () =>
      this.#environment.metrics.gauge('wherry_client_connections', of(), laneLabels[lane])
    this.#reads = new ConnectionGroup({ ...group, changed: size('stream', () => this.#reads.size) })
    this.#writes = new ConnectionGroup({ ...group, changed: size('write', () => this.#writes.size) })
  }

  /** The number of connections, including draining ones. */
  get connections(): number {
    return this.#reads.size + this.#writes.size
  }

  request(request: LaneRequest, on: RequestHandlers): Exchange {
    const pending = new PendingRequest(request, on, this.#owner, this.#environment.clock.monotonic())
    if (this.#closed !== undefined) this.#soon(pending, clientClosed())
    else this.#authorize(pending)
    return pending
  }

  async openSocket(signal: AbortSignal, admit?: () => void, reader?: OnReadOpts): Promise<OwnSocket> {
    if (this.#closed !== undefined) throw clientClosed()
    const epoch = this.#epoch
    const held = await this.#sockets.open(signal, reader)
    const { stream, readableBy } = held
    let headers: RequestHead['headers']
    try {
      // The headers are made after the socket is open, because opening it reads files of credentials again.
      headers = { ...this.#headers, ...(await this.#credentials.headers()) }
      checkHeaders(headers)
      if (readableBy !== undefined && carriesSecret(headers)) refuseUnencrypted(readableBy)
      admit?.()
    } catch (error) {
      stream.destroy()
      throw error
    }
    return {
      ...{ stream, headers },
      origin: this.#target.origin,
      basePath: this.#basePath,
      renewed: () => this.#renewed(epoch),
      end: reason => held.end(reason),
      reason: () => held.reason,
    }
  }

  /**
   * Ends every connection. Requests under way fail with `CLIENT_CLOSED` before this call returns,
   * and nothing is called afterwards. Resolves when all connections are gone.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#credentials.close?.()
    const closing = [this.#reads.close(), this.#writes.close(), this.#sockets.close()]
    for (const pending of this.#unsettled) pending.fail(clientClosed())
    this.#unsettled.clear()
    await Promise.all(closing)
  }

  #groupOf(pending: PendingRequest): ConnectionGroup {
    return pending.lane === 'write' ? this.#writes : this.#reads
  }

  #authorize(pending: PendingRequest): void {
    pending.epoch = this.#epoch
    try {
      const headers = this.#credentials.headers()
      if (!(headers instanceof Promise)) {
        this.#send(pending, headers)
        return
      }
      this.#unsettled.add(pending)
      headers.then(
        known => this.#send(pending, known),
        (cause: unknown) => this.#fail(pending, asError(cause)),
      )
    } catch (cause) {
      this.#soon(pending, asError(cause))
    }
  }

  #send(pending: PendingRequest, credentials: Readonly<Record<string, string>>): void {
    if (pending.over) return
    const headers = { ...this.#headers, ...pending.request.headers, ...credentials }
    try {
      checkHeaders(headers)
    } catch (error) {
      this.#soon(pending, error as Error)
      return
    }
    const { method, path, body } = pending.request
    pending.head = { method, path: this.#basePath + path, headers, body }
    this.#unsettled.delete(pending)
    if (this.#digest !== this.#credentials.digest()) {
      this.#digest = this.#credentials.digest()
      this.#reads.retireOutdated()
      this.#writes.retireOutdated()
    }
    this.#groupOf(pending).submit(pending)
  }

  /** Handles a 401 before its caller receives it. */
  readonly #onHead = (pending: PendingRequest, status: number, headers: ResponseHeaders): void => {
    if (status !== 401 || pending.renewed || this.#closed !== undefined) {
      pending.deliverHead(status, headers)
      return
    }
    pending.renewed = true
    pending.hold()
    this.#unsettled.add(pending)
    const deliver = (): void => {
      this.#unsettled.delete(pending)
      if (pending.over) return
      pending.deliverHead(status, headers)
      pending.letGo()
    }
    this.#renewed(pending.epoch).then(
      changed => {
        if (!changed || pending.over) deliver()
        else {
          pending.startOver()
          this.#authorize(pending)
        }
      },
      (cause: unknown) => {
        this.#environment.onError(asError(cause), { phase: 'credentials' })
        deliver()
      },
    )
  }

  /** Whether there are newer credentials than those of `epoch`. Refreshes the credentials, unless a refresh has ended since `epoch`. */
  #renewed(epoch: number): Promise<boolean> {
    if (epoch < this.#epoch) return Promise.resolve(this.#changed)
    this.#refreshing ??= this.#refresh()
    return this.#refreshing
  }

  async #refresh(): Promise<boolean> {
    this.#environment.metrics.count('wherry_client_credential_refreshes_total')
    try {
      this.#changed = await this.#credentials.refresh()
      return this.#changed
    } catch (cause) {
      this.#changed = false
      throw cause
    } finally {
      this.#epoch += 1
      this.#refreshing = undefined
    }
  }

  /** Measures a request under client-go's names, so that existing dashboards work. */
  #measure({ request: { method }, begunAt }: PendingRequest, code: string): void {
    const { clock, metrics } = this.#environment
    const { host } = this.#target
    metrics.count('rest_client_requests_total', { method, host, code })
    metrics.observe('rest_client_request_duration_seconds', (clock.monotonic() - begunAt) / 1000, {
      verb: method,
      host,
    })
  }

  #fail(pending: PendingRequest, cause: Error): void {
    this.#unsettled.delete(pending)
    pending.deliverError(cause)
  }

  /** Fails a request, but not before `request` has returned. */
  #soon(pending: PendingRequest, cause: Error): void {
    this.#unsettled.add(pending)
    queueMicrotask(() => this.#fail(pending, cause))
  }
}

function checkHeaders(headers: RequestHead['headers']): void {
  const refused = unsendable(headers)
  if (refused === undefined) return
  const message = `the header ${refused} has a character that can't be sent`
  throw new ConnectionError('INVALID_HEADER', message, { unprocessed: true })
}

const laneLabels: Readonly<Record<Lane, MetricLabels>> = {
  call: { lane: 'call' },
  write: { lane: 'write' },
  stream: { lane: 'stream' },
}

function url(option: string, value: unknown): void {
  if (!(value instanceof URL)) throw new OptionTypeError(option, 'a URL', typeof value)
  if (value.protocol !== 'https:' && value.protocol !== 'http:') {
    throw new OptionRangeError(option, 'an http: or https: URL', value.protocol)
  }
}
