import type { Clock } from './clock.ts'
import { NodeTransport } from './connection/node-transport.ts'
import { type ConnectionOptions, ConnectionPool, connectionChecks } from './connection/pool.ts'
import { type ClusterAccess, fromUrl, serverUrl, type UrlOptions } from './credentials/access.ts'
import { type Impersonation, impersonationHeaders } from './credentials/impersonate.ts'
import { KnownSecrets, proxiesOfEnvironment } from './credentials/known-secrets.ts'
import { findAccess } from './credentials/kubeconfig-file.ts'
import { isLoopback } from './credentials/unencrypted.ts'
import { Absence } from './discovery/absence.ts'
import { type DiscoverOptions, Discovery, type ResourceQuery } from './discovery/discovery.ts'
import type { DiscoveredResource } from './discovery/document.ts'
import { type Environment, guarded, systemEnvironment } from './environment.ts'
import {
  anything,
  callback,
  checkOptions,
  flag,
  having,
  headerText,
  integer,
  milliseconds,
  text,
} from './errors/check.ts'
import { ConnectionError } from './errors/connection-error.ts'
import { OptionRangeError } from './errors/option.ts'
import { Fence, type FencedClient } from './fence.ts'
import type { Transport } from './transport.ts'
import { Caller } from './verbs/caller.ts'
import { create } from './verbs/create.ts'
import { type Deleted, evict, remove } from './verbs/delete.ts'
import { type DeleteCollectionOptions, deleteCollection } from './verbs/delete-collection.ts'
import { get } from './verbs/get.ts'
import {
  type List,
  type ListOptions,
  type ListPage,
  type ListPageOptions,
  list,
  listEach,
  type PagesOptions,
  pages,
} from './verbs/list.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  EvictOptions,
  GetOptions,
  PatchOptions,
  WriteOptions,
} from './verbs/options.ts'
import { ScaleVerbs } from './verbs/scale.ts'
import { StatusVerbs } from './verbs/status.ts'
import { type WatchHandlers, type WatchOptions, watch, watchEach } from './verbs/watch.ts'
import { apply, type Patch, patch, update } from './verbs/write.ts'
import type { WriteListener } from './verbs/write-listeners.ts'
import { version } from './version.ts'
import { asKey, type DeepPartial, type FromServer, type FullObject, type KeyOf, type Scope } from './views/object.ts'
import type { View } from './views/resource.ts'
import type { WatchEvent } from './watch/events.ts'
import type { Watch, WatchContext } from './watch/watch.ts'

/** The cluster, and who one is there: by URL, or as `inCluster`, `fromKubeconfigFile` and the like find it. */
export type ClientTarget =
  | { readonly access: ClusterAccess; readonly url?: undefined }
  | (Omit<UrlOptions, 'clock'> & {
      readonly access?: undefined
      /** The API server: `https://…`, with the path that stands before its own, if any. */
      readonly url: string | URL
    })

/** What a {@link Client} is made of. */
export type ClientOptions = ClientSettings & ClientTarget

/** How a {@link Client} works; none of it is needed. */
export interface ClientSettings extends ConnectionOptions {
  /**
   * How bytes come and go.
   * @default Node's http2 and https
   */
  readonly transport?: Transport | undefined
  /** Clock, random numbers, and whoever wants to hear. @default `systemEnvironment()`, which is silent */
  readonly environment?: Partial<Environment> | undefined
  /** @default `wherry/VERSION` */
  readonly userAgent?: string | undefined
  /** Whom the server notes as the manager of what is written. @default 'wherry' */
  readonly fieldManager?: string | undefined
  /** Act as another user. @default as oneself */
  readonly impersonate?: Impersonation | undefined
  /**
   * How long a call may take unless it says otherwise, in milliseconds; `Infinity`: no bound. Watches
   * are not bounded by it. kube-apiserver gives up after 60 s by itself.
   * @default 65_000
   */
  readonly timeoutMs?: number | undefined
  /** How often a call is repeated at most (429, or a broken connection under a read); 0: never. @default 5 */
  readonly maxRetries?: number | undefined
  /**
   * Let the server compress lists. Saves its CPU and the network's time. They are decompressed off the event loop, which simulated time
   * does not wait for.
   * @default false on loopback and with a `transport` that is given, else true
   */
  readonly gzip?: boolean | undefined
}

