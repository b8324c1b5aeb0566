import type { Clock } from '../clock.ts'
import { isHeaderText } from '../errors/headers.ts'
import { type Credentials, digestOf, type TlsMaterial } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { SingleFlight } from './flight.ts'
import { notThere, outputOf } from './plugin-run.ts'

/** A credential plugin of a kubeconfig's `user.exec` (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Environment variables in addition to this process's own. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined
  /** The cluster in the form of `KUBERNETES_EXEC_INFO`. @default absent */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined
  /** A text for the error if the command does not exist. */
  readonly installHint?: string | undefined
}

/** The minimum time between two runs after a 401, in milliseconds: otherwise a server that always refuses would cause a run for each request. */
const refreshAfterMs = 10_000
/** The maximum time of a run, in milliseconds. A plugin is not interactive, so it has no reason to wait. */
const timeoutMs = 60_000
const maxOutputBytes = 1024 * 1024

/** How long credentials are used at least, whatever their expiry, because our clock may be ahead of the plugin's. In milliseconds. */
const leastMs = 10_000

interface Issued {
  readonly headers: Readonly<Record<string, string>>
  readonly tls: TlsMaterial
  readonly digest: string
  /** On the wall clock. */
  readonly expiresAt: number
}

/**
 * Credentials that a plugin prints. Concurrent callers share one run. The credentials are kept until they expire, and the plugin runs again after a
 * 401, at most once in ten seconds. It is never interactive, and no error contains its output.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin
  readonly #base: Credentials
  readonly #clock: Clock
  readonly #running = new SingleFlight<Issued>()
  readonly #refreshing = new SingleFlight<boolean>()
  #issued: Issued | undefined
  /** The time of the last run, on the monotonic clock. */
  #issuedAt = Number.NEGATIVE_INFINITY
  /** Ends the plugin under way. */
  #stop = new AbortController()
  /** When the plugin last ran because of a 401, on the monotonic clock. */
  #refreshedAt = Number.NEGATIVE_INFINITY

  /** `base` has the cluster's authority. */
  constructor(plugin: ExecPlugin, base: Credentials, clock: Clock) {
    if (!/^client\.authentication\.k8s\.io\/(?:v1|v1beta1)$/.test(plugin.apiVersion)) {
      const takes = 'client.authentication.k8s.io/v1 and v1beta1 are known'
      throw new CredentialsError('KUBECONFIG_INVALID', `exec: apiVersion ${plugin.apiVersion} is not known: ${takes}`)
    }
    this.#plugin = plugin
    this.#base = base
    this.#clock = clock
  }

  headers(): Issued['headers'] | Promise<Issued['headers']> {
    // The authority's file is checked too, so that the digest includes the authority that a new connection would use.
    const base = this.#base.headers()
    const valid = this.#valid()
    if (valid !== undefined && !(base instanceof Promise)) return valid.headers
    return Promise.all([valid ?? this.#run(), base]).then(([{ headers }]) => headers)
  }

  async tls(): Promise<TlsMaterial> {
    const { tls } = this.#valid() ?? (await this.#run())
    const { ca } = await this.#base.tls()
    return { ca, ...tls }
  }

  digest(): string {
    return `${this.#base.digest()}.${this.#issued?.digest ?? ''}`
  }

  refresh(): Promise<boolean> {
    return this.#refreshing.do(async () => {
      const now = this.#clock.monotonic()
      if (now < this.#refreshedAt + refreshAfterMs) return false
      this.#refreshedAt = now
      const before = this.#issued
      const after = await this.#run()
      return before?.headers.authorization !== after.headers.authorization || before?.digest !== after.digest
    })
  }

  close(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
  }

  #valid(): Issued | undefined {
    if (this.#issued === undefined) return undefined
    const isNew = this.#clock.monotonic() < this.#issuedAt + leastMs
    return isNew || this.#clock.now() < this.#issued.expiresAt ? this.#issued : undefined
  }

  #run(): Promise<Issued> {
    return this.#running.do(async () => {
      const now = issued(await output(this.#plugin, this.#clock, this.#stop.signal), this.#plugin)
      if (now.tls.cert !== undefined) await checkUsable(now.tls, this.#plugin)
      this.#issued = now
      this.#issuedAt = this.#clock.monotonic()
      return now
    })
  }
}

/** Runs the plugin. Resolves with its output. */
async function output(plugin: ExecPlugin, clock: Clock, signal: AbortSignal): Promise<string> {
  const { apiVersion, command, args = [], env = [], cluster } = plugin
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster !== undefined && { cluster }) },
  }
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  const whole = { ...process.env, ...given, KUBERNETES_EXEC_INFO: JSON.stringify(info) }
  try {
    return await outputOf({ command, args, env: whole, clock, timeoutMs, maxOutputBytes, signal })
  } catch (error) {
    throw failed(plugin, (error as Error).message)
  }
}

function issued(text: string, plugin: ExecPlugin): Issued {
  const status = statusOf(text, plugin)
  // As in Go, null counts as absent.
  const names = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp']
  const [token, cert, key, expirationTimestamp] = names.map(name => status[name] ?? undefined)
  const strings = [token, cert, key, expirationTimestamp].every(
    value => value === undefined || typeof value === 'string',
  )
  if (!strings || (token === undefined && cert === undefined)) {
    throw failed(plugin, 'printed an ExecCredential that has neither a token nor a client certificate')
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw failed(plugin, 'printed a client certificate without its key, or a key without its certificate')
  }
  if (token !== undefined && !isHeaderText(`${token}`)) throw failed(plugin, 'printed a token that no header takes')
  const expiresAt = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${expirationTimestamp}`)
  if (Number.isNaN(expiresAt)) throw failed(plugin, 'printed an expirationTimestamp that is no time')
  const tls: TlsMaterial = cert === undefined ? {} : { cert: `${cert}`, key: `${key}` }
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    tls,
    digest: digestOf(tls),
    expiresAt,
  }
}

/** Checks that TLS material can be used. If not, it is not kept, and the plugin runs again for the next call. */
async function checkUsable(tls: TlsMaterial, plugin: ExecPlugin): Promise<void> {
  const { secureContext } = await import('./secure-contexts.ts')
  try {
    secureContext(tls)
  } catch (error) {
    throw failed(plugin, `printed a client certificate that can't be used: ${(error as Error).message}`)
  }
}

function statusOf(text: string, plugin: ExecPlugin): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw failed(plugin, 'printed something that is no JSON')
  }
  const { kind, apiVersion, status } = (value ?? {}) as Record<string, unknown>
  if (kind !== 'ExecCredential' || apiVersion !== plugin.apiVersion || status === null || typeof status !== 'object') {
    throw failed(plugin, `printed something that is no ExecCredential of ${plugin.apiVersion} with a status`)
  }
  return status as Record<string, unknown>
}

function failed({ command, installHint }: ExecPlugin, what: string): CredentialsError {
  const hint = installHint === undefined || what !== notThere ? '' : ` (${installHint.trim()})`
  return new CredentialsError('EXEC_FAILED', `the credential plugin ${command} ${what}${hint}`)
}
