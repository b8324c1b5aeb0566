import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Environment, OptionRangeError, OptionTypeError } from '@wherry/client'
import {
  asError,
  callback,
  checkOptions,
  guarded,
  having,
  integer,
  milliseconds,
  systemEnvironment,
  text,
} from '@wherry/client/internal'
import { late, within } from '@wherry/informer/internal'
import type { Authorize } from './authorize.ts'
import { BoundedServer } from './bounded-server.ts'
import { NotYetError } from './not-yet.ts'

/** A check passes unless it throws, rejects, or takes too long. */
export type HealthCheck = (signal: AbortSignal) => unknown

/** Options of a {@link HealthServer}. */
export interface HealthServerOptions {
  /** The address to listen on; use `0.0.0.0` or `::` for kubelet's probes and Prometheus, which come from outside. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** The port to listen on. @default 0: a free port, see {@link HealthServer.port} */
  readonly port?: number | undefined
  /** Certificate and key, PEM. @default none: plain HTTP */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** The content of `/metrics`, for example `await prometheusMetrics()`. @default nothing: 404 */
  readonly metrics?: { readonly contentType: string; text(): Promise<string> } | undefined
  /** Decides which requests may read `/metrics`, for example `tokenReview(client)`. Everybody may read the probes. @default everybody */
  readonly authorize?: Authorize | undefined
  /** Checks of `/healthz`, by name: if one fails, the process should be restarted. @default none: it passes while the server answers */
  readonly healthz?: Readonly<Record<string, HealthCheck>> | undefined
  /** Checks of `/readyz`, by name: if one fails, the process is not ready. @default none */
  readonly readyz?: Readonly<Record<string, HealthCheck>> | undefined
  /** How long a check may take, in milliseconds. @default 5_000 */
  readonly checkTimeoutMs?: number | undefined
  /** Clock and listeners. @default `systemEnvironment()` */
  readonly environment?: Environment | undefined
}

/** The bounds on clients, see {@link BoundedServer}. Probes and scrapers use few connections, and their requests are small. */
const bounds = { maxConnections: 100, requestTimeoutMs: 10_000, writeTimeoutMs: 30_000 }
/** How long it may take to make the text of the metrics, in milliseconds. All requests meanwhile wait for the same text. */
const metricsTimeoutMs = 30_000

/**
 * Serves `/metrics`, `/healthz` and `/readyz` as Kubernetes' own programs do: `ok`, or a 500 that names the failed checks (the reasons go to
 * `onError` only). `/healthz/NAME` runs one check; `?verbose` lists all, `?exclude=NAME` leaves one out.
 *
 * It bounds what clients can take. At most 100 connections stay longer than a second: one more closes the oldest without a request under way. At most
 * 1,000 are open at a time. A connection's requests are answered one after the other, and at most 16 may wait. A request may take 10 s to arrive, and
 * an answer 30 s to be read. Clients that request metrics at the same time get one text, which may take 30 s to make.
 *
 * @example
 * ```ts
 * import { HealthServer } from '@wherry/controller'
 *
 * let isReady = false
 * const server = new HealthServer({
 *   port: 8080,
 *   readyz: { games: () => { if (!isReady) throw new Error('the games are not loaded') } },
 * })
 * await server.start() // http://127.0.0.1:8080/readyz: 500
 * isReady = true
 * await server.close()
 * ```
 */
export class HealthServer {
  readonly #options: HealthServerOptions
  readonly #environment: Environment
  readonly #checks: ReadonlyMap<string, Map<string, HealthCheck>>
  /** The metrics for the requests that come now. */
  #metrics: Promise<Buffer> | undefined
  #server: BoundedServer | undefined
  #started: Promise<void> | undefined
  #closed: Promise<void> | undefined

