import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account, AccountOptions, ApiServer, Grant, Kubeconfig, UsedRole } from '@wherry/apiserver'
import {
  AccountError,
  type ClientSubject,
  type IssuedCertificate,
  kubeconfigFor,
  RightsError,
} from '@wherry/apiserver/internal'
import { createAccount } from './account.ts'
import { rightsOf, writeAuditPolicy } from './audit-log.ts'
import { commandsOf, controllersKubeconfig, etcdSocket } from './command-line.ts'
import { type Credentials, writeCredentials } from './credentials.ts'
import { ApiServerMissingError, ApiServerStartError, ApiServerStateError } from './errors.ts'
import { type EtcdGateway, etcdGateway } from './etcd-gateway.ts'
import { type ApiServerBinary, findApiServer } from './find-binary.ts'
import { checkRealOptions, type RealApiServerOptions } from './options.ts'
import { untilReady } from './ready.ts'
import { type ServerProcess, startProcess } from './server-process.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** A real kube-apiserver with an etcd of its own on this machine's loopback. */
export interface RealApiServer extends ApiServer {
  readonly kind: 'real'
  /** Stays the same over restarts. HTTP/2 and HTTP/1.1 by ALPN. */
  readonly url: string
  /** PEM of the CA that signed the server's certificate. */
  readonly ca: string
  /** The folder with the server's data. {@link RealApiServer.close} removes it. */
  readonly folder: string
  /**
   * Compacts etcd, which forgets all revisions before the current one. Resolves with the current revision. Continue tokens, and resourceVersions of
   * resources without a watch cache, expire at once. Two things still work: a watch resumes while its resourceVersion is
   * in the watch cache's window, and lists at an exact resourceVersion come from the cache's snapshots for up to 15 s
   * more (feature gate ListFromCacheSnapshot). {@link RealApiServer.restart} afterwards empties both.
   */
  compact(): Promise<number>
  /** The bytes that etcd stores under `key`, such as `/registry/configmaps/default/a`; `undefined` if there are none. */
  stored(key: string): Promise<Uint8Array | undefined>
  /** Pauses the process (SIGSTOP): connections stay open, and no request is answered. */
  pause(): void
  resume(): void
  /**
   * Ends the server and starts it again on the same port with the same data; resolves when it is ready. Rejects if the server is closed meanwhile. `'kill'` breaks
   * streams off; `'terminate'` ends the server as in a rollout: GOAWAY, and up to a minute for open watches to end.
   */
  restart(how?: 'kill' | 'terminate'): Promise<void>
  /** Ends the server. Resolves when its processes have ended, and its sockets and its folder are removed. Idempotent. */
  close(): Promise<void>
}

const PORT_TRIES = 5
const READY_TIMEOUT_MS = 60_000

/**
 * Starts a real API server with its own ports, data, certificates and tokens, which is ready in a few seconds. The server ends with
 * this process, however the process ends, and leaves no files behind.
 *
 * @throws {@link ApiServerMissingError}, `ApiServerVersionError`, `ApiServerBuildError` as
 *   {@link findApiServer} does, and `ApiServerStartError` with the end of the server's output.
 *
 * @example
 * ```ts
 * import { startRealApiServer } from '@wherry/testing'
 *
 * const server = await startRealApiServer({ version: '1.36' })
 * console.log(server.url)
 * await server.close()
 * ```
 */
export async function startRealApiServer(options: RealApiServerOptions = {}): Promise<RealApiServer> {
  checkRealOptions(options)
  const binary = await findApiServer(options)
  if (options.controllers === true && binary.kind === 'assets') {
    throw new ApiServerMissingError(
      'KUBEBUILDER_ASSETS has no controllers: unset it, and take `build: true`, which builds a server with them',
    )
  }
  // The path of a Unix socket has a maximum length, so the name of the folder is short.
  const folder = await mkdtemp(join(tmpdir(), 'wherry-apiserver-'))
  const watchdog = await startWatchdog(folder)
  try {
    const credentials = await writeCredentials(folder, options.tokens ?? {})
    for (let attempt = 1; ; attempt += 1) {
      const server = new Instance(binary, { folder, port: await freePort() }, options, credentials, watchdog)
      try {
        await server.start()
        return server
      } catch (cause) {
        // Another program took the port between the check that it is free and the bind.
        const taken = cause instanceof ApiServerStartError && /address already in use/.test(cause.log)
        if (!taken || attempt === PORT_TRIES) throw cause
      }
    }
  } catch (cause) {
    await watchdog.close()
    throw cause
  }
}

class Instance implements RealApiServer {
  readonly kind: 'real' = 'real'
  readonly url: string
  readonly ca: string
  readonly token: string
  readonly kubeconfig: Kubeconfig
  readonly folder: string
  readonly #binary: ApiServerBinary
  readonly #port: number
  readonly #options: RealApiServerOptions
  readonly #credentials: Credentials
  readonly #watchdog: Watchdog
  readonly #etcd: EtcdGateway
  #processes: readonly ServerProcess[] = []
  #state: 'stopped' | 'running' | 'paused' | 'closed' = 'stopped'
  /** Resolves when no restart is under way. Never rejects. */
  #restarted: Promise<void> = Promise.resolve()

