import { applyAll } from './apply-all.ts'
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
  fieldManager,
  flag,
  having,
  headerText,
  integer,
  milliseconds,
} from './errors/check.ts'
import { ConnectionError } from './errors/connection-error.ts'
import { OptionRangeError, OptionTypeError } from './errors/option.ts'
import { Guard, type GuardedClient } from './guard.ts'
import type { Transport } from './transport.ts'
import { Caller } from './verbs/caller.ts'
import { count } from './verbs/count.ts'
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
import { type Edit, modify } from './verbs/modify.ts'
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  EvictOptions,
  GetOptions,
  PatchOptions,
  WriteOptions,
} from './verbs/options.ts'
import { type RawAnswers, type RawRequest, request as rawRequest } from './verbs/raw.ts'
import { ScaleVerbs } from './verbs/scale.ts'
import { StatusVerbs } from './verbs/status.ts'
import { type Subresources, SubresourceVerbs } from './verbs/subresource.ts'
import { waitFor } from './verbs/wait-for.ts'
import { type WatchHandlers, type WatchOptions, watch, watchEach } from './verbs/watch.ts'
import { apply, type Patch, patch, update } from './verbs/write.ts'
import type { WriteListener } from './verbs/write-listeners.ts'
import { version } from './version.ts'
import {
  asKey,
  type DeepPartial,
  type FromServer,
  type FullObject,
  type KeyOf,
  type KubernetesObject,
  type Scope,
} from './views/object.ts'
import type { View } from './views/resource.ts'
import type { WatchEvent } from './watch/events.ts'
import type { Watch, WatchContext } from './watch/watch.ts'

/** The cluster and the credentials: a URL, or the result of `inCluster`, `fromKubeconfigFile` and the like. */
export type ClientTarget =
  | { readonly access: ClusterAccess; readonly url?: undefined }
  | (Omit<UrlOptions, 'clock'> & {
      readonly access?: undefined
      /** The API server: `https://…`, with a path prefix if it has one. */
      readonly url: string | URL
    })

/** The options of a {@link Client}. */
export type ClientOptions = ClientSettings & ClientTarget

/** How a {@link Client} works. All are optional. */
export interface ClientSettings extends ConnectionOptions {
  /**
   * How bytes are sent.
   * @default Node's http2 and https
   */
  readonly transport?: Transport | undefined
  /** Clock, random numbers, and listeners for errors and measurements. @default `systemEnvironment()`, which is silent */
  readonly environment?: Partial<Environment> | undefined
  /** The User-Agent of each request. @default `wherry/VERSION` */
  readonly userAgent?: string | undefined
  /** The field manager of writes. @default 'wherry' */
  readonly fieldManager?: string | undefined
  /** The user to act as. @default none */
  readonly impersonate?: Impersonation | undefined
  /**
   * How long a call may take unless it has its own `timeoutMs`, in milliseconds; `Infinity`: no bound. It does not bound watches. kube-apiserver
   * itself gives up after 60 s.
   * @default 65_000
   */
  readonly timeoutMs?: number | undefined
  /** How often a call is retried at most, for example after a 429, or after a broken connection during a read; 0: never. @default 5 */
  readonly maxRetries?: number | undefined
  /**
   * Lets the server compress lists. This saves network time and costs the server CPU. Lists are decompressed off the event loop, which simulated
   * time does not wait for.
   * @default false on loopback and with your own `transport`, else true
   */
  readonly gzip?: boolean | undefined
}

/**
 * A client of one API server. Creating one does no I/O: the first call opens connections. They are closed when they have been idle, or by {@link
 * Client.close}.
 *
 * A view says what a call reads or writes: a resource, a scope, and a part of the objects. If an object does not exist, the result is `undefined`.
 * If the server refuses, the call rejects with an `ApiError` (`isConflict(error)` and the like say which). Without an answer it rejects with a
 * `ConnectionError` or a `TimeoutError`. A wrong option, name or key throws before any request.
 *
 * Every call takes a `signal` and a `timeoutMs`. A 429 with a Retry-After is retried as long as `timeoutMs` and `maxRetries` allow. The client itself does not
 * limit the rate of requests.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * const key = { name: 'settings', namespace: 'arcade' }
 * await client.create(configMaps, { metadata: key, data: { colour: 'blue' } })
 * await client.patch(configMaps, key, { data: { colour: 'green' } })
 * const settings = await client.get(configMaps, key)
 * console.log(settings?.data) // { colour: 'green' }
 * await client.close()
 * ```
 */