  /** @throws OptionTypeError or OptionRangeError for a wrong option. */
  constructor(options: HealthServerOptions = {}) {
    checkOptions('health', options, {
      host: text,
      port: integer(0, 65_535),
      tls: (option, value) => checkOptions(option, value, { cert: pem, key: pem }, ['cert', 'key']),
      metrics: shown,
      authorize: callback,
      healthz: checksByName,
      readyz: checksByName,
      checkTimeoutMs: milliseconds({ min: 1 }),
      environment: having('an Environment', 'onError'),
    })
    this.#options = options
    this.#environment = guarded(options.environment ?? systemEnvironment())
    this.#checks = new Map([
      ['healthz', new Map(Object.entries(options.healthz ?? {}))],
      ['readyz', new Map(Object.entries(options.readyz ?? {}))],
    ])
  }

  /** The port of the server; 0 before it listens. */
  get port(): number {
    return this.#server?.port ?? 0
  }

  /**
   * Adds a check of `/readyz`.
   *
   * @throws OptionTypeError, OptionRangeError for a name that no path can have, or that another check has
   */
  addReadyCheck(name: string, check: HealthCheck): void {
    checksByName('readyz', { [name]: check })
    const checks = this.#checks.get('readyz')
    if (checks?.has(name)) throw new OptionRangeError('readyz', 'a name that no other check has', JSON.stringify(name))
    checks?.set(name, check)
  }

  /** Starts to listen. Rejects if that fails, for example because the port is taken. Idempotent. */
  start(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  /** Closes all connections. Resolves when the server no longer listens. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #start(): Promise<void> {
    if (this.#closed !== undefined) throw new Error('the server was closed')
    const { tls, host = '127.0.0.1', port = 0 } = this.#options
    this.#server = new BoundedServer({
      answer: (request, response) => this.#answer(request, response),
      onError: error => this.#report(error, 'server'),
      clock: this.#environment.clock,
      tls,
      ...bounds,
    })
    await this.#server.listen(host, port)
  }

  async #close(): Promise<void> {
    await this.#started?.catch(() => {})
    await this.#server?.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '', 'http://health')
    if (url === null) return reply(response, 404, 'not found')
    const { pathname, searchParams } = url
    const [, kind = '', name, ...rest] = pathname.split('/')
    const { metrics, authorize } = this.#options
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return reply(response, 405, 'method not allowed', { allow: 'GET, HEAD' })
    if (kind === 'metrics' && name === undefined && metrics !== undefined) {
      const asked = { token: bearerOf(request), path: '/metrics' }
      const verdict = authorize === undefined ? 'allowed' : await authorize(asked)
      if (verdict === 'unknown') return reply(response, 401, 'unauthorized', { 'www-authenticate': 'Bearer' })
      if (verdict === 'busy') return reply(response, 429, 'too many tokens are asked about', { 'retry-after': '10' })
      if (verdict !== 'allowed') return reply(response, 403, 'forbidden')
      return reply(response, 200, await this.#metricsNow(metrics), { 'content-type': metrics.contentType })
    }
    const checks = this.#checks.get(kind)
    const isOne = name !== undefined && name !== ''
    if (checks === undefined || rest.length > 0 || (isOne && !checks.has(name)))
      return reply(response, 404, 'not found')
    const excluded = searchParams.getAll('exclude')
    const asked = [...checks].filter(([one]) => (isOne ? one === name : !excluded.includes(one)))
    const results = await Promise.all(asked.map(([one, check]) => this.#isWell(`${kind}/${one}`, check)))
    // The reason of a failed check is never sent, because the client may have no right to know it.
    const lines = asked.map(([one], index) => (results[index] ? `[+]${one} ok` : `[-]${one} failed: reason withheld`))
    const isVerbose = !isOne && searchParams.has('verbose')
    if (results.includes(false)) reply(response, 500, `${[...lines, `${kind} check failed`].join('\n')}\n`)
    else reply(response, 200, isVerbose ? `${[...lines, `${kind} check passed`].join('\n')}\n` : 'ok')
  }

  /** The text of the metrics. Requests that come while it is made, or in the same turn of the event loop, share it, so that many requests make few texts. */
  #metricsNow(metrics: { text(): Promise<string> }): Promise<Buffer> {
    const make = async (): Promise<Buffer> => {
      try {
        const text = await within((async () => metrics.text())(), metricsTimeoutMs, this.#environment.clock)
        if (text === late) throw new Error(`the metrics took more than ${metricsTimeoutMs} ms`)
        // Made into bytes once: all requests are sent the same ones.
        return Buffer.from(text)
      } finally {
        void this.#environment.clock.turn().then(() => {
          this.#metrics = undefined
        })
      }
    }
    this.#metrics ??= make()
    return this.#metrics
  }

  /** Runs a check, for a bounded time. Never rejects. */
  async #isWell(phase: string, check: HealthCheck): Promise<boolean> {
    const { checkTimeoutMs = 5000 } = this.#options
    const over = new AbortController()
    try {
      const outcome = await within((async () => check(over.signal))(), checkTimeoutMs, this.#environment.clock)
      if (outcome === late) throw new Error(`the check ${phase} took more than ${checkTimeoutMs} ms`)
      return true
    } catch (error) {
      if (error instanceof NotYetError) this.#environment.log('info', `${phase}: ${error.message}`)
      else this.#report(error, phase)
      return false
    } finally {
      over.abort(new Error('the check is over'))
    }
  }

  #report(thrown: unknown, phase: string): void {
    this.#environment.onError(asError(thrown, `${phase} failed`), { phase })
  }
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1]
}

function reply(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...always, ...headers })
  response.end(body)
}

function shown(option: string, value: unknown): void {
  having('the result of prometheusMetrics()', 'text')(option, value)
  text(`${option}.contentType`, (value as { readonly contentType?: unknown }).contentType ?? '')
}

/** Checks that a value is PEM, which has line ends. The error does not repeat the value. */
function pem(option: string, value: unknown): void {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'PEM', typeof value)
  if (!value.includes('-----BEGIN ')) throw new OptionRangeError(option, 'PEM', 'something else')
}

function checksByName(option: string, value: unknown): void {
  if (value === null || typeof value !== 'object') throw new OptionTypeError(option, 'checks by name', typeof value)
  for (const [name, check] of Object.entries(value)) {
    if (!/^[\w.-]+$/.test(name))
      throw new OptionRangeError(option, 'names of letters, digits, -, _ and .', JSON.stringify(name))
    callback(`${option}.${name}`, check)
  }
}