  constructor(
    binary: ApiServerBinary,
    place: { readonly folder: string; readonly port: number },
    options: RealApiServerOptions,
    credentials: Credentials,
    watchdog: Watchdog,
  ) {
    this.url = `https://127.0.0.1:${place.port}`
    this.ca = credentials.authority.caPem
    this.token = credentials.adminToken
    this.kubeconfig = kubeconfigFor(this.url, this.ca, this.token)
    this.folder = place.folder
    this.#binary = binary
    this.#port = place.port
    this.#options = options
    this.#credentials = credentials
    this.#watchdog = watchdog
    this.#etcd = etcdGateway(etcdSocket(place.folder))
  }

  async start(): Promise<void> {
    const { controllers = false, clusterObjects = true, recordRights = false } = this.#options
    const { readyTimeoutMs = READY_TIMEOUT_MS } = this.#options
    const audit = recordRights ? await writeAuditPolicy(this.folder) : {}
    const more = { ...audit, ...flagsOf(this.#options) }
    const run = controllers ? { clusterObjects } : undefined
    if (controllers) await this.writeKubeconfig(join(this.folder, controllersKubeconfig))
    const place = { folder: this.folder, port: this.#port }
    const processes: ServerProcess[] = []
    this.#processes = processes
    try {
      for (const { program, args } of commandsOf(this.#binary, place, more, run)) {
        processes.push(await startProcess(program, args, this.folder))
        this.#watchdog.guard(processes.map(({ pid }) => pid))
        this.#mustBeOpen()
      }
      const over = (): boolean => processes.some(({ ending }) => ending !== undefined)
      if (!(await untilReady(this, readyTimeoutMs, over))) {
        const dead = processes.find(({ ending }) => ending !== undefined)
        throw new ApiServerStartError(
          dead ? `the API server ended with ${dead.ending}` : `the API server was not ready in ${readyTimeoutMs} ms`,
          (dead ?? processes.at(-1))?.log() ?? '',
        )
      }
    } catch (cause) {
      this.#processes = processes
      await this.#stop('SIGKILL')
      throw this.#isClosed() ? closedError() : cause
    }
    this.#state = 'running'
  }

  async writeKubeconfig(path: string): Promise<void> {
    await writeFile(path, JSON.stringify(this.kubeconfig, undefined, 2), { mode: 0o600 })
  }

  async clientCertificate(subject: ClientSubject): Promise<IssuedCertificate> {
    return this.#credentials.authority.issueClient(subject)
  }

  async account(grants: readonly Grant[], options: AccountOptions = {}): Promise<Account> {
    this.#mustRun()
    if (this.#options.authorization === 'allow') throw new AccountError()
    return createAccount(this, grants, options, this.#options.readyTimeoutMs ?? READY_TIMEOUT_MS)
  }

  async rights(): Promise<Readonly<Record<string, readonly UsedRole[]>>> {
    if (this.#options.recordRights !== true) throw new RightsError()
    if (this.#state === 'closed') this.#mustRun()
    return rightsOf(this.folder)
  }

  async revision(): Promise<number> {
    this.#mustRun()
    return this.#etcd.revision()
  }

  async compact(): Promise<number> {
    this.#mustRun()
    return this.#etcd.compact()
  }

  async stored(key: string): Promise<Uint8Array | undefined> {
    this.#mustRun()
    return this.#etcd.get(key)
  }

  pause(): void {
    if (this.#state === 'paused') return
    this.#mustRun()
    this.#processes.at(-1)?.signal('SIGSTOP')
    this.#state = 'paused'
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#processes.at(-1)?.signal('SIGCONT')
    this.#state = 'running'
  }

  restart(how: 'kill' | 'terminate' = 'kill'): Promise<void> {
    const restart = this.#restarted.then(() => this.#restart(how))
    this.#restarted = restart.catch(() => {})
    return restart
  }

  async #restart(how: 'kill' | 'terminate'): Promise<void> {
    this.#mustBeOpen()
    this.resume()
    await this.#stop(how === 'kill' ? 'SIGKILL' : 'SIGTERM')
    this.#mustBeOpen()
    await this.start()
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    // A restart that is under way ends with its processes, before it starts others.
    await this.#stop('SIGKILL')
    await this.#restarted
    await this.#watchdog.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Stops the API server first, and then etcd, which the API server needs until its end. */
  async #stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#state !== 'closed') this.#state = 'stopped'
    for (const process of this.#processes.toReversed()) {
      process.signal(signal)
      await process.ended
    }
    this.#processes = []
    this.#watchdog.guard([])
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #mustBeOpen(): void {
    if (this.#isClosed()) throw closedError()
  }

  #mustRun(): void {
    if (this.#state !== 'running') throw new ApiServerStateError(this.#state, 'it must run')
  }
}

function closedError(): ApiServerStateError {
  return new ApiServerStateError('closed', 'it cannot be restarted')
}

/** The flags for the options. Explicit flags win. */
function flagsOf({
  featureGates = {},
  shards = false,
  authorization,
  enforceOwnerRights = false,
  flags,
}: RealApiServerOptions): Record<string, string> {
  const gates = Object.entries({ ...(shards ? { ShardedListAndWatch: true } : {}), ...featureGates })
  return {
    ...(gates.length === 0 ? {} : { 'feature-gates': gates.map(([name, on]) => `${name}=${on}`).join(',') }),
    ...(authorization === 'allow' ? { 'authorization-mode': 'AlwaysAllow' } : {}),
    ...(enforceOwnerRights ? { 'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement' } : {}),
    ...flags,
  }
}

/** Finds a port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
