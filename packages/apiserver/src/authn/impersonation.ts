import { serviceAccountOf, serviceAccountUser } from '@wherry/cel/internal/values'
import type { ServerRequest } from '../exchange.ts'
import { lineBreak } from '../impersonation-headers.ts'
import { StatusError } from '../status.ts'
import type { AccessAttributes, User } from './access.ts'
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from './authenticate.ts'

/** The user that a request impersonates, and the rights that its sender needs for that. The sender needs all of them. */
export interface Impersonation {
  readonly user: User
  readonly checks: readonly AccessAttributes[]
}

const extraPrefix = 'impersonate-extra-'
const authenticationGroup = 'authentication.k8s.io'

/**
 * Reads the `Impersonate-*` headers of a request by `requestor`; `undefined` if there are none. Each line of a header is one value.
 * Throws the server's 400 for groups, a uid or extras without a user.
 */
export function readImpersonation(
  requestor: User,
  request: Pick<ServerRequest, 'headers' | 'path'>,
): Impersonation | undefined {
  const { headers } = request
  if (!impersonates(headers)) return undefined
  const name = values(headers['impersonate-user'])[0] ?? ''
  const groups = values(headers['impersonate-group'])
  const uid = values(headers['impersonate-uid'])[0] ?? ''
  const extra = readExtra(headers)
  const extras = Object.entries(extra).flatMap(([key, list]) => list.map(value => [key, value] as const))
  if (name === '') {
    if (groups.length === 0 && uid === '' && extras.length === 0) return undefined
    throw withoutUser(uid, groups, extra)
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
  const account = serviceAccountOf(name)
  return {
    user: {
      name,
      groups: withImplied(
        name,
        groups.length > 0 || account === undefined
          ? groups
          : serviceAccountUser(account.namespace, account.name).groups,
      ),
      ...(uid !== '' && { uid }),
      ...(extras.length > 0 && { extra }),
    },
    checks: impersonationResources(name, { groups, extra, uid }).map(check),
  }
}

function impersonates(headers: ServerRequest['headers']): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true
  return false
}

/** The resources that an impersonation of a user needs the right `impersonate` for. */
export function impersonationResources(
  name: string,
  {
    groups = [],
    extra = {},
    uid = '',
  }: {
    readonly groups?: readonly string[] | undefined
    readonly extra?: Readonly<Record<string, readonly string[]>>
    readonly uid?: string
  },
): Partial<AccessAttributes>[] {
  const account = serviceAccountOf(name)
  const more = { group: authenticationGroup, version: 'v1' }
  return [
    account === undefined ? { resource: 'users', name } : { resource: 'serviceaccounts', ...account },
    ...groups.map(group => ({ resource: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([key, list]) =>
      list.map(value => ({ resource: 'userextras', subresource: key, name: value, ...more })),
    ),
    ...(uid === '' ? [] : [{ resource: 'uids', name: uid, ...more }]),
  ]
}

/** The server's 400, which contains the user as Go prints it. */
function withoutUser(
  uid: string,
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
): StatusError {
  const quoted = JSON.stringify
  const list = (values: readonly string[]): string => `[]string{${values.map(value => quoted(value)).join(', ')}}`
  const pairs = Object.entries(extra).map(([key, values]) => `${quoted(key)}:${list(values)}`)
  const user = [
    'Name:""',
    `UID:${quoted(uid)}`,
    `Groups:${groups.length > 0 ? list(groups) : '[]string(nil)'}`,
    `Extra:map[string][]string${pairs.length > 0 ? `{${pairs.join(', ')}}` : '(nil)'}`,
  ]
  const message = `requested &user.DefaultInfo{${user.join(', ')}} without impersonating a user name`
  return new StatusError(400, 'BadRequest', message, { headers: { 'x-content-type-options': 'nosniff' } })
}

function values(header: string | undefined): string[] {
  return header?.split(lineBreak) ?? []
}

function readExtra(headers: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), ...values(value)]
  }
  return extra
}

/** Decodes a key. Characters that a header name can't have are percent-encoded. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Adds the implied group: every user is in the group of authenticated or of unauthenticated users. */
function withImplied(name: string, groups: readonly string[]): string[] {
  if (name === anonymousUser) {
    return groups.includes(unauthenticatedGroup) ? [...groups] : [...groups, unauthenticatedGroup]
  }
  const said = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)
  return said ? [...groups] : [...groups, authenticatedGroup]
}
