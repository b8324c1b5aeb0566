import { createHash } from 'node:crypto'
import type { Client } from '@wherry/client'
import { having } from '@wherry/client/checks'
import { tokenReviews } from '@wherry/client/resources/authentication'
import { subjectAccessReviews } from '@wherry/client/resources/authorization'

/** `unknown`: nobody knows who asks. `denied`: who asks may not. */
export type Verdict = 'allowed' | 'denied' | 'unknown'

/** Says whether whoever sent a bearer token may read a path. What it throws is a 500 to who asks, and told to `onError`. */
export type Authorize = (asked: {
  readonly token: string | undefined
  readonly path: string
}) => Promise<Verdict> | Verdict

/** How long each question may take, in milliseconds. */
const timeoutMs = 10_000
/** How long a verdict holds, in milliseconds, and how many are remembered. */
const holdsMs = 10_000
const most = 100

/**
 * Asks the API server who a token belongs to (TokenReview) and whether they may `get` the path (SubjectAccessReview), as
 * controller-runtime's and Kubernetes' own metrics endpoints do. Takes the right to create both, as `system:auth-delegator` gives it.
 * A verdict holds for ten seconds, and either may take as long: a server that does not answer is a 500.
 */
export function tokenReview(client: Client): Authorize {
  having('a Client', 'create')('tokenReview.client', client)
  const { clock } = client.environment
  const known = new Map<string, { readonly verdict: Promise<Verdict>; readonly until: number }>()
  return ({ token, path }) => {
    if (token === undefined) return 'unknown'
    const key = `${path} ${createHash('sha256').update(token).digest('base64')}`
    const now = clock.monotonic()
    const found = known.get(key)
    if (found !== undefined && found.until > now) return found.verdict
    known.delete(key)
    const verdict = review(client, token, path)
    known.set(key, { verdict, until: now + holdsMs })
    verdict.catch(() => known.delete(key))
    for (const oldest of known.keys()) {
      if (known.size <= most) break
      known.delete(oldest)
    }
    return verdict
  }
}

async function review(client: Client, token: string, path: string): Promise<Verdict> {
  const { status } = await client.create(tokenReviews, { spec: { token } }, { timeoutMs })
  const { authenticated = false, user } = status ?? {}
  if (!authenticated || user === undefined) return 'unknown'
  const spec = {
    ...(user.username !== undefined && { user: user.username }),
    ...(user.uid !== undefined && { uid: user.uid }),
    ...(user.groups !== undefined && { groups: user.groups }),
    ...(user.extra !== undefined && { extra: user.extra }),
    nonResourceAttributes: { path, verb: 'get' },
  }
  const access = await client.create(subjectAccessReviews, { spec }, { timeoutMs })
  return access.status?.allowed === true ? 'allowed' : 'denied'
}
