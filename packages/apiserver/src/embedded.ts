import { writeFile } from 'node:fs/promises'
import { copyJson, type JsonObject, serviceAccountUserName } from '@wherry/cel/internal'
import { accessControl } from './access-control.ts'
import { AdmissionWebhooks } from './admission/admission-webhooks.ts'
import { InForce } from './admission/in-force.ts'
import { confirmOwners } from './admission/owner-rights.ts'
import type { EmbeddedApiServer, FillSource } from './api-server.ts'
import type { AccessControl } from './authn/access.ts'
import {
  type Account,
  AccountError,
  type AccountOptions,
  accountObjects,
  type Grant,
  mayExist,
  RightsError,
  tokenSeconds,
} from './authn/account.ts'
import { bootstrapPolicy } from './authn/bootstrap-policy.ts'
import type { UsedRight, UsedRole } from './authn/used-rights.ts'
import { type Clock, systemClock } from './clock.ts'
import type { AttachHandler, ExecHandler, LogHandler, PortForwardHandler } from './containers/handlers.ts'
import { ApiServiceAvailability } from './controllers/api-service-availability.ts'
import { ClaimProtection } from './controllers/claim-protection.ts'
import { ClusterObjects } from './controllers/cluster-objects.ts'
import { Definitions, isDefinition } from './controllers/definitions.ts'
import { GarbageCollector } from './controllers/garbage-collector.ts'
import { initialNamespaces, NamespaceController } from './controllers/namespace-controller.ts'
import { convertBuiltin } from './conversion/builtin.ts'
import { type CoreParts, handle, WatchSet } from './core.ts'
import { Registry } from './definitions/registry.ts'
import type { Handler } from './exchange.ts'
import { Faults } from './faults/faults.ts'
import { fill, resolveSource } from './fill.ts'
import { type CertificateAuthority, createCertificateAuthority } from './front/certificates.ts'
import { type MemoryTransport, type MemoryTransportOptions, memoryTransport } from './front/memory.ts'
import { listen, type SocketFront } from './front/sockets.ts'
import { type Kubeconfig, kubeconfigFor } from './kubeconfig.ts'
import { Later } from './later.ts'
import { uuid } from './metadata/names.ts'
import type { KubeObject } from './objects/object.ts'
import { checkFields, whole } from './option-check.ts'
import { checkOptions, type EmbeddedOptions } from './options.ts'
import { HookClient } from './outside/hook-client.ts'
import { Outside } from './outside/outside.ts'
import { Flusher } from './read/flusher.ts'
import { withoutWatchCache } from './resources/builtin.ts'
import type { ResourceType } from './resources/resource-type.ts'
import { AccountTokens, tokenIssuer } from './reviews/account-tokens.ts'
import { ServerClock } from './server-clock.ts'
import { Counters, type ServerStats } from './stats.ts'
import { StatusError } from './status.ts'
import { compactEvery } from './store/compaction.ts'
import { objectKey, resourceKey, Store } from './store/store.ts'
import { strategyOf } from './strategies/strategy-of.ts'
import { type Admission, Writer } from './write/writer.ts'

/** Converts an object to another version of its resource. */
function asVersion(object: KubeObject, to: ResourceType): KubeObject {
  const { conversion, apiVersion } = to
  return conversion === undefined ? convertBuiltin(object, apiVersion) : conversion.object(object, apiVersion)
}

function isWebhookConfiguration({ group, plural }: ResourceType): boolean {
  return group === 'admissionregistration.k8s.io' && plural.endsWith('webhookconfigurations')
}

/** The address of a server without sockets, which only its `transport()` reaches. */
export const urlWithoutSockets = 'https://embedded.wherry.invalid'

/** The API server in this process. */
export class EmbeddedServer implements EmbeddedApiServer {
  readonly kind: 'embedded' = 'embedded'
  readonly token: string
  readonly faults: Faults = new Faults()
  readonly #clock: ServerClock
  readonly #transportClock: Clock
  readonly #maxStreams: number | undefined
  readonly #random: () => number
  readonly #store: Store
  readonly #later: Later
  readonly #inForce: InForce
  readonly #parts: CoreParts
  readonly #collector: GarbageCollector | undefined
  readonly #claimProtection: ClaimProtection | undefined
  readonly #transports = new Set<MemoryTransport>()
  /** Connections that are exempt from faults and counters. */
  readonly #backstage = new Set<MemoryTransport>()
  readonly #handler: Handler
  #front: SocketFront | undefined
  #authority: CertificateAuthority | undefined
  #closing: Promise<void> | undefined
  #refusing = false
  readonly #clusterObjects: ClusterObjects | undefined
  readonly #authorization: EmbeddedOptions['authorization']
  readonly #recordsRights: boolean
  /** Connections made before the last `resetStats`. */
  #madeBefore = 0

