import type { User } from '../authn/access.ts'
import type { ServerRequest } from '../exchange.ts'
import type { Representation } from '../requests/representation.ts'
import type { RequestInfo, ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import type { StrategyOf } from './strategy.ts'

/** A parsed request that writes. */
export interface WriteRequest {
  readonly request: ServerRequest
  readonly info: RequestInfo
  readonly target: ResourceTarget
  readonly type: ResourceType
  readonly verb: string
  readonly responder: Responder
  readonly user: User
  readonly representation: Representation
  readonly strategyOf: StrategyOf
}
