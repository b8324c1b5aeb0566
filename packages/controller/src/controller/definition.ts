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

/** How a controller works; none of it is needed. */
export interface ControllerOptions {
  /** How many keys are reconciled at a time; never one key twice. @default 1 */
  readonly concurrency?: number | undefined
  /**
   * How long a reconcile may take, in milliseconds. Then its signal is aborted, and `onError` gets the error; its key waits until it has
   * really ended, and counts as failed. @default Infinity: as long as it takes
   */
  readonly reconcileTimeoutMs?: number | undefined
  /** How long the start waits for all sources to sync, in milliseconds (rule C3). @default 120_000 */
  readonly syncTimeoutMs?: number | undefined
  /** How long a key waits after a failure. @default 5 ms … 1000 s, doubling with each failure of the key */
  readonly rateLimiter?: RateLimiter<string> | undefined
  /** Whether it runs on the leader only, where the operator elects one. @default true */
  readonly onLeader?: boolean | undefined
  /**
   * Names of further fields of the status that say only when something was looked at, such as `lastCheckTime`: a `status(value)` that differs in
   * nothing else, and in `lastTransitionTime`, `lastProbeTime`, `lastHeartbeatTime` and `lastUpdateTime`, is not written. @default none
   */
  readonly ignoreTimes?: readonly string[] | undefined
}

/** A controller: what it watches, and what it does. */
export interface ControllerDefinition<C, S extends Scope = Scope> extends ControllerOptions {
  /** Its name, in metrics, logs and events; unique in an operator. */
  readonly name: string
  /** The primary objects: a reconcile is for one of them. `'singleton'`: there are none, and the one key is the controller's name. */
  readonly for: View<C, S> | 'singleton'
  /** Which of their events count. A delete always does. @default all */
  readonly predicates?: readonly Predicate<ObjectEvent<C>>[] | undefined
  /** How their events are waited for. @default not at all */
  readonly debounce?: Debounce | undefined
  /** What else makes keys run: {@link owns}, {@link watches}, {@link from}. @default nothing */
  readonly sources?: readonly ControllerSource[] | undefined
  /** Further views that are cached for `read`, so that `read.list` may list them. @default none */
  readonly caches?: readonly View[] | undefined
  readonly reconcile: Reconcile<C, S>
  /** @default nothing */
  readonly onGone?: OnGone<C, S> | undefined
  /** @default nothing */
  readonly onLeft?: OnGone<C, S> | undefined
}

/** What a controller works with. An operator gives it its own. */
export interface ControllerParts {
  readonly client: Client
  readonly cache: DynamicCache
  readonly narrow: NarrowCache
  /**
   * The operator's name: `apply` writes as the field manager `OPERATOR/CONTROLLER`. @default none: as the client's field manager
   */
  readonly operator?: string | undefined
  /** What `DynamicViews` watch by: a manager, which whoever made it starts, or a function that gives it. @default none: such a source is an error */
  readonly manager?: WatchManager | SharedManager | undefined
  /** @default into the client's environment */
  readonly log?: Logger | undefined
  /** Records the events of reconciles. @default one of its own */
  readonly events?: EventRecorder | undefined
  /** Measures the queue. Other measurements go to the client's environment. @default none */
  readonly metrics?: PrometheusMetrics | undefined
  /** What this process wrote: controllers that share it read each other's writes. @default one of its own */
  readonly writes?: OwnWrites | undefined
  /** Makes a trace of each run: what `openTelemetryTraces()` gives. @default none */
  readonly traces?: Traces | undefined
  /** Receives a record of each run. @default nobody */
  readonly runs?: RunRecords | undefined
  /** What `read` polls where it can't be watched (rule C16). @default nothing */
  readonly poll?: readonly PollPolicy[] | undefined
}

export const controllerOptionChecks: Readonly<Record<keyof ControllerOptions, Check>> = {
  concurrency: integer(1),
  reconcileTimeoutMs: milliseconds({ min: 1, infinite: true }),
  syncTimeoutMs: milliseconds({ min: 1, infinite: true }),
  rateLimiter: having('a RateLimiter', 'when', 'forget', 'failures'),
  onLeader: flag,
  ignoreTimes: texts,
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkDefinition(definition: ControllerDefinition<never, never>): void {
  const checks = {
    ...controllerOptionChecks,
    name: text,
    for: (option: string, value: unknown) => {
      if (value !== 'singleton') viewCheck(option, value)
    },
    predicates: listOf('predicates', callback),
    debounce: checkDebounce,
    sources: listOf('sources', having('a source, as owns(), watches() and from() give', 'connect')),
    caches: listOf('views', viewCheck),
    reconcile: callback,
    onGone: callback,
    onLeft: callback,
  }
  checkOptions('controller', definition, checks, ['name', 'for', 'reconcile'])
  if (definition.for !== 'singleton') return
  const owning = definition.sources?.find(({ isOwned }) => isOwned)
  if (owning === undefined) return
  throw new OptionTypeError(
    'controller.sources',
    'no owned objects in a controller without primary objects',
    owning.name,
  )
}

/** @throws OptionTypeError (rule X6) */
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
    metrics: having('what prometheusMetrics() gives', 'queueObserver', 'queue'),
    writes: having('OwnWrites', 'wrote' satisfies keyof OwnWrites, 'subscribe' satisfies keyof OwnWrites),
    traces: having('what openTelemetryTraces() gives', 'begin'),
    runs: having('RunRecords', 'report' satisfies keyof RunRecords),
    poll: pollPolicies,
  }
  checkOptions('controller.parts', parts, checks, ['client', 'cache', 'narrow'])
}
