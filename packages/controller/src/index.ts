export type { AppliedObject } from './apply/applied-object.ts'
export {
  ApplyDelayedError,
  AtomicConditionsError,
  FlappingError,
  ImmutableFieldError,
  NoStatusError,
  NotAbsentError,
  NotOursError,
} from './apply/errors.ts'
export type { Applied, Apply, DesiredOptions } from './apply/options.ts'
export type { ApplyStatus, DesiredStatus, StatusOf, StatusOptions } from './apply/status.ts'
export type {
  ContextEvents,
  GoneContext,
  OnGone,
  Reconcile,
  ReconcileContext,
} from './controller/context.ts'
export type { ControllerState, StartOptions, StopOptions } from './controller/controller.ts'
export { Controller } from './controller/controller.ts'
export type { ControllerDefinition, ControllerOptions, ControllerParts } from './controller/definition.ts'
export {
  ControllerStoppedError,
  ReconcileTimeoutError,
  SourceNotSyncedError,
  StillRunningError,
  TerminalError,
} from './controller/errors.ts'
export type { Explanation, WatchedView } from './controller/explanation.ts'
export type { LastRun, Outcome } from './controller/key-state.ts'
export type { ReconcileResult } from './controller/result.ts'
export type { RecordedEvent } from './events/event-recorder.ts'
export { EventRecorder } from './events/event-recorder.ts'
export type { EventRecorderOptions } from './events/options.ts'
export { LeaderStuckError, LeadershipLostError, TermOverError } from './leader/errors.ts'
export type { ElectionState, LeadOptions } from './leader/leader-election.ts'
export { LeaderElection } from './leader/leader-election.ts'
export type { LeaderElectionOptions } from './leader/options.ts'
export type { Term } from './leader/term.ts'
export type { Logger } from './logging/logger.ts'
export type { StderrLoggerOptions } from './logging/stderr-logger.ts'
export { stderrLogger } from './logging/stderr-logger.ts'
export type {
  MeasuredQueue,
  PrometheusMetrics,
  PrometheusOptions,
  PrometheusRegistry,
} from './metrics/prometheus.ts'
export { PromClientMissingError, prometheusMetrics } from './metrics/prometheus.ts'
export type { Condition, NewCondition } from './objects/conditions.ts'
export { conditionOf, isConditionTrue, setCondition } from './objects/conditions.ts'
export {
  addFinalizer,
  BeingDeletedError,
  hasFinalizer,
  removeFinalizer,
} from './objects/finalizers.ts'
export type { OwnerOptions } from './objects/owner.ts'
export { AlreadyOwnedError, controllerOf, OwnerError, ownerReference, withOwner } from './objects/owner.ts'
export { ControllerBuilder, NamedController } from './operator/builder.ts'
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
export { ProcessSignalError } from './operator/process-signals.ts'
export { NotSettledError, type SettledOptions } from './operator/settled.ts'
export type { WithMetadata } from './predicates/changed.ts'
export {
  annotationsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  resourceVersionChanged,
} from './predicates/changed.ts'
export type { AddedEvent, DeletedEvent, ObjectEvent, UpdatedEvent } from './predicates/event.ts'
export type { Predicate } from './predicates/predicate.ts'
export { and, not, or } from './predicates/predicate.ts'
export type { ReadCause, ReadChange } from './reads/cause.ts'
export type { Dependency, ObjectDependency, SelectionDependency, Served } from './reads/dependency.ts'
export { OwnWriteTimeoutError, ReadClosedError } from './reads/errors.ts'
export type { PollPolicy, TrackedReadsOptions } from './reads/options.ts'
export { OwnWrites, type OwnWritesOptions, type WriteSubscriber } from './reads/own-writes.ts'
export type { MaybeOwned, Read, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './reads/read.ts'
export type { Run } from './reads/run.ts'
export { TrackedReads, type TrackedReadsReport } from './reads/tracked-reads.ts'
export type { Authorize, Verdict } from './server/authorize.ts'
export { tokenReview } from './server/authorize.ts'
export type { HealthCheck, HealthServerOptions } from './server/health-server.ts'
export { HealthServer } from './server/health-server.ts'
export type { Cause, CauseChange } from './sources/cause.ts'
export { Channel } from './sources/channel.ts'
export type { Input, InputConnection, InputTarget } from './sources/input.ts'
export { from, hears, hearsApplied, owns, watches } from './sources/inputs.ts'
export type { Keys } from './sources/key.ts'
export type { CursorEvent } from './sources/registrar-source.ts'
export { RegistrarSource } from './sources/registrar-source.ts'
export type { Source, SourceConnection, SourceTarget } from './sources/source.ts'
export type { Tick, TimerOptions } from './sources/timer.ts'
export { Timer } from './sources/timer.ts'
export { type UsageCode, UsageError } from './usage-error.ts'