/**
 * Talks to one API server. Making one does no I/O: connections are opened by the first call, and
 * closed when they have been idle, or by {@link Client.close}.
 *
 * What a call reads or writes is said by a view: a resource, where, and how much of it. A miss is
 * `undefined`; a refusal is an `ApiError` (`isConflict(error)` and the like tell which), no answer a
 * `ConnectionError` or a `TimeoutError`; a wrong option, name or key throws before any request.
 *
 * Every call takes a `signal` and a `timeoutMs`. A 429 is waited out as long as that allows; nothing
 * limits the rate of requests on this side.
 */
export class Client {
  /** What all packages above take their clock, random numbers and listeners from. */
  readonly environment: Environment
  /** The API server's URL. */
  readonly server: string
  /** Whom the server notes as the manager of what this client writes, unless a call names another one. */
  readonly fieldManager: string
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string | undefined
  /** The `status` subresource. */
  readonly status: StatusVerbs
  /** The `scale` subresource. */
  readonly scale: ScaleVerbs
  readonly #caller: Caller
  readonly #pool: ConnectionPool
  /** The client whose connections this one uses. */
  readonly #of: Client | undefined
  readonly #fence: Fence | undefined
  /** The options of a client that has connections of its own. */
  readonly #options: ClientOptions | undefined
  readonly #discovery: Discovery

