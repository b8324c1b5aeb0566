export type {
  AccessAttributes,
  Account,
  AccountOptions,
  ApiServer,
  AttachCall,
  AttachHandler,
  Authorization,
  Chunking,
  Clock,
  CloseReason,
  Connection,
  ContainerCall,
  ControlledApiServer,
  EmbeddedApiServer,
  EmbeddedOptions,
  Exchange,
  ExecAnswer,
  ExecCall,
  ExecHandler,
  FaultEffect,
  FaultHandle,
  FaultMatch,
  FaultRule,
  FillSource,
  Grant,
  GrantedRole,
  Handler,
  HookAddress,
  HookCall,
  HookFunction,
  IsolatedApiServer,
  Kubeconfig,
  LogCall,
  LogHandler,
  LogLine,
  ManifestSource,
  MemoryControls,
  MemoryFaults,
  MemoryTransport,
  MemoryTransportOptions,
  Peer,
  PolicyRule,
  PortForwardCall,
  PortForwardHandler,
  Random,
  RawSocket,
  RecordedRights,
  RecordRightsOptions,
  RequestHead,
  RequestStats,
  ResponseHandlers,
  ResponseHeaders,
  ServerReply,
  ServerRequest,
  ServerStats,
  Timer,
  Transport,
  Upgrade,
  UsedRight,
  UsedRole,
  User,
} from '@wherry/apiserver'
export { chance, choose, install, integer, recordRights, rolesIn, seededRandom, shuffle } from '@wherry/apiserver'
export type {
  Environment,
  ErrorContext,
  LogFields,
  LogLevel,
  MetricLabels,
  Metrics,
  WarningContext,
} from './environment.ts'
export type { ClaimCourse, PlayedPod, PlayOptions, PodCourse } from './play/options.ts'
export type { Player } from './play/play.ts'
export { play } from './play/play.ts'
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
export type { AnyServerOptions, AutoServerOptions, CommonOptions } from './start.ts'
export { startApiServer } from './start.ts'
export type { Closable, TestConnection, TestServerOptions } from './test-server/test-server.ts'
export type { WireConnection, WireCut, WireDirection, WireFaults } from './wire/faults.ts'
export type { WireShape } from './wire/pipe.ts'
export type { Wire, WireOptions, WireStats } from './wire/wire.ts'
export { startWire } from './wire/wire.ts'
