import type { ServerRequest } from '../exchange.ts'
import type { User } from './access.ts'

export const anonymousUser = 'system:anonymous'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

/** How the user of a request is found. */
export interface Authentication {
  /** The user of a bearer token; `undefined` if it is nobody's. */
  readonly userByToken: (token: string) => User | undefined
  /** Whether a request that shows nothing is let in as `system:anonymous`. */
  readonly anonymous: boolean
}

/**
 * The user of a request, or that it is `unauthorized` (401): it shows a token that is nobody's, or nothing and
 * anonymous users are not let in.
 *
 * A client certificate (verified by the front) goes before a token: its CN is the user and its Os are the groups, and one
 * without CN says nothing. Every known user is in `system:authenticated` as well.
 */
export function authenticate(request: ServerRequest, config: Authentication): User | 'unauthorized' {
  const { certificate } = request.peer
  if (certificate !== undefined && certificate.commonName !== '') {
    return known({ name: certificate.commonName, groups: certificate.organizations })
  }
  const token = bearerToken(request.headers.authorization ?? '')
  if (token !== undefined) {
    const user = config.userByToken(token)
    return user === undefined ? 'unauthorized' : known(user)
  }
  return config.anonymous ? { name: anonymousUser, groups: [unauthenticatedGroup] } : 'unauthorized'
}

/** Another scheme, or no token behind it, counts as showing nothing. */
function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** `user` as an authenticated user: in `system:authenticated` as well. */
export function known(user: User): User {
  if (user.name === anonymousUser || user.groups.includes(authenticatedGroup)) return user
  return { ...user, groups: [...user.groups, authenticatedGroup] }
}
