import type { AccessAttributes, Decision, User } from '../authorization.ts'
import type { Declaration } from '../declarations.ts'
import { dnsLabelProblems, subdomainProblems } from '../json/qualified-name.ts'
import { CelError, Custom } from '../values.ts'
import { serviceAccountUser } from './service-account-user.ts'

/** Decides whether an access is allowed. */
export type Decide = (asked: AccessAttributes) => Decision

/** A value that only has functions. It equals only itself. */
abstract class Opaque extends Custom {
  equals(other: Custom): boolean {
    return this === other
  }
}

/** The value of `authorizer`: it checks the rights of a user. */
export class Authorizer extends Opaque {
  readonly type = 'kubernetes.authorization.Authorizer'
  readonly user: User
  readonly decide: Decide

  constructor(user: User, decide: Decide) {
    super()
    this.user = user
    this.decide = decide
  }
}

class PathCheck extends Opaque {
  readonly type = 'kubernetes.authorization.PathCheck'
  readonly authorizer: Authorizer
  readonly path: string

  constructor(authorizer: Authorizer, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

class GroupCheck extends Opaque {
  readonly type = 'kubernetes.authorization.GroupCheck'
  readonly authorizer: Authorizer
  readonly group: string

  constructor(authorizer: Authorizer, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

type Resource = Pick<AccessAttributes, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>

/** A question about the rights to a resource, such as `authorizer.requestResource`. */
export class ResourceCheck extends Opaque {
  readonly type = 'kubernetes.authorization.ResourceCheck'
  readonly authorizer: Authorizer
  readonly resource: Resource

  constructor(authorizer: Authorizer, resource: Resource) {
    super()
    this.authorizer = authorizer
    this.resource = resource
  }

  with(change: Partial<Resource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...change })
  }
}

class Answer extends Opaque {
  readonly type = 'kubernetes.authorization.Decision'
  readonly decision: Decision

  constructor(decision: Decision) {
    super()
    this.decision = decision
  }
}

const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '', path: '' }

function serviceAccount({ decide }: Authorizer, namespace: string, name: string): Authorizer {
  if (subdomainProblems(name).length > 0) throw new CelError('Invalid service account name')
  if (dnsLabelProblems(namespace).length > 0) throw new CelError('Invalid service account namespace')
  return new Authorizer(serviceAccountUser(namespace, name), decide)
}

function given(text: string, what: string): string {
  if (text.trim() === '') throw new CelError(`${what} must not be empty`)
  return text
}

const authz = 'kubernetes.authorization'
const onResource = (name: string, change: (check: ResourceCheck, value: string) => ResourceCheck): Declaration => [
  `${authz}.ResourceCheck->${name}(string): ${authz}.ResourceCheck`,
  change,
]

/** Questions about rights. Roles have no selectors, so the selectors of a question change no answer. */
export const authorizers: readonly Declaration[] = [
  [
    `${authz}.Authorizer->path(string): ${authz}.PathCheck`,
    (authorizer: Authorizer, path: string) => new PathCheck(authorizer, given(path, 'path')),
  ],
  [
    `${authz}.Authorizer->group(string): ${authz}.GroupCheck`,
    (authorizer: Authorizer, group: string) => new GroupCheck(authorizer, group),
  ],
  [`${authz}.Authorizer->serviceAccount(string, string): ${authz}.Authorizer`, serviceAccount],
  [
    `${authz}.GroupCheck->resource(string): ${authz}.ResourceCheck`,
    ({ authorizer, group }: GroupCheck, resource: string) =>
      new ResourceCheck(authorizer, { ...none, group, resource: given(resource, 'resource') }),
  ],
  onResource('subresource', (check, subresource) => check.with({ subresource })),
  onResource('namespace', (check, namespace) => check.with({ namespace })),
  onResource('name', (check, name) => check.with({ name })),
  onResource('fieldSelector', check => check.with({})),
  onResource('labelSelector', check => check.with({})),
  [
    `${authz}.PathCheck->check(string): ${authz}.Decision`,
    ({ authorizer: { user, decide }, path }: PathCheck, verb: string) =>
      new Answer(decide({ ...none, user, verb, path })),
  ],
  [
    `${authz}.ResourceCheck->check(string): ${authz}.Decision`,
    ({ authorizer: { user, decide }, resource }: ResourceCheck, verb: string) =>
      new Answer(decide({ ...none, version: '*', ...resource, user, verb })),
  ],
  // The authorizer of this server never fails.
  [`${authz}.Decision->errored(): bool`, () => false],
  [`${authz}.Decision->error(): string`, () => ''],
  [`${authz}.Decision->allowed(): bool`, ({ decision }: Answer) => decision.allowed],
  [`${authz}.Decision->reason(): string`, ({ decision }: Answer) => decision.reason ?? ''],
]
