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

/** Whether an access is allowed. `reason`: the binding that allows it, or the roles that were missing. */
export interface Decision {
  readonly allowed: boolean
  readonly reason?: string | undefined
}
