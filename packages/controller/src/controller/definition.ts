import { type Client, OptionTypeError, type Scope, type View } from '@wherry/client'
import {
  type Check,
  callback,
  checkOptions,
  flag,
  having,
  integer,
  milliseconds,
  text,
  texts,
  viewCheck,
} from '@wherry/client/internal'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { NarrowCache } from '@wherry/narrow-cache'
import type { WatchManager } from '@wherry/watch-manager'
import type { RateLimiter } from '@wherry/work-queue'
import type { EventRecorder } from '../events/event-recorder.ts'
import { type Logger, loggerCheck } from '../logging/logger.ts'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import { listOf, type PollPolicy, pollPolicies } from '../reads/options.ts'
import type { OwnWrites } from '../reads/own-writes.ts'
import type { ControllerSource } from '../sources/controller-source.ts'
import { checkDebounce, type Debounce } from '../sources/debounce.ts'
import type { SharedManager } from '../sources/source.ts'
import type { Traces } from '../tracing/traces.ts'
import type { OnGone, Reconcile } from './context.ts'
import type { RunRecords } from './run-records.ts'

/** How a controller works. All options have defaults. */
export interface ControllerOptions {
  /** How many keys are reconciled at the same time. No key has two reconciles at a time. @default 1 */
  readonly concurrency?: number | undefined
  /**
   * How long a reconcile may take, in milliseconds. After that time, the signal of the reconcile is aborted and `onError` receives the error. The reconcile
   * counts as failed. Its key is not reconciled again before the function has returned. @default Infinity
   */
  readonly reconcileTimeoutMs?: number | undefined
  /** How long the start waits for all sources to sync, in milliseconds (rule C3). @default 120_000 */
  readonly syncTimeoutMs?: number | undefined
  /** How long a key waits after a failure. @default 5 ms … 1000 s, doubling with each failure of the key */
  readonly rateLimiter?: RateLimiter<string> | undefined
  /**
   * Whether the controller runs only on the leader, if the operator elects one. `false`: in every process,
   * for all objects. In an operator with `shards`, a controller with either value is not sharded.
   * @default true; in an operator with `shards`: each shard reconciles its own part of the primary objects, and a singleton runs on the leader
   */
  readonly needLeaderElection?: boolean | undefined
  /**
   * Names of fields of the status that only record the time of a check, such as `lastCheckTime`. A `status(value)` is not written if it differs from the
   * object's status only in these fields, or in `lastTransitionTime`, `lastProbeTime`, `lastHeartbeatTime` or `lastUpdateTime`. @default none
   */
  readonly ignoreTimes?: readonly string[] | undefined
}

/** The definition of a controller: its sources and its reconcile function. */
export interface ControllerDefinition<C, S extends Scope = Scope> extends ControllerOptions {
  /** The controller's name in metrics, logs and Kubernetes Events. It is unique in an operator. */
  readonly name: string
  /** The view of the primary objects: each has a key. `'singleton'`: there are no primary objects, and the only key is the controller's name. */
  readonly for: View<C, S> | 'singleton'
  /** Which events of the primary objects enqueue a key. A delete event always does. @default all */
  readonly predicates?: readonly Predicate<ObjectEvent<C>>[] | undefined
  /** How long to wait for further events of a primary object before its key is enqueued. @default no wait */
  readonly debounce?: Debounce | undefined
  /** Further sources that enqueue keys: {@link owns}, {@link watches}, {@link from}. @default none */
  readonly sources?: readonly ControllerSource[] | undefined
  /** Further views that are cached for `read`, so that `read.list` can list their objects. @default none */
  readonly caches?: readonly View[] | undefined
  readonly reconcile: Reconcile<C, S>
  /** Called after the deletion of a primary object that this process has seen. If an object of that name exists again, `reconcile` follows. @default does nothing */
  readonly onGone?: OnGone<C, S> | undefined
  /** Called after a primary object that this process has seen left the view, and still exists. @default does nothing */
  readonly onLeft?: OnGone<C, S> | undefined
}

