/** The user that a service account's token stands for. */
export interface ServiceAccountUser {
  readonly name: string
  readonly groups: string[]
}

/** The name of the user that a service account is. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

/** The user that a service account is. Everybody's own groups are not among its groups. */
export function serviceAccountUser(namespace: string, name: string): ServiceAccountUser {
  return {
    name: serviceAccountUserName(namespace, name),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  }
}

/** The service account that a user is; `undefined`: the user is none. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
