export type { ApiServer, ControlledApiServer, EmbeddedApiServer, FillSource } from './api-server.ts'
export type { AccessAttributes, User } from './authn/access.ts'
export type { Account, AccountOptions, Grant, GrantedRole } from './authn/account.ts'
export type { PolicyRule } from './authn/policy.ts'
export type { UsedRight, UsedRole } from './authn/used-rights.ts'
export type { Clock, Timer } from './clock.ts'
export type {
  AttachCall,
  AttachHandler,
  ContainerCall,
  ExecAnswer,
  ExecCall,
  ExecHandler,
  LogCall,
  LogHandler,
  LogLine,
  PortForwardCall,
  PortForwardHandler,
} from './containers/handlers.ts'
export type { Handler, Peer, ServerReply, ServerRequest, Upgrade } from './exchange.ts'
export type { FaultEffect, FaultMatch, FaultRule } from './faults/fault-rule.ts'
export type { FaultHandle } from './faults/faults.ts'
export type { MemoryControls, MemoryFaults, MemoryTransport, MemoryTransportOptions } from './front/memory.ts'
export type { Chunking } from './front/memory-chunks.ts'
export { install } from './install/install.ts'
export type { ManifestSource } from './install/manifests.ts'
export { rolesIn } from './install/roles-in.ts'
export type { IsolatedApiServer } from './isolated/isolated.ts'
export type { Kubeconfig } from './kubeconfig.ts'
export type { Authorization, EmbeddedOptions } from './options.ts'
export type { HookAddress, HookCall, HookFunction } from './outside/hook-client.ts'
export type { Random } from './random.ts'
export { chance, choose, integer, seededRandom, shuffle } from './random.ts'
export type { RecordedRights, RecordRightsOptions } from './record-rights.ts'
export { recordRights } from './record-rights.ts'
export { startEmbeddedApiServer } from './start-embedded.ts'
export type { RequestStats, ServerStats } from './stats.ts'
export type {
  CloseReason,
  Connection,
  Exchange,
  RawSocket,
  RequestHead,
  ResponseHandlers,
  ResponseHeaders,
  Transport,
} from './transport.ts'
