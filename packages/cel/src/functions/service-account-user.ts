/** The user name of a service account, and its groups. */
export interface ServiceAccountUser {
  readonly name: string
  readonly groups: string[]
}

/** The name of a service account's user. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

/** The user of a service account. The groups of all users are not among its groups. */
export function serviceAccountUser(namespace: string, name: string): ServiceAccountUser {
  return {
    name: serviceAccountUserName(namespace, name),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  }
}

/** The service account of a user; `undefined` if the user has none. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
