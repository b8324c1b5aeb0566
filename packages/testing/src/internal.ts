/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { User } from './apiserver/access.ts'
export type { ControlledApiServer, FillSource } from './apiserver/api-server.ts'
export type { AccountOptions, Grant } from './apiserver/authn/account.ts'
export type { PolicyRule } from './apiserver/authn/policy.ts'
export type { UsedRole } from './apiserver/authn/used-rights.ts'
export type { FaultEffect, FaultMatch } from './apiserver/faults/fault-rule.ts'
export type { FaultHandle } from './apiserver/faults/faults.ts'
export type { MemoryControls, MemoryFaults, MemoryTransport, MemoryTransportOptions } from './apiserver/front/memory.ts'
export { memoryTransport } from './apiserver/front/memory.ts'
export type { Chunking } from './apiserver/front/memory-chunks.ts'
export type { IsolatedApiServer } from './apiserver/isolated/isolated.ts'
export type { Kubeconfig } from './apiserver/kubeconfig.ts'
export { refusalsOfSchemas } from './apiserver/schema/definition-schemas.ts'
export type { AnyServerOptions, AutoServerOptions, CommonOptions } from './apiserver/start.ts'
export type { RequestStats, ServerStats } from './apiserver/stats.ts'
export type { Clock, Timer } from './clock.ts'
export { systemClock } from './clock.ts'
export type {
  Environment,
  ErrorContext,
  LogFields,
  LogLevel,
  MetricLabels,
  Metrics,
  WarningContext,
} from './environment.ts'
export { InstallError } from './install/install.ts'
export type { ManifestSource } from './install/manifests.ts'
export type { BuildOptions } from './real/build-binary.ts'
export type { ApiServerBinary, FindOptions } from './real/find-binary.ts'
export type { RecorderOptions, UntilOptions } from './recorder/recorder.ts'
export type { SimulationErrorCode } from './simulate/error.ts'
export type { RecordedEnvironment, RecordedError, RecordedWarning } from './simulate/recorded-environment.ts'
export { recordedEnvironment } from './simulate/recorded-environment.ts'
export type { ForEachSeedOptions } from './simulate/seeds.ts'
export type { SimulateOptions } from './simulate/simulate.ts'
export { Trace } from './simulate/trace.ts'
export type { TestConnection, TestServerOptions } from './test-server/test-server.ts'
export type {
  CloseReason,
  Connection,
  Exchange,
  RequestHead,
  ResponseHandlers,
  ResponseHeaders,
  Transport,
} from './transport.ts'
export type { WireConnection, WireCut, WireDirection, WireFaults } from './wire/faults.ts'
export type { WireShape } from './wire/pipe.ts'
export type { WireOptions, WireStats } from './wire/wire.ts'
