import type { AccessAttributes, Decision, User } from '@wherry/cel/internal'
import type { PolicyRule, RoleRef } from './authn/policy.ts'
import type { UsedRights } from './authn/used-rights.ts'
import type { ServerRequest } from './exchange.ts'

export type { AccessAttributes, User } from '@wherry/cel/internal'

/** Authenticates and authorizes requests. */
export interface AccessControl {
  /** Throws 401, or 403 for an impersonation that is not allowed. */
  authenticate(request: ServerRequest): User
  /** What was allowed so far. */
  readonly used: UsedRights
  /** Throws 403. Records what is allowed. */
  authorize(attributes: AccessAttributes): void
  /** Whether something is allowed, and why. */
  decide(attributes: AccessAttributes): Decision
  /** The rules that hold for a user in a namespace; `incomplete` where there may be more than rules say. */
  rules(user: User, namespace: string): { readonly rules: readonly PolicyRule[]; readonly incomplete: boolean }
  /** The rules of the role that a binding in a namespace refers to; `undefined` where there is no such role. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined
  /** Whose a token is that the server was started with. */
  userByToken(token: string): User | undefined
}