  /** Makes the server. It serves in memory at once, and on sockets after `listen`. Throws an `OptionError`. */
  constructor(options: EmbeddedOptions) {
    checkOptions(options)
    const given = options.clock ?? systemClock({ unref: true })
    // An exchange in memory keeps the process alive, as one on a socket does; an idle server does not.
    this.#transportClock = options.clock ?? systemClock()
    this.#maxStreams = options.maxStreams
    this.#authorization = options.authorization
    this.#recordsRights = options.recordRights ?? true
    this.#random = options.random ?? Math.random
    this.token = uuid(this.#random)
    this.#store = new Store(options.historyBytes ?? 134_217_728)
    const registry = new Registry()
    const watches = new WatchSet()
    const outside = new Outside(given, this.#random)
    const random = (): number => outside.random()
    // All attempts at a request see the same time.
    const clock = new ServerClock(given, () => outside.now())
    this.#clock = clock
    const store = this.#store
    const services = registry.resolve('', 'v1', 'services')
    const client = new HookClient(
      this.#transportClock,
      options.webhooks,
      (namespace, name) => store.collection(services).get(objectKey(namespace, name)) !== undefined,
    )
    const callable = options.webhooks !== undefined || (options.sockets ?? true)
    const later = new Later(clock, options.takeEffectMs ?? 0)
    const inForce = new InForce(store, later)
    this.#later = later
    this.#inForce = inForce
    const webhooks = new AdmissionWebhooks({
      store,
      registry,
      inForce,
      outside,
      client,
      random: this.#random,
      convert: asVersion,
      decide: asked => this.#parts.access.decide(asked),
      confirmOwners: options.enforceOwnerRights
        ? asked => confirmOwners(this.#parts.access, registry, asked)
        : undefined,
    })
    let writer: Writer | undefined
    const definitions = new Definitions(
      {
        store,
        registry,
        clock,
        conversions: { outside, client, random: this.#random },
        callable,
        writer: () => writer as Writer,
        closeWatches: resource => watches.end(resource),
      },
      { establishMs: options.establishMs ?? 20, reinitialiseMs: options.reinitialiseMs ?? 0, later },
    )
    const admit: Admission = (type, object, old) => {
      if (isWebhookConfiguration(type)) {
        if (!callable) throw StatusError.missing('admission webhooks of a server without sockets and `webhooks`')
      }
      if (isDefinition(type)) definitions.admit(object, old)
    }
    writer = new Writer({ store, clock, random, strategyOf }, admit, webhooks)
    const delayMs = options.controllerDelayMs ?? 5
    const active = options.controllers ?? true
    const namespaces = new NamespaceController(store, registry, writer, clock, active ? delayMs : undefined)
    if (active) {
      this.#collector = new GarbageCollector(store, registry, writer, clock, delayMs)
      this.#claimProtection = new ClaimProtection(store, registry, writer, clock, delayMs)
    }
    new ApiServiceAvailability(store, registry, writer, clock, delayMs)
    if (options.clusterObjects ?? true) {
      this.#clusterObjects = new ClusterObjects(store, registry, writer, clock, active ? delayMs : undefined)
    }
    const compactionMs = options.compactionMs ?? 300_000
    if (Number.isFinite(compactionMs)) compactEvery(compactionMs, store, clock)
    const tokens = new AccountTokens(store, registry, () => clock.now(), random, this.token)
    const access: AccessControl = accessControl({
      store,
      registry,
      adminToken: this.token,
      options,
      accounts: tokens,
    })
    const uncached = new Set(options.withoutWatchCache ?? withoutWatchCache)
    this.#parts = {
      store,
      registry,
      writer,
      definitions,
      namespaces,
      access,
      outside,
      webhooks,
      tokens,
      faults: this.faults,
      counters: new Counters(),
      flusher: new Flusher(clock),
      clock,
      random: this.#random,
      watches,
      hasWatchCache: resource => !uncached.has(resource),
      shards: options.shards ?? false,
      managedFieldsOptOut: options.managedFieldsOptOut ?? false,
      controlled: active,
      containers: {},
    }
    this.#handler = (request, reply) => handle(this.#parts, request, reply)
    const type = registry.resolve('', 'v1', 'namespaces')
    for (const name of initialNamespaces) {
      writer.createOwn(type, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    }
    if (options.authorization === 'RBAC') {
      for (const object of bootstrapPolicy()) {
        const kind = registry.findKind(object.apiVersion, object.kind)
        if (kind !== undefined) writer.create(kind, copyJson(object as unknown as JsonObject) as KubeObject, false)
      }
    }
  }

  get url(): string {
    return this.#front?.url ?? urlWithoutSockets
  }

  get ca(): string | undefined {
    return this.#authority?.caPem
  }

  get kubeconfig(): Kubeconfig {
    return kubeconfigFor(this.url, this.ca, this.token)
  }

  /** Creates the objects of every new cluster. Some of them hold the server's address, so it must be known. */
  populate(): void {
    this.#clusterObjects?.start({ port: Number(new URL(this.url).port) || 6443, ca: this.ca ?? '' })
  }

  /** Starts to listen. Rejects if the port is not available. */
  async listen(options: EmbeddedOptions): Promise<void> {
    if (options.tls ?? true) this.#authority = createCertificateAuthority()
    const issued = await this.#authority?.issueServer()
    this.#front = await listen({
      handler: this.#handler,
      port: options.port,
      maxStreams: options.maxStreams,
      ...(issued === undefined
        ? {}
        : { tls: { cert: issued.certPem, key: issued.keyPem, clientCa: this.#authority?.caPem } }),
    })
  }

  transport(options: Partial<Omit<MemoryTransportOptions, 'handler' | 'clock'>> = {}): MemoryTransport {
    const transport = memoryTransport({
      ...options,
      random: options.random ?? this.#random,
      maxStreams: options.maxStreams ?? this.#maxStreams,
      handler: this.#handler,
      clock: this.#transportClock,
    })
    if (this.#refusing) transport.controls.refuse(true)
    if (this.#closing !== undefined) transport.close()
    this.#transports.add(transport)
    return transport
  }

  /**
   * A transport and a clock for code that plays a part of the cluster. Its requests meet no faults and are not counted, and no connection fault of a test
   * breaks them. The clock is the server's: its timers end with the server.
   */
  backstage(): { readonly transport: MemoryTransport; readonly clock: Clock } {
    const parts = { ...this.#parts, faults: new Faults(), counters: new Counters(), watches: new WatchSet() }
    const transport = memoryTransport({
      ...{ random: this.#random, clock: this.#transportClock, latencyMs: 0, chunking: 'whole' },
      handler: (request, reply) => handle(parts, request, reply),
    })
    if (this.#closing !== undefined) transport.close()
    this.#backstage.add(transport)
    return { transport, clock: this.#clock }
  }

  onExec(handler: ExecHandler): void {
    this.#parts.containers.exec = handler
  }

  onAttach(handler: AttachHandler): void {
    this.#parts.containers.attach = handler
  }

  onLogs(handler: LogHandler): void {
    this.#parts.containers.log = handler
  }

  onPortForward(handler: PortForwardHandler): void {
    this.#parts.containers.portForward = handler
  }

  storedVersions(resource: string): Readonly<Record<string, string>> {
    const found = this.#store.resources().find(one => resourceKey(one) === resource)
    const objects = found === undefined ? [] : this.#store.collection(found).snapshot('')
    return Object.fromEntries([...objects].map(({ key, storedAs }) => [key, storedAs]))
  }

  async writeKubeconfig(path: string): Promise<void> {
    await writeFile(path, `${JSON.stringify(this.kubeconfig, null, 2)}\n`, { mode: 0o600 })
  }

  async clientCertificate(subject: {
    readonly commonName: string
    readonly organizations?: readonly string[] | undefined
  }): Promise<{ readonly certPem: string; readonly keyPem: string }> {
    if (this.#authority === undefined) throw new TypeError('a server without TLS has no client certificates')
    return this.#authority.issueClient({ commonName: subject.commonName, organizations: subject.organizations ?? [] })
  }

  async stats(): Promise<ServerStats> {
    const open = [...this.#transports].reduce((sum, { controls }) => sum + controls.connections().length, 0)
    return this.#parts.counters.read({
      open: open + (this.#front?.connections() ?? 0),
      total: this.#made() - this.#madeBefore,
    })
  }

  #made(): number {
    const inMemory = [...this.#transports].reduce((sum, { controls }) => sum + controls.made(), 0)
    return inMemory + (this.#front?.accepted() ?? 0)
  }

  async account(grants: readonly Grant[], options: AccountOptions = {}): Promise<Account> {
    if (this.#authorization !== 'RBAC') throw new AccountError()
    const { name = 'operator', namespace = 'default' } = options
    const { registry, writer, tokens, store } = this.#parts
    for (const object of accountObjects(grants, { name, namespace })) {
      const type = registry.findKind(object.apiVersion, object.kind) as ResourceType
      const key = objectKey(object.metadata.namespace ?? '', object.metadata.name)
      if (mayExist(object) && store.collection(type).get(key) !== undefined) continue
      writer.create(type, copyJson(object as unknown as JsonObject) as KubeObject, false)
    }
    const accounts = registry.resolve('', 'v1', 'serviceaccounts')
    const uid = store.collection(accounts).get(objectKey(namespace, name))?.uid ?? ''
    const token = tokens.issue({ namespace, name, uid, audiences: [tokenIssuer], seconds: tokenSeconds })
    const user = serviceAccountUserName(namespace, name)
    return { user, token, kubeconfig: kubeconfigFor(this.url, this.ca, token) }
  }

  async rights(): Promise<Readonly<Record<string, readonly UsedRole[]>>> {
    if (!this.#recordsRights) throw new RightsError()
    return this.#parts.access.used.roles()
  }

  async usedRights(user: string): Promise<readonly UsedRight[]> {
    if (!this.#recordsRights) throw new RightsError()
    return this.#parts.access.used.of(user)
  }

  async resetRights(): Promise<void> {
    this.#parts.access.used.clear()
  }

  async resetStats(): Promise<void> {
    this.#parts.counters.reset()
    this.#madeBefore = this.#made()
  }

  async fill(source: FillSource): Promise<number> {
    const objects = await resolveSource(source)
    const { store, registry, random, clock } = this.#parts
    return fill({ store, registry, random, now: () => clock.now() }, objects)
  }

  async revision(): Promise<number> {
    return this.#store.revision
  }

  async compact(revision: number = this.#store.revision): Promise<number> {
    checkFields('compact', { revision }, { revision: whole() })
    this.#store.compact(revision)
    return Math.min(revision, this.#store.revision)
  }

  async expireWatchCaches(): Promise<void> {
    this.#store.forgetLogs(this.#store.revision)
  }

  async restart(): Promise<void> {
    await this.refuse(true)
    await this.breakConnections()
    await this.expireWatchCaches()
    this.#later.flush()
    await this.refuse(false)
  }

  async restoreEtcd(revision: number): Promise<void> {
    checkFields('restoreEtcd', { revision }, { revision: whole() })
    await this.refuse(true)
    try {
      await this.breakConnections()
      // The restored state differs from the one that these connections have received.
      for (const { controls } of this.#backstage)
        for (const connection of controls.connections()) controls.kill(connection)
      this.#later.drop()
      this.#store.restore(revision)
      this.#parts.definitions.reload()
      this.#inForce.reload()
      this.#parts.namespaces.reload()
      this.#collector?.reload()
      this.#claimProtection?.reload()
    } finally {
      await this.refuse(false)
    }
  }

  async endWatches(resource?: string): Promise<void> {
    this.#parts.watches.end(resource)
  }

  async refuse(on: boolean): Promise<void> {
    this.#refusing = on
    for (const transport of this.#transports) transport.controls.refuse(on)
    await this.#front?.refuse(on)
  }

  async goawayAll(): Promise<void> {
    for (const transport of this.#transports) transport.controls.goawayAll()
    this.#front?.goawayAll()
  }

  async breakConnections(): Promise<void> {
    for (const { controls } of this.#transports)
      for (const connection of controls.connections()) controls.kill(connection)
    this.#front?.destroyAll()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#parts.outside.close()
    this.#clock.close()
    for (const transport of [...this.#transports, ...this.#backstage]) transport.close()
    await this.#front?.close()
  }
}
