import type { ServerRequest } from './exchange.ts'

/** Who makes a request. */
export interface User {
  readonly name: string
  readonly uid?: string | undefined
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined
}

/** What a user wants to do, as RBAC sees it. */
export interface AccessAttributes {
  readonly user: User
  readonly verb: string
  /** '' for a path that is no resource. */
  readonly resource: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The path, for what is no resource. */
  readonly path: string
}

/** Says who a request is from and what they may do. Both throw the refusal. */
export interface AccessControl {
  /** Throws 401, or 403 for an impersonation that is not allowed. */
  authenticate(request: ServerRequest): User
  /** Throws 403. */
  authorize(attributes: AccessAttributes): void
}
