import type { AccessAttributes, AccessControl, User } from './authn/access.ts'
import { authenticate, known } from './authn/authenticate.ts'
import { forbidden } from './authn/forbidden.ts'
import { readImpersonation } from './authn/impersonation.ts'
import type { Binding, ClusterRole, PolicyRule, PolicySource, Role } from './authn/policy.ts'
import { authorize, type Decision, privilegedGroup, rulesFor, rulesOfRole } from './authn/rbac.ts'
import { UsedRights } from './authn/used-rights.ts'
import type { Registry } from './definitions/registry.ts'
import type { ServerRequest } from './exchange.ts'
import { materialise } from './objects/stored.ts'
import type { EmbeddedOptions } from './options.ts'
import { type AccountTokens, tokenIssuer } from './reviews/account-tokens.ts'
import { StatusError } from './status.ts'
import { objectKey, type Store } from './store/store.ts'
import type { Version } from './store/version.ts'

/** The access control that the options select. */
export function accessControl(parts: {
  readonly store: Store
  readonly registry: Registry
  readonly adminToken: string
  readonly options: EmbeddedOptions
  /** Tokens of service accounts. */
  readonly accounts: AccountTokens
}): AccessControl {
  const { adminToken, options, accounts } = parts
  const admin: User = { name: 'wherry:admin', groups: [privilegedGroup] }
  const tokens = options.tokens ?? {}
  const decide = decider(options, parts)
  const used = new UsedRights()
  const adminHeader = `Bearer ${adminToken}`
  const knownAdmin = known(admin)
  const userByToken = (token: string): User | undefined => {
    const given = token === adminToken ? admin : Object.hasOwn(tokens, token) ? tokens[token] : undefined
    return given === undefined ? undefined : known(given)
  }
  const check = (asked: AccessAttributes): void => {
    const { allowed, reason } = decide(asked)
    if (!allowed) throw forbidden(asked, reason)
    if (options.recordRights ?? true) used.note(asked)
  }
  const impersonated = (user: User, request: ServerRequest): User => {
    const impersonation = readImpersonation(user, request)
    if (impersonation === undefined) return user
    for (const asked of impersonation.checks) check(asked)
    return impersonation.user
  }
  return {
    authenticate(request) {
      if (request.headers.authorization === adminHeader && request.peer.certificate === undefined) {
        return impersonated(knownAdmin, request)
      }
      const user = authenticate(request, {
        userByToken(token) {
          const user = userByToken(token)
          if (user !== undefined) return user
          const owner = accounts.owner(token, [tokenIssuer])
          return typeof owner === 'object' ? owner.user : undefined
        },
        anonymous: options.anonymous ?? true,
      })
      if (user === 'unauthorized') throw new StatusError(401, 'Unauthorized', 'Unauthorized')
      return impersonated(user, request)
    },
    authorize: check,
    used,
    decide,
    rules: rulesFinder(options, parts),
    rulesOfRole: (roleRef, namespace) => rulesOfRole(roleRef, namespace, storedPolicy(parts)),
    userByToken,
  }
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function rulesFinder(
  { authorization = 'allow' }: EmbeddedOptions,
  parts: { readonly store: Store; readonly registry: Registry },
): AccessControl['rules'] {
  if (authorization === 'allow') return () => ({ rules: everything, incomplete: false })
  // A function has no rules to list.
  if (authorization !== 'RBAC') return () => ({ rules: [], incomplete: true })
  const policy = storedPolicy(parts)
  return (user, namespace) => ({ rules: rulesFor(user, namespace, policy), incomplete: false })
}

function decider(
  options: EmbeddedOptions,
  parts: { readonly store: Store; readonly registry: Registry },
): (asked: AccessAttributes) => Decision {
  const { authorization = 'allow' } = options
  if (authorization === 'allow') return () => ({ allowed: true })
  if (authorization === 'RBAC') {
    const policy = storedPolicy(parts)
    return asked => authorize(asked, policy)
  }
  return asked => {
    const answer = authorization(asked)
    return typeof answer === 'string' ? { allowed: false, reason: answer } : { allowed: answer }
  }
}

/** The RBAC policy from the server's own objects. Each object is parsed once. */
function storedPolicy({ store, registry }: { readonly store: Store; readonly registry: Registry }): PolicySource {
  const parsed = new WeakMap<Version, unknown>()
  const type = (plural: string): ReturnType<Registry['resolve']> =>
    registry.resolve('rbac.authorization.k8s.io', 'v1', plural)
  const types = {
    roles: type('roles'),
    clusterRoles: type('clusterroles'),
    roleBindings: type('rolebindings'),
    clusterRoleBindings: type('clusterrolebindings'),
  }
  const read = <T>(kind: keyof typeof types, version: Version): T => {
    let object = parsed.get(version)
    if (object === undefined) {
      object = materialise(version, types[kind].apiVersion, types[kind].kind)
      parsed.set(version, object)
    }
    return object as T
  }
  const one = <T>(kind: keyof typeof types, namespace: string, name: string): T | undefined => {
    const version = store.collection(types[kind]).get(objectKey(namespace, name))
    return version === undefined ? undefined : read<T>(kind, version)
  }
  const all = <T>(kind: keyof typeof types, prefix: string): T[] =>
    store
      .collection(types[kind])
      .snapshot(prefix)
      .map(version => read<T>(kind, version))
  return {
    role: (namespace, name) => one<Role>('roles', namespace, name),
    clusterRole: name => one<ClusterRole>('clusterRoles', '', name),
    clusterRoles: () => all<ClusterRole>('clusterRoles', ''),
    roleBindings: namespace => all<Binding>('roleBindings', `${namespace}/`),
    clusterRoleBindings: () => all<Binding>('clusterRoleBindings', ''),
  }
}
