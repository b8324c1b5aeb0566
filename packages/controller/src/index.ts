export type { RecordedEvent } from './events/event-recorder.ts'
export { EventRecorder } from './events/event-recorder.ts'
export type { EventRecorderOptions } from './events/options.ts'
export { ElectionUsedError, LeaderStuckError, LeadershipLostError, TermOverError } from './leader/errors.ts'
export type { ElectionState, LeadOptions } from './leader/leader-election.ts'
export { LeaderElection } from './leader/leader-election.ts'
export type { LeaderElectionOptions } from './leader/options.ts'
export type { Term } from './leader/term.ts'
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
  FinalizerConflictError,
  hasFinalizer,
  removeFinalizer,
} from './objects/finalizers.ts'
export type { OwnerOptions } from './objects/owner.ts'
export { AlreadyOwnedError, controllerOf, OwnerError, ownerReference, withOwner } from './objects/owner.ts'
export type { ReadCause, ReadChange } from './reads/cause.ts'
export type { Dependency, ObjectDependency, SelectionDependency, Served } from './reads/dependency.ts'
export { OwnWriteTimeoutError, ReadClosedError } from './reads/errors.ts'
export type { Read, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './reads/read.ts'
export type { TrackedReadsReport } from './reads/report.ts'
export type { Run } from './reads/run.ts'
export type { PollPolicy, TrackedReadsOptions } from './reads/tracked-reads.ts'
export { TrackedReads } from './reads/tracked-reads.ts'
export type { HealthCheck } from './server/checks.ts'
export type { HealthServerOptions } from './server/health-server.ts'
export { HealthServer } from './server/health-server.ts'
