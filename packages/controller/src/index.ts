export {
  ApplyDelayedError,
  ApplyRefusedError,
  FlappingError,
  ImmutableFieldError,
  NoStatusError,
  NotAbsentError,
  NotOursError,
} from './apply/errors.ts'
export type { FieldPath } from './apply/once.ts'
export type { Applied, Apply, DesiredOptions } from './apply/options.ts'
export type { Prune, Pruned, PruneOptions } from './apply/prune.ts'
export type { Refusal } from './apply/refusal.ts'
export { refusalOf } from './apply/refusal.ts'
export type { ApplyStatus, DesiredCondition, DesiredStatus, StatusOf, StatusOptions } from './apply/status.ts'
export type { SummaryOptions } from './apply/summary.ts'
export type { ContextEvents, GoneContext, OnGone, Reconcile, ReconcileContext } from './controller/context.ts'
export type { ControllerState, StartOptions, StopOptions } from './controller/controller.ts'
export { Controller } from './controller/controller.ts'
export type { ControllerDefinition, ControllerOptions, ControllerParts } from './controller/definition.ts'
export { ReconcileTimeoutError, SourceNotSyncedError, TerminalError } from './controller/errors.ts'
export type { Explanation, KeyShard, WatchedView } from './controller/explanation.ts'
export type { LastRun, Outcome } from './controller/key-state.ts'
export type { DeletableObject, Gone, GoneOptions, IsReady, Ready, WaitOptions } from './controller/ready.ts'
export type { ReconcileResult } from './controller/result.ts'
export type { RunRecord } from './controller/run-records.ts'
export type { SingletonContext, SingletonReconcile } from './controller/singleton.ts'
export type { RecordedEvent } from './events/event-recorder.ts'
export { EventRecorder } from './events/event-recorder.ts'
export type { EventRecorderOptions } from './events/options.ts'
export { LeadershipLostError } from './leader/errors.ts'
export type { ElectionState, LeadOptions } from './leader/leader-election.ts'
export { LeaderElection } from './leader/leader-election.ts'
export type { LeaderElectionOptions } from './leader/options.ts'
export type { Term } from './leader/term.ts'
export type { Logger } from './logging/logger.ts'
export type { StderrLoggerOptions } from './logging/stderr-logger.ts'
export { stderrLogger } from './logging/stderr-logger.ts'
export type { Loop, LoopKind } from './loops/loop.ts'
export type { PrometheusMetrics, PrometheusOptions, PrometheusRegistry } from './metrics/prometheus.ts'
export { prometheusMetrics } from './metrics/prometheus.ts'
export type { Condition, NewCondition, SomeCondition } from './objects/conditions.ts'
export { conditionOf, isConditionTrue, setCondition } from './objects/conditions.ts'
export { addFinalizer, hasFinalizer, removeFinalizer } from './objects/finalizers.ts'
export type { OwnerOptions } from './objects/owner.ts'
export { AlreadyOwnedError, controllerOf, ownerReference, withOwner } from './objects/owner.ts'
export type { TraceParent } from './objects/traceparent.ts'
export type { NamedController } from './operator/builder.ts'
export { ControllerBuilder } from './operator/builder.ts'
export type { ComponentContext, ComponentDeclaration, OperatorComponent } from './operator/component.ts'
export type { DeclaredRight } from './operator/declaration.ts'
export { Operator } from './operator/operator.ts'
export type {
  ConnectOptions,
  OperatorHealthOptions,
  OperatorIdentity,
  OperatorLeaderOptions,
  OperatorOptions,
  OperatorSettings,
  OperatorState,
  RunOptions,
} from './operator/options.ts'
export type { OperatorReport } from './operator/report.ts'
export type { SettledOptions } from './operator/settled.ts'
export { NotSettledError } from './operator/settled.ts'
export type { SingletonBuilder } from './operator/singleton-builder.ts'
export type { WithMetadata } from './predicates/changed.ts'
export {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  resourceVersionChanged,
  specChanged,
} from './predicates/changed.ts'
export type { Changes } from './predicates/changes.ts'
export { changesOf } from './predicates/changes.ts'
export type { AddedEvent, DeletedEvent, ObjectEvent, UpdatedEvent } from './predicates/event.ts'
export type { Predicate } from './predicates/predicate.ts'
export { and, not, or } from './predicates/predicate.ts'
export type { ReadCause, ReadChange } from './reads/cause.ts'
export type { Dependency, ObjectDependency, SelectionDependency, Served } from './reads/dependency.ts'
export type { ObjectIndex } from './reads/object-index.ts'
export { indexBy } from './reads/object-index.ts'
export type { PollPolicy, TrackedReadsOptions } from './reads/options.ts'
export type { OwnWrites } from './reads/own-writes.ts'
export type { PrimaryObjects } from './reads/primary-objects.ts'
export type { MaybeOwned, Read, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './reads/read.ts'
export type { ReadPrimary, Run } from './reads/run.ts'
export type { TrackedReadsReport } from './reads/tracked-reads.ts'
export { TrackedReads } from './reads/tracked-reads.ts'
export type { Authorize, Verdict } from './server/authorize.ts'
export { tokenReview } from './server/authorize.ts'
export type { HealthCheck, HealthServerOptions } from './server/health-server.ts'
export { HealthServer } from './server/health-server.ts'
export type {
  OperatorRingOptions,
  OperatorShardOptions,
  OperatorUidShardOptions,
  ShardLeaseOptions,
} from './shards/options.ts'
export type { Cause, CauseChange } from './sources/cause.ts'
export { Channel } from './sources/channel.ts'
export type { ControllerSource } from './sources/controller-source.ts'
export { from, owns, watches } from './sources/controller-sources.ts'
export type { Debounce } from './sources/debounce.ts'
export type { CursorEvent } from './sources/dynamic-views.ts'
export { DynamicViews } from './sources/dynamic-views.ts'
export type { Keys } from './sources/key.ts'
export type { SharedManager, Source, SourceConnection, SourceTarget } from './sources/source.ts'
export type { Tick, TimerOptions } from './sources/timer.ts'
export { Timer } from './sources/timer.ts'
export type { RunTrace, TracedEnd, TracedRun, TraceOptions, Traces } from './tracing/traces.ts'
export { openTelemetryTraces } from './tracing/traces.ts'
export type { UsageCode } from './usage-error.ts'
export { UsageError } from './usage-error.ts'
