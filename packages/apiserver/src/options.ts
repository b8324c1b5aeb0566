import type { AccessAttributes, User } from './authn/access.ts'
import { type Clock, longestTimerMs } from './clock.ts'
import { call, flag, number, oneOf, type Taken, text, whole } from './option-check.ts'
import type { HookFunction } from './outside/hook-client.ts'

/**
 * Authorization: `allow` allows everything, `RBAC` uses the server's own Roles and bindings, and a function returns `true`, or `false` or a reason
 * to refuse.
 */
export type Authorization = 'allow' | 'RBAC' | ((attributes: AccessAttributes) => boolean | string)

/** The options of an embedded API server. An isolated server accepts all of them except functions and clocks. */
export interface EmbeddedOptions {
  /** A server in this process. @default 'embedded' */
  readonly kind?: 'embedded' | undefined
  /**
   * Runs the server in a child process, so that memory and event loop belong to the test alone. An isolated server accepts no clock, random numbers or
   * authorizer function, and is reached only by sockets.
   * @default false
   */
  readonly isolate?: boolean | undefined
  /**
   * Whether the server listens on loopback. Without sockets it is reached only by `server.transport()`.
   * @default true
   */
  readonly sockets?: boolean | undefined
  /**
   * TLS with HTTP/2 and HTTP/1.1 by ALPN; `false` is HTTP/1.1 without TLS.
   * @default true
   */
  readonly tls?: boolean | undefined
  /** The port to listen on. @default 0, a free port */
  readonly port?: number | undefined
  /** Streams at once on an HTTP/2 connection. @default 100 */
  readonly maxStreams?: number | undefined
  /**
   * The source of time: a simulation's clock makes a run repeatable.
   * @default the system's
   */
  readonly clock?: Clock | undefined
  /**
   * The source of uids, generated names and timeouts.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined
  /** Decides what each user may do. @default 'allow' */
  readonly authorization?: Authorization | undefined
  /** Users by bearer token, in addition to the administrator's `server.token`. */
  readonly tokens?: Readonly<Record<string, User>> | undefined
  /** Records rights for `rights()`. @default true */
  readonly recordRights?: boolean | undefined
  /**
   * Whether a request without credentials is `system:anonymous`, or gets a 401. A wrong token always gets a 401.
   * @default true
   */
  readonly anonymous?: boolean | undefined
  /**
   * Resources without a watch cache: no bookmarks, and `resourceVersion=0` honours `limit`.
   *
   * @default ['events', 'events.events.k8s.io'], as on a real server
   */
  readonly withoutWatchCache?: readonly string[] | undefined
  /**
   * Supports sharded lists and watches (KEP-5866, alpha). Otherwise `shardSelector` is silently ignored.
   * @default false
   */
  readonly shards?: boolean | undefined
  /**
   * Lets clients leave `managedFields` out of answers, by `Accept: application/json;drop=metadata.managedFields` (KEP-5958, alpha in 1.38). Otherwise the
   * parameter is silently ignored.
   * @default false
   */
  readonly managedFieldsOptOut?: boolean | undefined
  /**
   * How often history is compacted, in milliseconds: old states, continue tokens and resumable watches last for one to two such times. With `Infinity`, only
   * `compact()` compacts.
   * @default 300_000
   */
  readonly compactionMs?: number | undefined
  /**
   * The maximum size of objects' past states, in bytes. Above this size the older half is compacted early.
   * @default 134_217_728
   */
  readonly historyBytes?: number | undefined
  /** The time from the creation of a CustomResourceDefinition until it is Established, in milliseconds. @default 20 */
  readonly establishMs?: number | undefined
  /**
   * For this long after a definition was created or changed, the first request to its resource gets a 429 "storage is (re)initializing", in
   * milliseconds.
   * @default 0: none does
   */
  readonly reinitialiseMs?: number | undefined
  /**
   * The time until requests meet a change of an admission policy, a binding or a webhook configuration, or a definition that is Established or was changed, in
   * milliseconds. On a real server requests in flight race such changes, so a program that relies on one at once fails there now and then, and with this option
   * each time. A deleted policy or configuration applies for this long too; a deleted definition is no longer served at once. A restart brings all into force.
   * @default 0: at once
   */
  readonly takeEffectMs?: number | undefined
  /**
   * Runs controllers of a control plane: they empty and remove namespaces, collect dependents of deleted owners, and release claims that no Pod uses. Without
   * them the server behaves as a bare kube-apiserver.
   * @default true
   */
  readonly controllers?: boolean | undefined
  /**
   * Creates the objects that every cluster has: the Service `kubernetes`, the PriorityClasses of the system,
   * two ConfigMaps of the API server in `kube-system`, and in each namespace the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`. The
   * last two come a moment after their namespace, and need `controllers`. With `false` the server has only namespaces: for tests that count
   * requests, objects or resourceVersions.
   * @default true
   */
  readonly clusterObjects?: boolean | undefined
  /**
   * Answers the calls of webhooks (admission and conversion) in place of https. So webhooks can be called in memory and on simulated time, as can webhooks
   * behind a Service, which this server has no network for.
   * @default https to the webhook's `url`; without sockets there are no webhooks (501)
   */
  readonly webhooks?: HookFunction | undefined
  /**
   * Turns on the admission plugin `OwnerReferencesPermissionEnforcement`: an owner with `blockOwnerDeletion` needs the right to update its `finalizers`, and a
   * change of owners the right to delete the object. Some clusters enable this plugin.
   * @default false
   */
  readonly enforceOwnerRights?: boolean | undefined
  /** The delay of the `controllers`, in milliseconds. @default 5 */
  readonly controllerDelayMs?: number | undefined
}

