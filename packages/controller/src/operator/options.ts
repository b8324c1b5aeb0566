import { type Client, type ClientSettings, OptionRangeError, OptionTypeError } from '@wherry/client'
import { abortSignal, type Check, checkOptions, flag, having, milliseconds } from '@wherry/client/internal'
import type { DynamicCacheOptions } from '@wherry/dynamic-cache'
import type { NarrowCacheOptions } from '@wherry/narrow-cache'
import type { LeaderElectionOptions } from '../leader/options.ts'
import { type Logger, loggerCheck } from '../logging/logger.ts'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import { type PollPolicy, pollPolicies } from '../reads/options.ts'
import type { HealthServerOptions } from '../server/health-server.ts'
import type { OperatorShardOptions } from '../shards/options.ts'
import type { Traces } from '../tracing/traces.ts'

/** `starting`: the caches fill. */
export type OperatorState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped'

/** The health server: probes and metrics. */
export interface OperatorHealthOptions extends Omit<HealthServerOptions, 'metrics' | 'environment'> {
  /** Requests of `/metrics` need a token of a user of the cluster that may `get` that path: `authorize: tokenReview(client)`. @default false */
  readonly tokenReview?: boolean | undefined
}

/** How the operator elects a leader. */
export interface OperatorLeaderOptions extends Omit<LeaderElectionOptions, 'client' | 'name'> {
  /** The name of the lease, the same for all replicas of the operator. @default the operator's name */
  readonly name?: string | undefined
}

/** How an operator works. All options are optional. */
export interface OperatorSettings {
  /**
   * Whether a leader is elected by a lease, so that the controllers run in only one process at a time. `true`: with the default options.
   * @default false: the controllers run in every process
   */
  readonly leader?: boolean | OperatorLeaderOptions | undefined
  /**
   * Makes this process a shard (rule C7): it reconciles only the primary objects that a `ControllerRing` of kubernetes-controller-sharding
   * assigns to it, `{ ring }`, or its part of them by their uids, `{ count }` (alpha). Controllers with `needLeaderElection` are not sharded, and can be combined with `leader`. @default every process reconciles all objects
   */
  readonly shards?: OperatorShardOptions | undefined
  /** Serves `/healthz`, `/readyz` and, with `metrics`, `/metrics`. @default nothing listens */
  readonly health?: OperatorHealthOptions | undefined
  /** Options of the cache of views. */
  readonly cache?: Omit<DynamicCacheOptions, 'client' | 'narrow'> | undefined
  /** Options of the cache of single objects, which tracked reads use. */
  readonly narrow?: Omit<NarrowCacheOptions, 'client'> | undefined
  /** The resources that are polled if they can't be watched (rule C16). @default none: reading such a resource is an error */
  readonly poll?: readonly PollPolicy[] | undefined
  /**
   * How long the reconciles, and then the components, may take to stop, in milliseconds each. Then the operator reports those that have not ended, and
   * leaves them behind. @default 30_000
   */
  readonly stopTimeoutMs?: number | undefined
}

/** The operator's identity. */
export interface OperatorIdentity {
  /**
   * The operator's name: lower-case letters, digits and `-`, up to 63. It is in log lines, is the default name of the lease, and the first part of the field
   * manager `NAME/CONTROLLER`. It must be unique in the cluster.
   */
  readonly name: string
}

/** Options of an {@link Operator} that is given its client. */
export interface OperatorOptions extends OperatorSettings, OperatorIdentity {
  /** The client. The operator does not close it. */
  readonly client: Client
  /** Where reconciles log to. @default the log of the client's environment */
  readonly log?: Logger | undefined
  /** The metrics of queues, which the health server also serves. Use those of the client's environment. @default none */
  readonly metrics?: PrometheusMetrics | undefined
  /** Traces each run, for example `await openTelemetryTraces()`. @default none */
  readonly traces?: Traces | undefined
}

/** Options of {@link Operator.connect}. */
export interface ConnectOptions extends OperatorSettings, OperatorIdentity {
  /**
   * The cluster, and how the client works. `log` and `metrics` are added to its environment. Its `fieldManager` is the operator's name unless you
   * set another.
   */
  readonly client?: ClientSettings | undefined
  /** Where the operator, its controllers and its client log. `false`: nowhere. @default standard error: JSON, or text on a terminal */
  readonly log?: Logger | false | undefined
  /** Measures with the names that dashboards of controller-runtime expect. Needs prom-client. @default false */
  readonly metrics?: boolean | PrometheusMetrics | undefined
  /** Makes a trace of each run, by OpenTelemetry. Needs `@opentelemetry/api` and an SDK that is registered. @default false */
  readonly traces?: boolean | Traces | undefined
}

/** Options of {@link Operator.run}. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined
  /** Whether SIGTERM and SIGINT end the run; a second signal ends the process. @default true */
  readonly signals?: boolean | undefined
}

/** Checks that a lease can have the operator's name. @throws OptionTypeError, OptionRangeError */
function operatorName(option: string, value: unknown): void {
  const takes = "the operator's name: lower-case letters, digits and -, up to 63"
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value))
    throw new OptionRangeError(option, takes, JSON.stringify(value))
}

/** Options that are passed on are checked by their receiver. */
const anyObject = having('an object of options')

const settingChecks: Readonly<Record<keyof OperatorSettings, Check>> = {
  leader: (option, value) => {
    if (typeof value !== 'boolean') anyObject(option, value)
  },
  shards: anyObject,
  health: anyObject,
  cache: anyObject,
  narrow: anyObject,
  poll: pollPolicies,
  stopTimeoutMs: milliseconds(),
}

const tracesCheck = having('the result of openTelemetryTraces()', 'begin')

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkOperatorOptions(options: OperatorOptions): void {
  const checks = {
    ...settingChecks,
    name: operatorName,
    client: having('a Client', 'get', 'create', 'guardedBy'),
    log: loggerCheck,
    metrics: having('the result of prometheusMetrics()', 'queueObserver', 'queue', 'text'),
    traces: tracesCheck,
  }
  checkOptions('operator', options, checks, ['client', 'name'])
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkConnectOptions(options: ConnectOptions): void {
  const checks = {
    ...settingChecks,
    name: operatorName,
    client: anyObject,
    log: (option: string, value: unknown) => {
      if (value !== false) loggerCheck(option, value)
    },
    metrics: (option: string, value: unknown) => {
      if (typeof value !== 'boolean')
        having('true, or the result of prometheusMetrics()', 'queueObserver', 'queue', 'text')(option, value)
    },
    traces: (option: string, value: unknown) => {
      if (typeof value !== 'boolean') tracesCheck(option, value)
    },
  }
  checkOptions('operator', options, checks, ['name'])
  const { metrics = false, client } = options
  const others = client?.environment?.metrics
  if (metrics !== false && others !== undefined && others !== metrics) {
    throw new OptionTypeError('operator.metrics', 'nothing if client.environment.metrics is given', typeof metrics)
  }
}

export const runChecks: Readonly<Record<keyof RunOptions, Check>> = {
  signal: abortSignal,
  signals: flag,
}
