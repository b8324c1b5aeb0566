import { type Client, OptionRangeError, OptionTypeError } from '@wherry/client'
import {
  abortSignal,
  type Check,
  type ClientSettings,
  checkOptions,
  flag,
  having,
  milliseconds,
} from '@wherry/client/internal'
import type { DynamicCacheOptions } from '@wherry/dynamic-cache'
import type { NarrowCacheOptions } from '@wherry/narrow-cache'
import type { LeaderElectionOptions } from '../leader/options.ts'
import { type Logger, loggerCheck } from '../logging/logger.ts'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import type { PollPolicy } from '../reads/options.ts'
import { listOf } from '../reads/options.ts'
import type { HealthServerOptions } from '../server/health-server.ts'

/** What an operator is at. `starting`: its caches fill. */
export type OperatorState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped'

/** How an operator is asked whether it is well, and what it measures. */
export interface OperatorHealthOptions extends Omit<HealthServerOptions, 'metrics' | 'environment'> {
  /** Who reads `/metrics` needs a token of the cluster, and leave to `get` that path: `authorize: tokenReview(client)`. @default false */
  readonly tokenReview?: boolean | undefined
}

/** How an operator elects a leader. */
export interface OperatorLeaderOptions extends Omit<LeaderElectionOptions, 'client' | 'name'> {
  /** The lease's name: one for all processes of the operator. @default the operator's name */
  readonly name?: string | undefined
}

/** How an operator works; none of it is needed. */
export interface OperatorSettings {
  /**
   * Elects a leader by a lease: controllers then run on one process at a time. `true`: with the defaults.
   * @default false: they run here
   */
  readonly leader?: boolean | OperatorLeaderOptions | undefined
  /** Serves `/healthz`, `/readyz` and, with `metrics`, `/metrics`. @default nothing listens */
  readonly health?: OperatorHealthOptions | undefined
  /** How views are cached. */
  readonly cache?: Omit<DynamicCacheOptions, 'client' | 'narrow'> | undefined
  /** How single objects are cached, which reconciles read. */
  readonly narrow?: Omit<NarrowCacheOptions, 'client'> | undefined
  /** What reads poll where it can't be watched (rule C16). @default nothing: reading it is an error */
  readonly poll?: readonly PollPolicy[] | undefined
  /** How long a stop may take, in milliseconds: then what has not ended is named, and left behind. @default 30_000 */
  readonly stopTimeoutMs?: number | undefined
}

/** Whose operator it is. */
export interface OperatorIdentity {
  /**
   * The operator's name: lower-case letters, digits and `-`, up to 63. Its log lines have it, its lease is called so, and the
   * server notes `NAME/CONTROLLER` as the manager of the fields that a controller applies. No two operators of a cluster may have one name.
   */
  readonly name: string
}

/** Options of an {@link Operator} that is given its client. */
export interface OperatorOptions extends OperatorSettings, OperatorIdentity {
  /** Not closed by the operator. */
  readonly client: Client
  /** Where reconciles log to. @default the client's environment */
  readonly log?: Logger | undefined
  /** What measures queues, and is served. Best the same as that of the client's environment. @default none */
  readonly metrics?: PrometheusMetrics | undefined
}

/** Options of {@link Operator.connect}. */
export interface ConnectOptions extends OperatorSettings, OperatorIdentity {
  /**
   * How the client works, and for which cluster. `log` and `metrics` are put into its environment, beside what that has. Its
   * `fieldManager` is the operator's name, unless another is given.
   */
  readonly client?: ClientSettings | undefined
  /** @default standard error: JSON, or text on a terminal */
  readonly log?: Logger | false | undefined
  /** Measures under the names that dashboards of controller-runtime know. Takes prom-client to be installed. @default false */
  readonly metrics?: boolean | PrometheusMetrics | undefined
}

/** Options of {@link Operator.run}. */
export interface RunOptions {
  /** Ends it. */
  readonly signal?: AbortSignal | undefined
  /** Whether SIGTERM and SIGINT end it; a second one ends the process. @default true */
  readonly signals?: boolean | undefined
}

/** A name that a lease can have. @throws OptionTypeError, OptionRangeError */
function operatorName(option: string, value: unknown): void {
  const takes = "the operator's name: lower-case letters, digits and -, up to 63"
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value))
    throw new OptionRangeError(option, takes, JSON.stringify(value))
}

/** What is passed on is checked where it goes. */
const anyObject = having('an object of options')

const settingChecks: Readonly<Record<keyof OperatorSettings, Check>> = {
  leader: (option, value) => {
    if (typeof value !== 'boolean') anyObject(option, value)
  },
  health: anyObject,
  cache: anyObject,
  narrow: anyObject,
  poll: listOf('{ resource, pollMs }', anyObject),
  stopTimeoutMs: milliseconds(),
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkOperatorOptions(options: OperatorOptions): void {
  const checks = {
    ...settingChecks,
    name: operatorName,
    client: having('a Client', 'get', 'create', 'guardedBy'),
    log: loggerCheck,
    metrics: having('what prometheusMetrics() gives', 'queueObserver', 'queue', 'text'),
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
        having('true, or what prometheusMetrics() gives', 'queueObserver', 'queue', 'text')(option, value)
    },
  }
  checkOptions('operator', options, checks, ['name'])
  const { metrics = false, client } = options
  const others = client?.environment?.metrics
  if (metrics !== false && others !== undefined && others !== metrics) {
    throw new OptionTypeError('operator.metrics', 'nothing beside client.environment.metrics', typeof metrics)
  }
}

export const runChecks: Readonly<Record<keyof RunOptions, Check>> = {
  signal: abortSignal,
  signals: flag,
}
