import type { AccessAttributes, User } from '../access.ts'
import type { ServerRequest } from '../exchange.ts'
import { StatusError } from '../status.ts'
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from './authenticate.ts'
import { escapeMarkup } from './forbidden.ts'

/** Whom a request wants to be taken for, and what its sender must be allowed for that: all of it. */
export interface Impersonation {
  readonly user: User
  readonly checks: readonly AccessAttributes[]
}

const extraPrefix = 'impersonate-extra-'
const authenticationGroup = 'authentication.k8s.io'

/**
 * Reads the `Impersonate-*` headers of a request by `requestor`; `undefined` when there are none.
 *
 * A header that came more than once is one text here, its values joined by commas: so a value can't hold one. Throws the
 * server's 500 for groups, a uid or extras without a user.
 */
export function readImpersonation(
  requestor: User,
  request: Pick<ServerRequest, 'headers' | 'path'>,
): Impersonation | undefined {
  const { headers } = request
  const name = headers['impersonate-user'] ?? ''
  const groups = values(headers['impersonate-group'])
  const uid = headers['impersonate-uid'] ?? ''
  const extra = readExtra(headers)
  const extras = Object.entries(extra).flatMap(([key, list]) => list.map(value => [key, value] as const))
  if (name === '') {
    if (groups.length === 0 && uid === '' && extras.length === 0) return undefined
    throw withoutUser(request.path, [
      ...groups.map(group => ['Group', '', group, '', '', '', '']),
      ...extras.map(([key, value]) => ['UserExtra', '', value, '', `${authenticationGroup}/v1`, '', key]),
      ...(uid === '' ? [] : [['UID', '', uid, '', `${authenticationGroup}/v1`, '', '']]),
    ])
  }
  const check = (parts: Partial<AccessAttributes>): AccessAttributes => ({
    user: requestor,
    verb: 'impersonate',
    resource: '',
    group: '',
    version: '',
    namespace: '',
    name: '',
    subresource: '',
    path: '',
    ...parts,
  })
  const account = serviceAccount(name)
  const version = 'v1'
  return {
    user: {
      name,
      groups: withImplied(name, groups.length > 0 || account === undefined ? groups : accountGroups(account.namespace)),
      ...(uid !== '' && { uid }),
      ...(extras.length > 0 && { extra }),
    },
    checks: [
      check(account === undefined ? { resource: 'users', name } : { resource: 'serviceaccounts', ...account }),
      ...groups.map(group => check({ resource: 'groups', name: group })),
      ...extras.map(([key, value]) =>
        check({ resource: 'userextras', subresource: key, name: value, group: authenticationGroup, version }),
      ),
      ...(uid === '' ? [] : [check({ resource: 'uids', name: uid, group: authenticationGroup, version })]),
    ],
  }
}

/** Plain text, with the object references that Go prints. */
function withoutUser(path: string, references: readonly (readonly string[])[]): StatusError {
  const list = references.map(fields => `{${fields.join(' ')}}`).join(' ')
  const message = `Internal Server Error: ${JSON.stringify(path)}: requested [${list}] without impersonating a user\n`
  return new StatusError(500, '', escapeMarkup(message), { plain: true })
}

function values(header: string | undefined): string[] {
  if (header === undefined) return []
  return header.split(',').map(value => value.trim())
}

function readExtra(headers: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>
  for (const [header, value] of Object.entries(headers)) {
    if (header.startsWith(extraPrefix)) extra[unescaped(header.slice(extraPrefix.length))] = values(value)
  }
  return extra
}

/** Keys may hold what a header name can't, percent-encoded. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function serviceAccount(user: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Everybody is in one of the two groups of everybody. */
function withImplied(name: string, groups: readonly string[]): string[] {
  if (name === anonymousUser) {
    return groups.includes(unauthenticatedGroup) ? [...groups] : [...groups, unauthenticatedGroup]
  }
  const said = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)
  return said ? [...groups] : [...groups, authenticatedGroup]
}