export const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(text.ok)
export const duration: Taken = number(0, longestTimerMs)
export const users: Taken = {
  takes: 'users by token, each with a name and groups',
  ok: value =>
    isRecord(value) &&
    Object.values(value as object).every(
      (user: Partial<User> | null) => text.ok(user?.name) && isStrings(user?.groups),
    ),
}

const known: Readonly<Record<keyof EmbeddedOptions, Taken>> = {
  kind: oneOf('embedded'),
  isolate: flag,
  sockets: flag,
  tls: flag,
  port: whole(0, 65_535),
  maxStreams: whole(1, 4_294_967_295),
  clock: { takes: 'a clock', ok: value => isRecord(value) && call.ok((value as Partial<Clock>).timer) },
  random: call,
  authorization: {
    takes: "'allow', 'RBAC' or a function",
    ok: value => value === 'allow' || value === 'RBAC' || call.ok(value),
  },
  tokens: users,
  recordRights: flag,
  anonymous: flag,
  withoutWatchCache: { takes: 'a list of resources', ok: isStrings },
  shards: flag,
  managedFieldsOptOut: flag,
  enforceOwnerRights: flag,
  compactionMs: {
    takes: `${duration.takes}, or Infinity`,
    ok: value => value === Number.POSITIVE_INFINITY || (duration.ok(value) && (value as number) > 0),
  },
  historyBytes: {
    takes: 'a number of 0 or more',
    ok: value => typeof value === 'number' && value >= 0,
  },
  establishMs: duration,
  reinitialiseMs: duration,
  takeEffectMs: duration,
  controllers: flag,
  clusterObjects: flag,
  webhooks: call,
  controllerDelayMs: duration,
}

/** An option that is unknown, or has a value that the server does not accept. */
export class OptionError extends TypeError {
  readonly code: 'ERR_WHERRY_OPTION' = 'ERR_WHERRY_OPTION'
  readonly option: string

  constructor(option: string, takes: string) {
    super(`startApiServer: option ${option} ${takes}`)
    this.name = 'OptionError'
    this.option = option
  }
}

/** Refuses unknown options and wrong values. Throws an {@link OptionError}. */
export function checkOptions(options: EmbeddedOptions): void {
  checkTaken(options, known)
}

/** Refuses options that are not in `taken`, and values that their options do not accept. Throws an {@link OptionError}. */
export function checkTaken(options: object, taken: Readonly<Record<string, Taken>>): void {
  for (const [name, value] of Object.entries(options)) {
    const one = Object.hasOwn(taken, name) ? taken[name] : undefined
    if (one === undefined) throw new OptionError(name, 'is not known')
    if (value !== undefined && !one.ok(value)) throw new OptionError(name, `takes ${one.takes}`)
  }
}
