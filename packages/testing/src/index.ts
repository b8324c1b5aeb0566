export type { ApiServer, ControlledApiServer, EmbeddedApiServer, FillSource } from './apiserver/api-server.ts'
export type { AccessAttributes, User } from './apiserver/authn/access.ts'
export type { Account, AccountOptions, Grant, GrantedRole } from './apiserver/authn/account.ts'
export type { PolicyRule } from './apiserver/authn/policy.ts'
export type { UsedRight, UsedRole } from './apiserver/authn/used-rights.ts'
export type { Handler, Peer, ServerReply, ServerRequest } from './apiserver/exchange.ts'
export type { FaultEffect, FaultMatch, FaultRule } from './apiserver/faults/fault-rule.ts'
export type { FaultHandle } from './apiserver/faults/faults.ts'
export type { MemoryControls, MemoryFaults, MemoryTransport, MemoryTransportOptions } from './apiserver/front/memory.ts'
export type { Chunking } from './apiserver/front/memory-chunks.ts'
export type { IsolatedApiServer } from './apiserver/isolated/isolated.ts'
export type { Kubeconfig } from './apiserver/kubeconfig.ts'
export type { Authorization, EmbeddedOptions } from './apiserver/options.ts'
export type { HookAddress, HookCall, HookFunction } from './apiserver/outside/hook-client.ts'
export type { RecordedRights, RecordRightsOptions } from './apiserver/record-rights.ts'
export { recordRights } from './apiserver/record-rights.ts'
export type { AnyServerOptions, AutoServerOptions, CommonOptions } from './apiserver/start.ts'
export { startApiServer } from './apiserver/start.ts'
export type { RequestStats, ServerStats } from './apiserver/stats.ts'
export type { Clock, Timer } from './clock.ts'
export type {
  Environment,
  ErrorContext,
  LogFields,
  LogLevel,
  MetricLabels,
  Metrics,
  WarningContext,
} from './environment.ts'
export { install } from './install/install.ts'
export type { ManifestSource } from './install/manifests.ts'
export { rolesIn } from './install/roles-in.ts'
export type { Random } from './random.ts'
export { chance, choose, integer, seededRandom, shuffle } from './random.ts'
export type { BuildOptions } from './real/build-binary.ts'
export { ApiServerMissingError } from './real/errors.ts'
export type { ApiServerBinary, FindOptions } from './real/find-binary.ts'
export { findApiServer } from './real/find-binary.ts'
export type { RealApiServerOptions } from './real/options.ts'
export type { RealApiServer } from './real/real-apiserver.ts'
export { startRealApiServer } from './real/real-apiserver.ts'
export type { RecorderOptions, UntilOptions } from './recorder/recorder.ts'
export { Recorder } from './recorder/recorder.ts'
export type { RecordedEnvironment, RecordedError, RecordedWarning } from './simulate/recorded-environment.ts'
export { checkReplay } from './simulate/replay.ts'
export type { ForEachSeedOptions } from './simulate/seeds.ts'
export { forEachSeed, SeedError } from './simulate/seeds.ts'
export type { SimulateOptions, Simulation } from './simulate/simulate.ts'
export { simulate } from './simulate/simulate.ts'
export type { Closable, TestConnection, TestServerOptions } from './test-server/test-server.ts'
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
export type { Wire, WireOptions, WireStats } from './wire/wire.ts'
export { startWire } from './wire/wire.ts'
