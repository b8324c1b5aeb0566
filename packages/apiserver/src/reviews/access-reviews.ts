import { type JsonObject, objectAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { AccessAttributes, User } from '../authn/access.ts'
import type { KubeObject } from '../objects/object.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { parseObject } from '../write/body.ts'
import type { FieldValidation } from '../write/fields.ts'
import { own as ownFields } from '../write/managed.ts'
import { readObject } from '../write/read-object.ts'
import type { WriteRequest } from '../write/write-request.ts'
import { tokenIssuer } from './account-tokens.ts'
import type { ActionHost } from './action-host.ts'

const reviewGroups = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Whether the objects of a resource are reviews: questions that are answered and not stored. */
export function isReview({ group, custom }: ResourceType): boolean {
  return !custom && reviewGroups.has(group)
}

/** Answers a review about users and their rights: returns the review with its status. */
export function review(
  host: Pick<ActionHost, 'access' | 'tokens' | 'clock' | 'registry'>,
  write: WriteRequest,
  validation: FieldValidation,
): JsonObject {
  const { type, request, user } = write
  const asked = readObject(parseObject(request, type), write, validation)
  ownFields(host, write, undefined, asked)
  switch (type.plural) {
    case 'tokenreviews':
      return withStatus(asked, tokenStatus(host, asked))
    case 'selfsubjectreviews': {
      const metadata = { creationTimestamp: timestamp(host.clock.now()) }
      return { kind: type.kind, apiVersion: type.apiVersion, metadata, status: { userInfo: userInfo(user) } }
    }
    case 'selfsubjectrulesreviews':
      // The answer does not repeat the request's spec.
      return withStatus({ ...asked, metadata: {}, spec: {} }, rulesStatus(host.access, asked, user))
    case 'selfsubjectaccessreviews':
      return withStatus(asked, accessStatus(host.access, asked, user, type))
    default:
      return withStatus(asked, accessStatus(host.access, asked, undefined, type))
  }
}

function withStatus({ apiVersion, kind, metadata, spec }: KubeObject, status: JsonObject): JsonObject {
  return { kind, apiVersion, metadata, spec: spec ?? {}, status }
}

function tokenStatus({ access, tokens }: Pick<ActionHost, 'access' | 'tokens'>, asked: KubeObject): JsonObject {
  const spec = objectAt(asked, 'spec') ?? {}
  const token = stringAt(spec, 'token') ?? ''
  if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication')
  const named = stringsAt(spec, 'audiences')
  const audiences = named.length === 0 ? [tokenIssuer] : named
  const known = access.userByToken(token)
  if (known !== undefined) {
    return { authenticated: true, user: userInfo(known), audiences }
  }
  const owner = tokens.owner(token, audiences)
  if (owner !== undefined && typeof owner !== 'string') {
    const groups = [...owner.user.groups, 'system:authenticated']
    return { authenticated: true, user: userInfo({ ...owner.user, groups }), audiences: [...owner.audiences] }
  }
  const error = owner === undefined ? 'invalid bearer token' : `[invalid bearer token, ${owner}]`
  return { user: {}, error }
}

/** A user in the form of reviews. */
export function userInfo({ name, uid = '', groups, extra = {} }: User): JsonObject {
  const info: JsonObject = { username: name }
  if (uid !== '') info.uid = uid
  if (groups.length > 0) info.groups = [...groups]
  if (Object.keys(extra).length > 0) info.extra = structuredClone(extra) as JsonObject
  return info
}

function accessStatus(
  access: ActionHost['access'],
  asked: KubeObject,
  self: User | undefined,
  type: ResourceType,
): JsonObject {
  const spec = objectAt(asked, 'spec') ?? {}
  const resource = objectAt(spec, 'resourceAttributes')
  const path = objectAt(spec, 'nonResourceAttributes')
  const causes: StatusCause[] = []
  if ((resource === undefined) === (path === undefined)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    causes.push(wrong('spec', asGo(path), why))
  }
  const name = stringAt(spec, 'user') ?? ''
  const groups = stringsAt(spec, 'groups')
  if (self === undefined && name === '' && groups.length === 0) {
    causes.push(wrong('spec.user', '', 'at least one of user or group must be specified'))
  }
  if (type.namespaced) {
    const within = stringAt(resource, 'namespace') ?? ''
    if (resource !== undefined && within !== (asked.metadata.namespace ?? '')) {
      causes.push(wrong('spec.resourceAttributes.namespace', within, 'must match metadata.namespace'))
    }
    if (path !== undefined) {
      causes.push(wrong('spec.nonResourceAttributes', asGo(path), 'disallowed on this kind of request'))
    }
  }
  if (causes.length > 0) throw refusal(type, causes)
  const extra = objectAt(spec, 'extra')
  const user = self ?? { name, uid: stringAt(spec, 'uid'), groups, extra: extra as User['extra'] }
  const text = (field: string): string => stringAt(resource ?? path, field) ?? ''
  const attributes: AccessAttributes = {
    user,
    verb: text('verb'),
    resource: resource === undefined ? '' : text('resource'),
    group: text('group'),
    version: text('version') || '*',
    namespace: text('namespace'),
    name: text('name'),
    subresource: text('subresource'),
    path: path === undefined ? '' : text('path'),
  }
  const { allowed, reason = '' } = access.decide(attributes)
  return reason === '' ? { allowed } : { allowed, reason }
}

/** The refusal of a review. At this point the server no longer knows its kind. */
function refusal(type: ResourceType, causes: readonly StatusCause[]): StatusError {
  const { code, reason, message, details } = StatusError.invalid({ ...type, kind: '' }, '', causes)
  const { kind: _, ...rest } = details ?? {}
  return new StatusError(code, reason, message, { details: rest })
}

/** A path in the form in which the server prints its own type. */
function asGo(path: JsonObject | undefined): JsonObject | null {
  return path === undefined ? null : { Path: stringAt(path, 'path') ?? '', Verb: stringAt(path, 'verb') ?? '' }
}

function rulesStatus(access: ActionHost['access'], asked: KubeObject, user: User): JsonObject {
  const namespace = stringAt(objectAt(asked, 'spec'), 'namespace') ?? ''
  if (namespace === '') throw StatusError.badRequest('no namespace on request')
  const { rules, incomplete } = access.rules(user, namespace)
  const present = (rule: object, fields: readonly string[]): JsonObject =>
    Object.fromEntries(
      fields.flatMap(field => {
        const value = own(rule as JsonObject, field)
        return Array.isArray(value) && value.length > 0 ? [[field, value]] : []
      }),
    ) as JsonObject
  return {
    resourceRules: rules
      .filter(rule => (rule.resources ?? []).length > 0)
      .map(rule => present(rule, ['verbs', 'apiGroups', 'resources', 'resourceNames'])),
    nonResourceRules: rules
      .filter(rule => (rule.nonResourceURLs ?? []).length > 0)
      .map(rule => present(rule, ['verbs', 'nonResourceURLs'])),
    incomplete,
  }
}

function wrong(field: string, value: unknown, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field }
}