/** The dependencies of a controller. The controllers of an operator share those of the operator. */
export interface ControllerParts {
  readonly client: Client
  readonly cache: DynamicCache
  /** The cache of single objects. It watches each object that `read` gets by name, if no informer of `cache` has it. */
  readonly narrow: NarrowCache
  /**
   * The operator's name: `apply` writes as the field manager `OPERATOR/CONTROLLER`. @default none: `apply` writes as the field manager `CONTROLLER`
   */
  readonly operator?: string | undefined
  /**
   * The `WatchManager` for sources that are `DynamicViews`, or a function that returns it. The creator of the manager starts it.
   * @default none: such a source is an error
   */
  readonly manager?: WatchManager | SharedManager | undefined
  /** Receives what reconciles log. The controller's own lines go to the client's environment. @default the logger of the client's environment */
  readonly log?: Logger | undefined
  /** Records the events of reconciles. @default the controller's own */
  readonly events?: EventRecorder | undefined
  /** Receives the metrics of the queue. The controller's other metrics go to the client's environment. @default none */
  readonly metrics?: PrometheusMetrics | undefined
  /**
   * Records the writes, so that `read` waits until a cache has them. Controllers that share it also wait for each other's writes.
   * @default the controller's own
   */
  readonly writes?: OwnWrites | undefined
  /** Traces each reconcile, for example `await openTelemetryTraces()`. @default none */
  readonly traces?: Traces | undefined
  /** Receives a record of each reconcile. @default none */
  readonly runs?: RunRecords | undefined
  /** The resources that `read` polls if they can't be watched (rule C16). @default none */
  readonly poll?: readonly PollPolicy[] | undefined
}

export const controllerOptionChecks: Readonly<Record<keyof ControllerOptions, Check>> = {
  concurrency: integer(1),
  reconcileTimeoutMs: milliseconds({ min: 1, infinite: true }),
  syncTimeoutMs: milliseconds({ min: 1, infinite: true }),
  rateLimiter: having('a RateLimiter', 'when', 'forget', 'failures'),
  needLeaderElection: flag,
  ignoreTimes: texts,
}

/** Checks the options, and that a controller without primary objects has none that needs them. @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkDefinition(definition: ControllerDefinition<never, never>): void {
  const checks = {
    ...controllerOptionChecks,
    name: text,
    for: (option: string, value: unknown) => {
      if (value !== 'singleton') viewCheck(option, value)
    },
    predicates: listOf('predicates', callback),
    debounce: checkDebounce,
    sources: listOf('sources', having('a source, as owns(), watches() and from() return', 'connect')),
    caches: listOf('views', viewCheck),
    reconcile: callback,
    onGone: callback,
    onLeft: callback,
  }
  checkOptions('controller', definition, checks, ['name', 'for', 'reconcile'])
  if (definition.for !== 'singleton') return
  for (const option of ['predicates', 'debounce', 'onGone', 'onLeft'] as const) {
    if (definition[option] === undefined) continue
    throw new OptionTypeError(`controller.${option}`, 'nothing in a controller without primary objects', option)
  }
  const owned = definition.sources?.find(({ isOwned }) => isOwned)
  if (owned === undefined) return
  throw new OptionTypeError(
    'controller.sources',
    'no owned objects in a controller without primary objects',
    owned.name,
  )
}

/** Checks the dependencies. @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkParts(parts: ControllerParts): void {
  const checks = {
    client: having('a Client', 'get', 'create'),
    cache: having('a DynamicCache', 'hold', 'get'),
    narrow: having('a NarrowCache', 'get', 'watch'),
    manager: (option: string, value: unknown) => {
      if (typeof value !== 'function') having('a WatchManager', 'registrar')(option, value)
    },
    operator: text,
    log: loggerCheck,
    events: having('an EventRecorder', 'record'),
    metrics: having('the result of prometheusMetrics()', 'queueObserver', 'queue'),
    writes: having('OwnWrites', 'wrote' satisfies keyof OwnWrites, 'subscribe' satisfies keyof OwnWrites),
    traces: having('the result of openTelemetryTraces()', 'begin'),
    runs: having('RunRecords', 'report' satisfies keyof RunRecords),
    poll: pollPolicies,
  }
  checkOptions('controller.parts', parts, checks, ['client', 'cache', 'narrow'])
}
