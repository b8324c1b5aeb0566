import type { ServerRequest } from '../exchange.ts'
import type { User } from './access.ts'

export const anonymousUser = 'system:anonymous'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

/** The means to find the user of a request. */
export interface Authentication {
  /** The user of a bearer token; `undefined` if the token belongs to nobody. */
  readonly userByToken: (token: string) => User | undefined
  /** Whether a request without credentials is accepted as `system:anonymous`. */
  readonly anonymous: boolean
}

/**
 * The user of a request. It is `unauthorized` (401) if its token belongs to nobody, or if it has no credentials and anonymous users are not allowed.
 *
 * A client certificate (verified by the front) is preferred to a token: its CN is the user and its Os are the groups. A certificate without CN is ignored.
 * Every known user is in `system:authenticated` as well.
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

/** The token of an authorization header. Another scheme, or an empty token, counts as no credentials. */
function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** Adds the group `system:authenticated` to a user, unless the user is `system:anonymous`. */
export function known(user: User): User {
  if (user.name === anonymousUser || user.groups.includes(authenticatedGroup)) return user
  return { ...user, groups: [...user.groups, authenticatedGroup] }
}
