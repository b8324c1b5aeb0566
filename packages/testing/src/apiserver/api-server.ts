import type { Account, AccountOptions, Grant } from './authn/account.ts'
import type { UsedRole } from './authn/used-rights.ts'
import type { FaultRule } from './faults/fault-rule.ts'
import type { FaultHandle } from './faults/faults.ts'
import type { MemoryTransport, MemoryTransportOptions } from './front/memory.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import type { ServerStats } from './stats.ts'

/** Objects by the thousand: made here, or by a module that is loaded where the server runs. */
export type FillSource =
  | Iterable<object>
  | {
      /** URL of the module (`import.meta.resolve(…)`, `new URL(…).href`). */
      readonly module: string
      /** Its exported function, which returns an iterable of objects. @default 'default' */
      readonly export?: string | undefined
      /** What the function is called with. */
      readonly args?: readonly unknown[] | undefined
    }

/** An API server for a test, embedded or real: what both can do, so that a test need not know which it has. */
export interface ApiServer extends AsyncDisposable {
  /** Which it is: narrows the type to what that kind can do beside. */
  readonly kind: 'embedded' | 'real'
  /** `https://127.0.0.1:PORT`, or http; of a server without sockets a name that only `transport()` reaches. */
  readonly url: string
  /** The CA that signed the server's certificate, PEM; `undefined` without TLS. */
  readonly ca: string | undefined
  /** A token of a user in `system:masters`. */
  readonly token: string
  /** A kubeconfig for it, as plain data, which is JSON and thereby YAML. */
  readonly kubeconfig: Kubeconfig
  /** Writes the kubeconfig to a file that only this user can read. */
  writeKubeconfig(path: string): Promise<void>
  /** A client certificate for a user, PEM. Rejects without TLS. */
  clientCertificate(subject: {
    readonly commonName: string
    readonly organizations?: readonly string[] | undefined
  }): Promise<{ readonly certPem: string; readonly keyPem: string }>
  /**
   * Creates a ServiceAccount with exactly these rights and those that everybody has, for an operator to run as. It takes what
   * `rights()` gives, so a test can run again with what a first run used. Rejects where roles with its name exist,
   * and unless the server's `authorization` is `'RBAC'`.
   */
  account(grants: readonly Grant[], options?: AccountOptions): Promise<Account>
  /**
   * The rights that each user made use of, by the user's name, since the start (of an embedded server: or the last
   * `resetStats`): a ClusterRole, and a Role for each namespace, that grant just these. The administrator's name is
   * `wherry:admin`. What was refused is not in it. Rejects without `recordRights`.
   */
  rights(): Promise<Readonly<Record<string, readonly UsedRole[]>>>
  /** The resourceVersion of the last change of anything. */
  revision(): Promise<number>
  /** Compacts etcd up to the present, which is returned: old states, and continue tokens, are 410. */
  compact(): Promise<number>
  /** Breaks every connection and comes back at the same address with the same objects and empty watch caches. */
  restart(): Promise<void>
  /**
   * Ends everything. Resolves when no socket, timer or process is left; who is connected in memory hears of it as soon
   * as the clock goes on. Idempotent.
   */
  close(): Promise<void>
}

/** What a test does to an embedded API server. The same for one in this process and one in its own. */
export interface ControlledApiServer extends ApiServer {
  readonly kind: 'embedded'
  /** Faults, by rules. */
  readonly faults: { add(rule: FaultRule): Promise<FaultHandle>; clear(): Promise<void> }
  /** What was counted since the start, or the last `resetStats`. */
  stats(): Promise<ServerStats>
  /** Sets what is summed to zero: requests, bytes, connections made, rights used. What is open stays counted. */
  resetStats(): Promise<void>

  /**
   * Stores objects as they are, past all checks, each with a resourceVersion of its own; they may have any metadata,
   * managedFields included. Namespaces that they name are made. A built-in without managedFields gets the defaults that it lacks
   * when it is first written through the API. Resolves with how many there were.
   */
  fill(source: FillSource): Promise<number>
  /** Compacts as etcd does, up to the present or to a resourceVersion: continue tokens and exact lists below it are 410. Watches live on. Resolves with the revision. */
  compact(revision?: number): Promise<number>
  /** Forgets the past of the watch caches: a watch that starts below the present is 410. Open ones live on. */
  expireWatchCaches(): Promise<void>
  /** Goes back to the state at a resourceVersion, counter included, and restarts: an etcd restored from a backup. */
  restoreEtcd(revision: number): Promise<void>
  /** Ends the open watches of a resource (`configmaps`, `games.arcade.example.com`), or all, cleanly. */
  endWatches(resource?: string): Promise<void>
  /** While on, new connections are refused; old ones live on. */
  refuse(on: boolean): Promise<void>
  /** GOAWAY on every connection. */
  goawayAll(): Promise<void>
  /** Breaks every connection. */
  breakConnections(): Promise<void>
}

/** An API server in this process, which can be reached without sockets too. */
export interface EmbeddedApiServer extends ControlledApiServer {
  /**
   * A way to it in memory: the same answers, on the server's clock. Each call makes a network of its own.
   *
   * `random` is by default the server's.
   */
  transport(options?: Partial<Omit<MemoryTransportOptions, 'handler' | 'clock'>>): MemoryTransport
  /**
   * The version that each object of a resource is stored at, by `namespace/name` or `name`, as `{ 'default/chess': 'v1' }`.
   * No request tells it: a real server has it in etcd alone.
   *
   * @param resource `games.arcade.example.com`, or `configmaps`.
   */
  storedVersions(resource: string): Readonly<Record<string, string>>
}
