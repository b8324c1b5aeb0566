import type { ServerRequest } from '../exchange.ts'
import type { PolicyRule, RoleRef } from './policy.ts'
import type { Decision } from './rbac.ts'
import type { UsedRights } from './used-rights.ts'

/** The user of a request. */
export interface User {
  readonly name: string
  readonly uid?: string | undefined
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined
}

/** The access that a user asks for, as RBAC sees it. */
export interface AccessAttributes {
  readonly user: User
  readonly verb: string
  /** '' for a path that is not a resource. */
  readonly resource: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The path, for a request without a resource. */
  readonly path: string
}

/** Authenticates and authorizes requests. */
export interface AccessControl {
  /** Throws 401, or 403 for an impersonation that is not allowed. */
  authenticate(request: ServerRequest): User
  /** The rights that users have used so far. */
  readonly used: UsedRights
  /** Throws 403. Records the rights of an allowed request. */
  authorize(attributes: AccessAttributes): void
  /** Whether an access is allowed, and the reason. */
  decide(attributes: AccessAttributes): Decision
  /** The rules that apply to a user in a namespace; `incomplete` if the user may be allowed more than the rules list. */
  rules(user: User, namespace: string): { readonly rules: readonly PolicyRule[]; readonly incomplete: boolean }
  /** The rules of the role that a binding in a namespace refers to; `undefined` if that role does not exist. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined
  /** The user of a token from the server's options. */
  userByToken(token: string): User | undefined
}