  constructor(options: ClientOptions) {
    if (options instanceof Derived) {
      const { of, caller, fence } = options
      this.environment = of.environment
      this.server = of.server
      this.namespace = of.namespace
      this.fieldManager = of.fieldManager
      this.#of = of
      this.#fence = fence
      this.#pool = of.#pool
      this.#caller = caller
      this.#discovery = fence === undefined ? of.#discovery : new Discovery(caller)
      this.status = new StatusVerbs(caller)
      this.scale = new ScaleVerbs(caller)
      return
    }
    checkOptions('client', options, clientChecks)
    this.#options = options
    this.environment = guarded(systemEnvironment(options.environment))
    const access = accessOf(options, this.environment.clock)
    const { server: target, tlsServerName, skipTlsVerify, proxyUrl } = access
    const secrets = new KnownSecrets(() => [proxyUrl, ...proxiesOfEnvironment()])
    const credentials = secrets.noting(access.credentials)
    const { impersonate = access.impersonate, timeoutMs = 65_000, maxRetries = 5, fieldManager = 'wherry' } = options
    const { connectTimeoutMs, idleMs, pingAfterMs, pingTimeoutMs, maxHttp1Calls } = options
    this.server = target.href
    this.namespace = access.namespace
    this.fieldManager = fieldManager
    if (skipTlsVerify === true) {
      this.environment.onWarning('the certificate of the API server is not verified', { host: target.host })
    }
    this.#pool = new ConnectionPool({
      target,
      transport: options.transport ?? new NodeTransport({ credentials, tlsServerName, skipTlsVerify, proxyUrl }),
      environment: this.environment,
      credentials,
      headers: {
        'user-agent': options.userAgent ?? `wherry/${version}`,
        ...(impersonate !== undefined && impersonationHeaders(impersonate)),
      },
      connectTimeoutMs,
      idleMs,
      pingAfterMs,
      pingTimeoutMs,
      maxHttp1Calls,
    })
    this.#caller = new Caller({
      requester: this.#pool,
      environment: this.environment,
      timeoutMs,
      maxRetries,
      fieldManager,
      gzip: options.gzip ?? (options.transport === undefined && !isLoopback(target.hostname)),
      redact: secrets.redact,
      absence: caller => new Absence(caller),
    })
    this.#discovery = new Discovery(this.#caller)
    this.status = new StatusVerbs(this.#caller)
    this.scale = new ScaleVerbs(this.#caller)
  }

  /**
   * A client for where this process runs: the cluster of KUBECONFIG if that is set, else the pod's own,
   * else that of `~/.kube/config`. Reads files, and asks nothing of the server.
   *
   * Rejects with a `CredentialsError` where there is none.
   */
  static async connect(settings: ClientSettings = {}): Promise<Client> {
    // First: which cluster it would be does not matter where they are wrong.
    checkOptions('client', settings, clientChecks)
    const access = await findAccess({ clock: settings.environment?.clock })
    return new Client({ ...settings, access })
  }

  /**
   * What `openWatch` and `readItems` take: for whoever keeps a watch going, as an informer does.
   * Calls through it are neither repeated nor bounded in time.
   */
  get raw(): WatchContext {
    return this.#caller
  }

  /**
   * This client, over the same connections, for a part of the program that may act for a while only, as a leader may.
   * `admit` is called right before each of its requests is sent, repeats included, and must be quick: where it throws,
   * nothing is sent, and the call fails with what it threw.
   *
   * `end` ends its calls and watches, and all later ones, with the reason given. This client goes on.
   */
  guardedBy(admit: () => void): FencedClient {
    callback('guardedBy', admit)
    const fence = new Fence(admit, this.#caller)
    const caller = new Caller({ ...this.#caller.parts, requester: fence })
    const client = new Client(new Derived(this, caller, fence) as unknown as ClientOptions)
    return { client, end: reason => client.#end(reason) }
  }

  /**
   * This client, and each of `listeners` hears of what is written through it, status, scale, evictions and deletes included:
   * a cache that hears of a write gives nothing older afterwards. Dry runs are not told. To close it closes this client, too.
   */
  withWriteListeners(...listeners: readonly WriteListener[]): Client {
    for (const one of listeners)
      having('a cache, or what else hears of writes', 'wrote', 'deleted')('withWriteListeners', one)
    return new Client(new Derived(this, this.#caller.withWriteListeners(listeners)) as unknown as ClientOptions)
  }

  /**
   * Another client of the same server, with the same credentials and settings, over connections of its own: for requests of others, which must
   * not hold up those of this client. It is not fenced, notifies nobody, and is to be closed by itself.
   */
  withOwnConnections(): Client {
    return this.#of?.withOwnConnections() ?? new Client(this.#options as ClientOptions)
  }

  /** How many connections there are now. */
  get connections(): number {
    return this.#pool.connections
  }

  /** Reads one object; `undefined` where it is not there, or the view's selectors leave it out. */
  get<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>, options?: GetOptions): Promise<FromServer<C> | undefined> {
    return get(this.#caller, view, asKey(key), options) as Promise<FromServer<C> | undefined>
  }

  /**
   * Reads all objects of a view, or one page of them, into memory. The body is cut into items as its
   * bytes come, and never held. Views of several namespaces are read one after the other.
   */
  list<C>(view: View<C>, options?: ListPageOptions): Promise<List<FromServer<C>>> {
    return list(this.#caller, view, options) as Promise<List<FromServer<C>>>
  }

  /**
   * Reads all objects of a view and calls `item` with each as it comes, holding none. Only once it has
   * resolved they are known to be all. What `item` throws ends it.
   */
  listEach<C>(
    view: View<C>,
    item: (object: FromServer<C>) => void,
    options?: ListOptions,
  ): Promise<Omit<List<C>, 'items'>> {
    return listEach(this.#caller, view, item as (object: C) => void, options)
  }

  /**
   * Reads all objects of a view page by page, each when it is wanted. Where the server has forgotten
   * the list's state on the way, a page with `restarted` has all of a newer one.
   */
  pages<C>(view: View<C>, options?: PagesOptions): AsyncGenerator<ListPage<FromServer<C>>, void, undefined> {
    return pages(this.#caller, view as View<FromServer<C>>, options)
  }

  /**
   * Watches a view: one request, until the server ends it (some minutes) or it is left. Without a
   * `resourceVersion` it begins with all objects there are. A consumer that is slow holds the server
   * back. A refusal, or an error in the stream, is thrown.
   */
  watch<C>(view: View<C>, options?: WatchOptions): AsyncGenerator<WatchEvent<FromServer<C>>, void, undefined> {
    return watch(this.#caller, view as View<FromServer<C>>, options)
  }

  /** As {@link Client.watch}, with callbacks: no promise for each event, and `end` says how it ended. */
  watchEach<C>(view: View<C>, on: WatchHandlers<FromServer<C>>, options?: WatchOptions): Watch {
    return watchEach(this.#caller, view as View<FromServer<C>>, on, options)
  }

  /**
   * Creates an object; `isAlreadyExists` where there is one of that name. If the connection breaks
   * before the answer, it is read again and taken for ours if it is what was sent (rule X12).
   */
  create<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<FromServer<T>> {
    return create(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /**
   * Replaces an object. Its `metadata.resourceVersion` makes another writer's change a conflict; custom
   * resources need it, of others the last write wins without. Its status is not written.
   */
  update<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<FromServer<T>> {
    return update(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /** Changes an object by a merge, JSON or strategic merge patch. */
  patch<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    change: Patch,
    options?: PatchOptions,
  ): Promise<FromServer<C>> {
    return patch(this.#caller, view, asKey(key), change, options) as Promise<FromServer<C>>
  }

  /**
   * Server-side apply: the fields given become this manager's, those it gave before and does not now
   * are removed. A conflict names fields that others own (`isApplyConflict`).
   */
  apply<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<DeepPartial<NoInfer<T>>>,
    options?: ApplyOptions,
  ): Promise<FromServer<T>> {
    return apply(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /** Deletes an object; `undefined` where there was none. It may stay until its finalizers are gone. */
  delete<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options?: DeleteOptions,
  ): Promise<Deleted<C> | undefined> {
    return remove(this.#caller, view, asKey(key), options)
  }

  /** Deletes all objects of a view, which must name its namespaces if it has some; resolves with them. */
  deleteCollection<C>(view: View<C>, options?: DeleteCollectionOptions): Promise<FromServer<C>[]> {
    return deleteCollection(this.#caller, view, options) as Promise<FromServer<C>[]>
  }

  /** Evicts a pod. `isTooManyRequests` where a disruption budget does not allow it now: that is not repeated. */
  evict(pods: View<unknown, 'namespaced'>, key: KeyOf<'namespaced'>, options?: EvictOptions): Promise<void> {
    return evict(this.#caller, pods, asKey(key), options)
  }

  /**
   * Finds out what the server calls a resource and what it can do; `undefined` where it has none.
   *
   * It reads the server's discovery documents: two requests for all groups, of some hundred kilobytes where many kinds are
   * defined. (A server before 1.27 takes one more for each version of each group.) The answer serves all calls of the next
   * second. What it lacks is asked for anew, at most once a second. So a new definition is noticed at once, and one that was
   * deleted is found for a second at most.
   */
  discover(query: ResourceQuery, options?: DiscoverOptions): Promise<DiscoveredResource | undefined> {
    return this.#discovery.find(query, options)
  }

  /** All that the server serves. */
  discoverAll(options?: DiscoverOptions): Promise<readonly DiscoveredResource[]> {
    return this.#discovery.all(options)
  }

  /** Ends all calls and watches, and closes the connections. Idempotent. Resolves when they are gone. */
  async close(): Promise<void> {
    if (this.#of !== undefined && this.#fence === undefined) return this.#of.close()
    this.#end(new ConnectionError('CLIENT_CLOSED', 'the client was closed'))
    if (this.#fence === undefined) await this.#pool.close()
  }

  #end(reason: Error): void {
    this.#caller.close(reason)
    this.#fence?.close(reason)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The parts of a client that uses the connections of another client. */
class Derived {
  readonly of: Client
  readonly caller: Caller
  readonly fence: Fence | undefined

  constructor(of: Client, caller: Caller, fence?: Fence) {
    this.of = of
    this.caller = caller
    this.fence = fence
  }
}

const targetChecks = {
  access: having('a ClusterAccess (inCluster() and the like)'),
  url: anything,
  token: anything,
  tokenFile: anything,
  ca: anything,
  cert: anything,
  key: anything,
  proxyUrl: anything,
  tlsServerName: anything,
}

const clientChecks = {
  ...connectionChecks,
  ...targetChecks,
  transport: having('a Transport', 'connect'),
  environment: environmentParts,
  userAgent: headerText,
  fieldManager: text,
  impersonate: having('{ user, groups, uid, extra }'),
  timeoutMs: milliseconds({ min: 1, infinite: true }),
  maxRetries: integer(0),
  gzip: flag,
}

function environmentParts(option: string, value: unknown): void {
  having('an Environment, or parts of one')(option, value)
  const { clock, metrics, random, onError, onWarning, log } = value as Partial<Record<keyof Environment, unknown>>
  if (clock !== undefined) having('a Clock', 'now', 'monotonic', 'timer', 'turn')(`${option}.clock`, clock)
  if (metrics !== undefined) having('Metrics', 'count', 'gauge', 'observe')(`${option}.metrics`, metrics)
  for (const [name, given] of Object.entries({ random, onError, onWarning, log })) {
    if (given !== undefined) callback(`${option}.${name}`, given)
  }
}

/** What is not checked here, `fromUrl` does. */
function accessOf(options: ClientOptions, clock: Clock): ClusterAccess {
  const { access, url, ...rest } = options
  const parts = Object.entries(rest).filter(([name, value]) => Object.hasOwn(targetChecks, name) && value !== undefined)
  if (access === undefined) return fromUrl(url, { ...(Object.fromEntries(parts) as UrlOptions), clock })
  const beside = url === undefined ? parts[0]?.[0] : 'url'
  if (beside !== undefined) throw new OptionRangeError(`client.${beside}`, 'nothing beside access', 'both')
  having('Credentials', 'headers', 'tls', 'digest', 'refresh')('client.access.credentials', access.credentials)
  return { ...access, server: serverUrl('client.access.server', access.server) }
}