export class Client {
  /** The source of time, random numbers and listeners for all packages above. */
  readonly environment: Environment
  /** The API server's URL. */
  readonly server: string
  /** The field manager of this client's writes, unless a call names another. */
  readonly fieldManager: string
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string | undefined
  /** The `status` subresource. */
  readonly status: StatusVerbs
  /** The `scale` subresource. */
  readonly scale: ScaleVerbs
  readonly #caller: Caller
  readonly #pool: ConnectionPool
  /** The client that lends this one its connections. */
  readonly #of: Client | undefined
  readonly #guard: Guard | undefined
  /** The options of a client that has connections of its own. */
  readonly #options: ClientOptions | undefined
  readonly #discovery: Discovery

  constructor(options: ClientOptions) {
    if (options instanceof Derived) {
      const { of, caller, guard } = options
      this.environment = of.environment
      this.server = of.server
      this.namespace = of.namespace
      this.fieldManager = of.fieldManager
      this.#of = of
      this.#guard = guard
      this.#pool = of.#pool
      this.#caller = caller
      this.#discovery = guard === undefined ? of.#discovery : new Discovery(caller)
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
   * A client for the cluster of KUBECONFIG if that is set, else for the pod's own cluster, else for that of `~/.kube/config`. Reads files, and
   * sends no request.
   *
   * Rejects with a `CredentialsError` if it finds no cluster, and with an `OptionTypeError` if the settings name a cluster.
   */
  static async connect(settings: ClientSettings = {}): Promise<Client> {
    // Wrong options are reported before any file is read.
    checkOptions('client', settings, clientChecks)
    checkNoTarget(settings)
    const access = await findAccess({ clock: settings.environment?.clock })
    return new Client({ ...settings, access })
  }

  /**
   * The context for `openWatch` and `readItems`, for code that keeps a watch going, as an informer does. Its requests are neither retried nor
   * bounded in time.
   */
  get raw(): WatchContext {
    return this.#caller
  }

  /**
   * A client over the same connections, for a part of the program that may act only for a while, as a leader may.
   *
   * `admit` is called right before each request is sent, retries included, and must be quick. If it throws, nothing is sent, and the call fails
   * with what it threw. `end` ends its calls and watches, and all later ones, with the given reason. The original client goes on.
   */
  guardedBy(admit: () => void): GuardedClient {
    callback('guardedBy', admit)
    const guard = new Guard(admit, this.#caller)
    const caller = new Caller({ ...this.#caller.parts, requester: guard })
    const client = new Client(new Derived(this, caller, guard) as unknown as ClientOptions)
    return { client, end: reason => client.#end(reason) }
  }

  /**
   * A client over the same connections that reports its writes to `listeners`, including writes of status and scale, evictions and deletes. A cache
   * that listens returns nothing older afterwards. Dry runs are not reported. Closing it closes the original client too.
   */
  withWriteListeners(...listeners: readonly WriteListener[]): Client {
    for (const one of listeners) having('a listener of writes', 'wrote', 'deleted')('withWriteListeners', one)
    return new Client(new Derived(this, this.#caller.withWriteListeners(listeners)) as unknown as ClientOptions)
  }

  /**
   * A client of the same server, with the same credentials and settings and its own connections: for requests that must not hold up those of this
   * client. It has no guard and no listeners, and you must close it.
   */
  withOwnConnections(): Client {
    return this.#of?.withOwnConnections() ?? new Client(this.#options as ClientOptions)
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#pool.connections
  }

  /** Reads one object; `undefined` if it does not exist, or the view's selectors leave it out. */
  get<C, S extends Scope>(view: View<C, S>, key: KeyOf<S>, options?: GetOptions): Promise<FromServer<C> | undefined> {
    return get(this.#caller, view, asKey(key), options) as Promise<FromServer<C> | undefined>
  }

  /**
   * Reads all objects of a view, or one page of them, into memory. The body is split into objects as its bytes arrive, and is never held as a
   * whole. Views of several namespaces are read one namespace after the other.
   */
  list<C>(view: View<C>, options?: ListPageOptions): Promise<List<FromServer<C>>> {
    return list(this.#caller, view, options) as Promise<List<FromServer<C>>>
  }

  /**
   * Reads all objects of a view, calls `item` with each as it arrives, and holds none. The list is complete only when it has resolved. If `item`
   * throws, the list ends.
   */
  listEach<C>(
    view: View<C>,
    item: (object: FromServer<C>) => void,
    options?: ListOptions,
  ): Promise<Omit<List<C>, 'items'>> {
    return listEach(this.#caller, view, item as (object: C) => void, options)
  }

  /**
   * Reads all objects of a view page by page, each page on demand. If the server no longer has the list's state, a page with `restarted` holds all
   * objects of a newer state. If the view names several namespaces, these are all objects of one namespace.
   */
  pages<C>(view: View<C>, options?: PagesOptions): AsyncGenerator<ListPage<FromServer<C>>, void, undefined> {
    return pages(this.#caller, view as View<FromServer<C>>, options)
  }

  /**
   * Counts the objects of a view. Without a selector the server counts, and one object is read (its count may be some seconds old); with a selector the
   * metadata of all of them is read.
   */
  count(view: View, options?: CallOptions): Promise<number> {
    return count(this.#caller, view, options)
  }

  /**
   * Waits until `isTrue` returns true for an object, which is `undefined` while it does not exist. Resolves with the object then. The object is watched by
   * its name. Failures of the server and of the connection are waited out; past `timeoutMs` it rejects with a `TimeoutError`, and with an error of `isTrue`
   * at once. Needs the rights to list and to watch.
   *
   * @example
   * ```ts
   * import { Client } from '@wherry/client'
   * import { pods } from '@wherry/client/resources/core'
   *
   * const client = await Client.connect()
   * const key = { name: 'db-0', namespace: 'arcade' }
   * await client.waitFor(pods, key, pod => pod?.status?.phase === 'Running', { timeoutMs: 120_000 })
   * await client.waitFor(pods, key, pod => pod === undefined)
   * ```
   */
  waitFor<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    isTrue: (object: FromServer<C> | undefined) => boolean,
    options?: CallOptions,
  ): Promise<FromServer<C> | undefined> {
    return waitFor(this.#caller, view as View<FromServer<C>, S>, asKey(key), isTrue, options)
  }

  /**
   * Watches a view with one request, until the server ends it (after some minutes) or you leave the loop. Without a `resourceVersion` it starts
   * with all existing objects. A slow consumer holds the server back. A refusal or an error in the stream is thrown.
   */
  watch<C>(view: View<C>, options?: WatchOptions): AsyncGenerator<WatchEvent<FromServer<C>>, void, undefined> {
    return watch(this.#caller, view as View<FromServer<C>>, options)
  }

  /** As {@link Client.watch}, with callbacks instead of a promise per event. `end` receives how the watch ended. */
  watchEach<C>(view: View<C>, on: WatchHandlers<FromServer<C>>, options?: WatchOptions): Watch {
    return watchEach(this.#caller, view as View<FromServer<C>>, on, options)
  }

  /**
   * Creates an object; fails with `isAlreadyExists` if one of that name exists. If the connection breaks before the answer, the object is read: if
   * it is what was sent, it counts as created (rule X12).
   */
  create<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<FromServer<T>> {
    return create(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /**
   * Replaces an object. Its `metadata.resourceVersion` turns another writer's change into a conflict. Custom resources require it; for other kinds,
   * the last write wins without it. The status is not written.
   */
  update<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<FromServer<T>> {
    return update(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /**
   * Changes an object that others write, too: reads it, has `edit` change a copy of it, and sends the difference. For lists that several programs fill,
   * and that server-side apply takes as one value: `imagePullSecrets` of a ServiceAccount, or a list of a custom resource without a list type.
   *
   * The difference is a JSON patch that holds only for the state that was read. After a conflict, the object is read and edited again, ten times in all,
   * so `edit` must give the same for the same object. Nothing is sent if `edit` changes nothing. Resolves with the object as it then is; `undefined` if
   * it does not exist. The status is not written.
   *
   * @example
   * ```ts
   * import { Client } from '@wherry/client'
   * import { serviceAccounts } from '@wherry/client/resources/core'
   *
   * const client = await Client.connect()
   * await client.modify(serviceAccounts, { name: 'robot', namespace: 'arcade' }, account => {
   *   account.imagePullSecrets ??= []
   *   const hasMirror = account.imagePullSecrets.some(({ name }) => name === 'mirror')
   *   if (!hasMirror) account.imagePullSecrets.push({ name: 'mirror' })
   * })
   * ```
   */
  modify<T extends object, S extends Scope>(
    view: View<T, S>,
    key: KeyOf<S>,
    edit: (draft: FromServer<T>) => unknown,
    options?: WriteOptions,
  ): Promise<FromServer<T> | undefined> {
    return modify(this.#caller, view, asKey(key), edit as Edit<T>, options) as Promise<FromServer<T> | undefined>
  }

  /** Changes an object by a merge patch, JSON patch or strategic merge patch. */
  patch<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    change: Patch,
    options?: PatchOptions,
  ): Promise<FromServer<C>> {
    return patch(this.#caller, view, asKey(key), change, options) as Promise<FromServer<C>>
  }

  /**
   * Applies an object by server-side apply: this manager then owns the given fields, and fields that it applied before and not now are removed. A conflict
   * names fields that others own (`isApplyConflict`).
   */
  apply<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<DeepPartial<NoInfer<T>>>,
    options?: ApplyOptions,
  ): Promise<FromServer<T>> {
    return apply(this.#caller, view, object, options) as Promise<FromServer<T>>
  }

  /**
   * Applies objects of any kind, as a manifest has them: namespaces and definitions first, then accounts and roles, then all others in the order given,
   * webhooks and policies last. After a definition it waits until the server has the kind. Objects without a namespace get that of the client. Resolves
   * with the objects as they are then, in the order given. The first refusal rejects; what was applied before it stays.
   *
   * @example
   * ```ts
   * import { readFile } from 'node:fs/promises'
   * import { Client } from '@wherry/client'
   * import { parseAllDocuments } from 'yaml'
   *
   * const client = await Client.connect()
   * const text = await readFile('install.yaml', 'utf8')
   * await client.applyAll(parseAllDocuments(text).map(document => document.toJSON()), { force: true })
   * ```
   */
  applyAll(objects: readonly KubernetesObject[], options?: ApplyOptions): Promise<KubernetesObject[]> {
    return applyAll(this.#caller, this.#discovery, this.namespace, objects, options)
  }

  /** Deletes an object; `undefined` if it did not exist. An object with finalizers stays until they are removed. */
  delete<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options?: DeleteOptions,
  ): Promise<Deleted<C> | undefined> {
    return remove(this.#caller, view, asKey(key), options)
  }

  /**
   * Deletes all objects of a view, which must name its namespaces if the resource is namespaced. Resolves with the objects, or with their metadata for
   * `view.metadata()`. With a `limit` it deletes page by page; if the server forgets the pages meanwhile, it rejects with `isExpired`: call it again.
   */
  deleteCollection<C>(view: View<C>, options?: DeleteCollectionOptions): Promise<FromServer<C>[]> {
    return deleteCollection(this.#caller, view, options) as Promise<FromServer<C>[]>
  }

  /** Evicts a pod. If a disruption budget does not allow that now, it fails with `isTooManyRequests` and is not retried. */
  evict(pods: View<unknown, 'namespaced'>, key: KeyOf<'namespaced'>, options?: EvictOptions): Promise<void> {
    return evict(this.#caller, pods, asKey(key), options)
  }

  /**
   * Reads and writes a subresource of one object: `client.subresource(serviceAccounts, key, 'token').create({ spec: { audiences: [] } })`. The
   * bodies of the subresources that every cluster has are typed; for another subresource, give its type: `client.subresource<Restart>(view, key, 'restart')`.
   */
  subresource<N extends keyof Subresources, S extends Scope>(
    view: View<unknown, S>,
    key: KeyOf<S>,
    name: N,
  ): SubresourceVerbs<Subresources[N]>
  subresource<T extends object = KubernetesObject>(
    view: View<unknown>,
    key: KeyOf<Scope>,
    name: string,
  ): SubresourceVerbs<T>
  subresource(view: View<unknown>, key: KeyOf<Scope>, name: string): SubresourceVerbs<object> {
    return new SubresourceVerbs(this.#caller, view, key, name)
  }

  /**
   * Sends a request to any path of the server, if no other method does: `client.request({ method: 'GET', path: '/version' })`. As for all calls, its
   * time is bounded, it is repeated if the server did nothing, and a refusal is an `ApiError`. Caches are not notified of its writes.
   */
  request<A extends 'json' | 'text' | 'bytes' = 'json'>(request: RawRequest<A>): Promise<RawAnswers[A]> {
    return rawRequest(this.#caller, request)
  }

  /**
   * Finds a resource in the server's discovery documents; `undefined` if the server does not have it. Rejects if its group can't be read.
   *
   * That takes two requests for all groups, of some hundred kilobytes in a cluster with many kinds. (A server before 1.27 takes one more for each
   * version of each group.) The answer serves all calls of the next second. If the resource is missing, the server is asked again, at most once a
   * second. So a new definition is found at once, and a deleted one for a second at most.
   */
  discover(query: ResourceQuery, options?: DiscoverOptions): Promise<DiscoveredResource | undefined> {
    return this.#discovery.find(query, options)
  }

  /** All resources that the server serves. */
  discoverAll(options?: DiscoverOptions): Promise<readonly DiscoveredResource[]> {
    return this.#discovery.all(options)
  }

  /**
   * Ends all calls and watches, and closes the connections. Resolves when they are closed. Idempotent. A client of `guardedBy` only ends its own calls and
   * watches.
   */
  async close(): Promise<void> {
    if (this.#of !== undefined && this.#guard === undefined) return this.#of.close()
    this.#end(new ConnectionError('CLIENT_CLOSED', 'the client was closed'))
    if (this.#guard === undefined) await this.#pool.close()
  }

  #end(reason: Error): void {
    this.#caller.close(reason)
    this.#guard?.close(reason)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The parts of a client that uses the connections of another client. */
class Derived {
  readonly of: Client
  readonly caller: Caller
  readonly guard: Guard | undefined

  constructor(of: Client, caller: Caller, guard?: Guard) {
    this.of = of
    this.caller = caller
    this.guard = guard
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
  fieldManager,
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

/** Checks that settings name no cluster, because `connect` finds the cluster itself and would ignore another one. */
function checkNoTarget(settings: object): void {
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(targetChecks, name) || value === undefined) continue
    const option = `client.${name}`
    const instead = `make the client yourself, by new Client({ ${name}, … }), and an operator by new Operator({ name, client })`
    const message = `${option} is not for connect, which takes the cluster of KUBECONFIG, of the pod or of ~/.kube/config: ${instead}`
    throw new OptionTypeError(option, 'nothing in connect', 'a value', message)
  }
}

/** `fromUrl` checks the other options. */
function accessOf(options: ClientOptions, clock: Clock): ClusterAccess {
  const { access, url, ...rest } = options
  const parts = Object.entries(rest).filter(([name, value]) => Object.hasOwn(targetChecks, name) && value !== undefined)
  if (access === undefined) return fromUrl(url, { ...(Object.fromEntries(parts) as UrlOptions), clock })
  const extra = url === undefined ? parts[0]?.[0] : 'url'
  if (extra !== undefined) throw new OptionRangeError(`client.${extra}`, 'nothing together with access', 'both')
  having('Credentials', 'headers', 'tls', 'digest', 'refresh')('client.access.credentials', access.credentials)
  return { ...access, server: serverUrl('client.access.server', access.server) }
}
