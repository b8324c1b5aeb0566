import type { Account, AccountOptions, Grant } from './authn/account.ts'
import type { UsedRight, UsedRole } from './authn/used-rights.ts'
import type { AttachHandler, ExecHandler, LogHandler, PortForwardHandler } from './containers/handlers.ts'
import type { FaultRule } from './faults/fault-rule.ts'
import type { FaultHandle } from './faults/faults.ts'
import type { MemoryTransport, MemoryTransportOptions } from './front/memory.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import type { ServerStats } from './stats.ts'

/** Many objects: an iterable, or a module that makes them and is loaded where the server runs. */
export type FillSource =
  | Iterable<object>
  | {
      /** URL of the module (`import.meta.resolve(…)`, `new URL(…).href`). */
      readonly module: string
      /** The name of the exported function, which returns an iterable of objects. @default 'default' */
      readonly export?: string | undefined
      /** The arguments of the function. */
      readonly args?: readonly unknown[] | undefined
    }

/** An API server for a test, embedded or real. It has the methods that both kinds have, so a test need not know its kind. */
export interface ApiServer extends AsyncDisposable {
  /** The kind of the server. It narrows the type to the one with that kind's further methods. */
  readonly kind: 'embedded' | 'real'
  /** `https://127.0.0.1:PORT`, or http. Without sockets the URL is only a name, and the server is reached by `transport()`. */
  readonly url: string
  /** The CA that signed the server's certificate, PEM; `undefined` without TLS. */
  readonly ca: string | undefined
  /** A token of a user in `system:masters`. */
  readonly token: string
  /** A kubeconfig for the server, as plain data (JSON, and thereby YAML). */
  readonly kubeconfig: Kubeconfig
  /** Writes the kubeconfig to a file that only this user can read. */
  writeKubeconfig(path: string): Promise<void>
  /** A client certificate for a user, PEM. Rejects without TLS. */
  clientCertificate(subject: {
    readonly commonName: string
    readonly organizations?: readonly string[] | undefined
  }): Promise<{ readonly certPem: string; readonly keyPem: string }>
  /**
   * Creates a ServiceAccount with exactly these rights, in addition to the rights of every user, for an operator to run as. `grants` can be the result of
   * `rights()`, so a test can run again with the rights that a first run used. Rejects if roles with the account's name exist, or if the server's
   * `authorization` is not `'RBAC'`.
   */
  account(grants: readonly Grant[], options?: AccountOptions): Promise<Account>
  /**
   * The rights that each user has used, by the user's name, since the start (of an embedded server: or since the last `resetRights`): a ClusterRole,
   * and a Role for each namespace, that grant exactly these verbs, on objects of any name. The administrator's name is `wherry:admin`. Refused requests are not included. Rejects
   * without `recordRights`.
   */
  rights(): Promise<Readonly<Record<string, readonly UsedRole[]>>>
  /** The resourceVersion of the last change in the server. */
  revision(): Promise<number>
  /** Compacts etcd up to the present and returns that revision: old states and continue tokens are 410 afterwards. */
  compact(): Promise<number>
  /** Breaks every connection. The server then listens again at the same address, with the same objects and empty watch caches. */
  restart(): Promise<void>
  /**
   * Stops the server. Resolves when no socket, timer or process is left. Clients connected in memory notice the stop as soon as their clock advances.
   * Idempotent.
   */
  close(): Promise<void>
}

/** An embedded API server, in this process or in a child process, with the methods that control it. */
export interface ControlledApiServer extends ApiServer {
  readonly kind: 'embedded'
  /** Faults, by rules. */
  readonly faults: { add(rule: FaultRule): Promise<FaultHandle>; clear(): Promise<void> }
  /** Counters since the start, or since the last `resetStats`. */
  stats(): Promise<ServerStats>
  /** The requests that one user made and was allowed, each verb and object once, since the start or the last `resetRights`. Rejects without `recordRights`. */
  usedRights(user: string): Promise<readonly UsedRight[]>
  /** Resets the sums: requests, bytes, connections made. The counts of open streams and the used rights stay. */
  resetStats(): Promise<void>
  /** Forgets which rights were used. */
  resetRights(): Promise<void>

  /**
   * Stores objects unchanged and without checks, each with its own resourceVersion. They may have any metadata, even managedFields. Their namespaces are
   * created. A built-in object without managedFields gets its defaults at its first write through the API. Resolves with the number of objects.
   */
  fill(source: FillSource): Promise<number>
  /**
   * Compacts the history as etcd does, up to the present or to a resourceVersion. Continue tokens and exact lists below it are answered with 410; watches go
   * on. Resolves with the revision.
   */
  compact(revision?: number): Promise<number>
  /** Empties the watch caches: a watch that starts below the present is answered with 410. Open watches go on. */
  expireWatchCaches(): Promise<void>
  /** Restores the state at a resourceVersion, with its counter, and restarts, like an etcd restored from a backup. */
  restoreEtcd(revision: number): Promise<void>
  /** Ends the open watches of a resource (`configmaps`, `games.arcade.example.com`), or all, cleanly. */
  endWatches(resource?: string): Promise<void>
  /** While on, new connections are refused; existing ones stay open. */
  refuse(on: boolean): Promise<void>
  /** GOAWAY on every connection. */
  goawayAll(): Promise<void>
  /** Breaks every connection. */
  breakConnections(): Promise<void>
}

/** An API server in this process, which can be reached without sockets too. */
export interface EmbeddedApiServer extends ControlledApiServer {
  /**
   * Sets the handler of the commands that clients run in containers. A later call replaces it. The pod must be on a node, and its status must have the
   * container running (`play` of `@wherry/testing` does both); otherwise the client gets the kubelet's refusal. The connections are WebSockets, as
   * `@wherry/streams`, client-node and `kubectl exec` open them.
   */
  onExec(handler: ExecHandler): void
  /** Sets the handler of the programs that clients attach to. Otherwise as `onExec`. */
  onAttach(handler: AttachHandler): void
  /** Sets the handler of the logs of containers that run or have ended. Without a handler they are empty. */
  onLogs(handler: LogHandler): void
  /**
   * Sets the handler of the ports of pods. The connections are WebSockets with `v4.channel.k8s.io`, one for each port, as `@wherry/streams` and client-node
   * open them.
   */
  onPortForward(handler: PortForwardHandler): void
  /** A connection in memory: the same answers, on the server's clock. Each call creates its own network. `random` is the server's by default. */
  transport(options?: Partial<Omit<MemoryTransportOptions, 'handler' | 'clock'>>): MemoryTransport
  /**
   * The version at which each object of a resource is stored, by `namespace/name` or `name`: `{ 'default/chess': 'v1' }`. No request returns this version: a
   * real server has it only in etcd.
   *
   * @param resource `games.arcade.example.com`, or `configmaps`
   */
  storedVersions(resource: string): Readonly<Record<string, string>>
}
