/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { AppliedObject } from './apply/applied-object.ts'
export type { DesiredOptions } from './apply/options.ts'
export type { DesiredStatus, StatusOf, StatusOptions } from './apply/status.ts'
export type { ContextEvents, GoneContext, OnGone } from './controller/context.ts'
export type { ControllerState, StartOptions, StopOptions } from './controller/controller.ts'
export type { ControllerDefinition, ControllerOptions, ControllerParts } from './controller/definition.ts'
export type { WatchedView } from './controller/explanation.ts'
export type { LastRun, Outcome } from './controller/key-state.ts'
export type { RecordedEvent } from './events/event-recorder.ts'
export type { EventRecorderOptions } from './events/options.ts'
export type { ElectionState, LeadOptions } from './leader/leader-election.ts'
export type { LeaderElectionOptions } from './leader/options.ts'
export type { Term } from './leader/term.ts'
export type { StderrLoggerOptions } from './logging/stderr-logger.ts'
export type { MeasuredQueue, PrometheusMetrics, PrometheusOptions, PrometheusRegistry } from './metrics/prometheus.ts'
export type { OwnerOptions } from './objects/owner.ts'
export type {
  ConnectOptions,
  OperatorHealthOptions,
  OperatorIdentity,
  OperatorLeaderOptions,
  OperatorState,
  RunOptions,
} from './operator/options.ts'
export type { SettledOptions } from './operator/settled.ts'
export type { WithMetadata } from './predicates/changed.ts'
export type { AddedEvent, DeletedEvent, UpdatedEvent } from './predicates/event.ts'
export type { ReadCause, ReadChange } from './reads/cause.ts'
export type { Dependency, ObjectDependency, SelectionDependency, Served } from './reads/dependency.ts'
export type { PollPolicy, TrackedReadsOptions } from './reads/options.ts'
export type { OwnWritesOptions, WriteSubscriber } from './reads/own-writes.ts'
export type { MaybeOwned, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './reads/read.ts'
export type { Run } from './reads/run.ts'
export type { TrackedReadsReport } from './reads/tracked-reads.ts'
export type { Authorize, Verdict } from './server/authorize.ts'
export type { HealthCheck, HealthServerOptions } from './server/health-server.ts'
export { NotYetError } from './server/not-yet.ts'
export type { Cause, CauseChange } from './sources/cause.ts'
export type { CursorEvent } from './sources/dynamic-views.ts'
export type { Input, InputConnection, InputTarget } from './sources/input.ts'
export { handles, handlesApplied } from './sources/inputs.ts'
export type { Tick, TimerOptions } from './sources/timer.ts'
export type { UsageCode } from './usage-error.ts'
