export {
  ApplyDelayedError,
  ApplyRefusedError,
  FlappingError,
  ImmutableFieldError,
  NoStatusError,
  NotAbsentError,
  NotOursError,
} from './apply/errors.ts'
export type { Applied, Apply } from './apply/options.ts'
export type { ApplyStatus } from './apply/status.ts'
export type { Reconcile, ReconcileContext } from './controller/context.ts'
export { Controller } from './controller/controller.ts'
export { ReconcileTimeoutError, SourceNotSyncedError, TerminalError } from './controller/errors.ts'
export type { Explanation } from './controller/explanation.ts'
export type { ReconcileResult } from './controller/result.ts'
export type { RunRecord } from './controller/run-records.ts'
export type { SingletonContext } from './controller/singleton.ts'
export { EventRecorder } from './events/event-recorder.ts'
export { LeadershipLostError } from './leader/errors.ts'
export { LeaderElection } from './leader/leader-election.ts'
export type { Logger } from './logging/logger.ts'
export { stderrLogger } from './logging/stderr-logger.ts'
export { prometheusMetrics } from './metrics/prometheus.ts'
export type { Condition, NewCondition } from './objects/conditions.ts'
export { conditionOf, isConditionTrue, setCondition } from './objects/conditions.ts'
export { addFinalizer, hasFinalizer, removeFinalizer } from './objects/finalizers.ts'
export { AlreadyOwnedError, controllerOf, ownerReference, withOwner } from './objects/owner.ts'
export { ControllerBuilder } from './operator/builder.ts'
export type { OperatorComponent } from './operator/component.ts'
export { Operator } from './operator/operator.ts'
export type { OperatorOptions, OperatorSettings } from './operator/options.ts'
export { NotSettledError } from './operator/settled.ts'
export {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  resourceVersionChanged,
  specChanged,
} from './predicates/changed.ts'
export { changesOf } from './predicates/changes.ts'
export type { ObjectEvent } from './predicates/event.ts'
export type { Predicate } from './predicates/predicate.ts'
export { and, not, or } from './predicates/predicate.ts'
export { indexBy } from './reads/object-index.ts'
export type { Read } from './reads/read.ts'
export { TrackedReads } from './reads/tracked-reads.ts'
export { tokenReview } from './server/authorize.ts'
export { HealthServer } from './server/health-server.ts'
export { Channel } from './sources/channel.ts'
export { DynamicViews } from './sources/dynamic-views.ts'
export { from, owns, watches } from './sources/inputs.ts'
export type { Keys } from './sources/key.ts'
export type { Source, SourceConnection, SourceTarget } from './sources/source.ts'
export { Timer } from './sources/timer.ts'
export { UsageError } from './usage-error.ts'
