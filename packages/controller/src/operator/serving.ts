import { type Client, OptionRangeError, OptionTypeError } from '@wherry/client'
import { flag } from '@wherry/client/checks'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { Controller } from '../controller/controller.ts'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import { tokenReview } from '../server/authorize.ts'
import { HealthServer } from '../server/health-server.ts'
import { isAbsentByChoice } from '../sources/unless-absent.ts'
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

/**
 * Throws while a controller has not begun, or while one that waits to lead has not all that it needs in the cache. What the server does
 * not know is not waited for where the cache's options say that it may come later.
 */
export function checkReady(controllers: readonly Controller<unknown>[], cache: DynamicCache): void {
  for (const { name, state, unwatched } of controllers) {
    if (state === 'running') continue
    const awaited = unwatched.filter(key => !isAbsentByChoice(cache, { key }))
    if (state === 'starting' || awaited.length > 0) throw new Error(`${name} waits for ${awaited.join(', ')}`)
  }
}
