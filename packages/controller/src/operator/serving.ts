import { type Client, OptionRangeError, OptionTypeError } from '@wherry/client'
import { flag } from '@wherry/client/checks'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import { tokenReview } from '../server/authorize.ts'
import { HealthServer } from '../server/health-server.ts'
import type { OperatorSettings } from './options.ts'

/**
 * The server of an operator; `undefined` where nothing is to listen. By `reviews`, if it is given, the API server is asked about tokens.
 * `isReady` throws while caches have not synced.
 */
export function healthServer(
  options: OperatorSettings['health'],
  metrics: PrometheusMetrics | undefined,
  client: Client,
  reviews: Client | undefined,
  isReady: () => void,
): HealthServer | undefined {
  if (options === undefined) return undefined
  const { readyz = {}, tokenReview: isReviewed = false, ...rest } = options
  flag('health.tokenReview', isReviewed)
  if (readyz !== null && Object.hasOwn(readyz, 'caches')) {
    throw new OptionRangeError('health.readyz', 'names but caches, which is there', '"caches"')
  }
  if (reviews !== undefined && rest.authorize !== undefined) {
    throw new OptionTypeError('health.tokenReview', 'nothing beside authorize', 'true')
  }
  return new HealthServer({
    ...{ ...rest, metrics, environment: client.environment },
    ...(reviews !== undefined && { authorize: tokenReview(reviews) }),
    readyz: { caches: isReady, ...readyz },
  })
}
