import { createHash } from 'node:crypto'
import type { Client } from '@wherry/client'
import { having } from '@wherry/client/internal'
import { tokenReviews } from '@wherry/client/resources/authentication'
import { subjectAccessReviews } from '@wherry/client/resources/authorization'

/** `unknown`: the token is not valid. `denied`: its user may not read the path. `busy`: too many tokens are being checked, so this one was not. */
export type Verdict = 'allowed' | 'denied' | 'unknown' | 'busy'

/** Decides whether the sender of a bearer token may read a path. If it throws, the request gets a 500 and the error goes to `onError`. */
export type Authorize = (asked: {
  readonly token: string | undefined
  readonly path: string
}) => Promise<Verdict> | Verdict

/** How long each of the two requests may take, in milliseconds. */
const timeoutMs = 10_000
/** How long an answer is remembered, in milliseconds, and the maximum number of answers, which also bounds the reviews in that time. */
const holdsMs = 10_000
const mostRemembered = 100
/** The number of allowed tokens that are kept apart, and for how long after their last success, in milliseconds. */
const mostTrusted = 8
const trustedMs = 3_600_000
/** How many tokens are asked about at a time. Leases and other writes of the client share its connections. */
const mostUnderWay = 4

/**
 * Asks the API server for the user of a token (TokenReview) and whether that user may `get` the path (SubjectAccessReview), as the metrics endpoints
 * of controller-runtime and Kubernetes do. It needs the right to create both, which `system:auth-delegator` gives.
 *
 * Answers, refusals and failures are remembered for ten seconds. At most 4 tokens are checked at a time, and 100 in ten seconds; any other token is
 * `busy` and costs the API server nothing. The eight tokens that were allowed last are kept apart for an hour, so other tokens cannot keep a
 * scraper out. Each of the two requests takes ten seconds at most: if the server does not answer, the request for the path gets a 500.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { HealthServer, prometheusMetrics, tokenReview } from '@wherry/controller'
 *
 * const authorize = tokenReview(await Client.connect())
 * const server = new HealthServer({ host: '0.0.0.0', port: 8443, metrics: await prometheusMetrics(), authorize })
 * await server.start()
 * ```
 */
export function tokenReview(client: Client): Authorize {
  having('a Client', 'create')('tokenReview.client', client)
  const { clock } = client.environment
  // The answers in the order of their reviews, which is the order in which they expire.
  const known = new Map<string, { readonly verdict: Promise<Verdict>; readonly until: number }>()
  /** By token and path: the time of the last success, the oldest first. */
  const trusted = new Map<string, number>()
  let underWay = 0
  return ({ token, path }) => {
    if (token === undefined) return 'unknown'
    const now = clock.monotonic()
    for (const [key, { until }] of known) {
      if (until > now) break
      known.delete(key)
    }
    const key = `${path} ${createHash('sha256').update(token).digest('base64')}`
    const found = known.get(key)
    if (found !== undefined) return found.verdict
    const isTrusted = now - (trusted.get(key) ?? Number.NEGATIVE_INFINITY) < trustedMs
    if (!isTrusted && (underWay >= mostUnderWay || known.size >= mostRemembered)) return 'busy'
    if (!isTrusted) underWay += 1
    const verdict = review(client, token, path).finally(() => {
      if (!isTrusted) underWay -= 1
    })
    verdict.then(
      answer => {
        trusted.delete(key)
        if (answer === 'allowed') trusted.set(key, clock.monotonic())
        const [longestAgo] = trusted.keys()
        if (trusted.size > mostTrusted && longestAgo !== undefined) trusted.delete(longestAgo)
      },
      () => {},
    )
    known.set(key, { verdict, until: now + holdsMs })
    return verdict
  }
}

async function review(client: Client, token: string, path: string): Promise<Verdict> {
  const { status } = await client.create(tokenReviews, { spec: { token } }, { timeoutMs })
  const { authenticated = false, user } = status ?? {}
  if (!authenticated || user === undefined) return 'unknown'
  const { username, uid, groups, extra } = user
  const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } }
  const access = await client.create(subjectAccessReviews, { spec }, { timeoutMs })
  return access.status?.allowed === true ? 'allowed' : 'denied'
}
