import type { Environment } from '@wherry/client'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import { HealthServer } from '../server/health-server.ts'
import type { OperatorSettings } from './options.ts'

/** The server of an operator; `undefined` where nothing is to listen. `isReady`: its caches have synced. */
export function healthServer(
  options: OperatorSettings['health'],
  metrics: PrometheusMetrics | undefined,
  environment: Environment,
  isReady: () => void,
): HealthServer | undefined {
  if (options === undefined) return undefined
  const { readyz = {}, ...rest } = options
  return new HealthServer({
    ...rest,
    environment,
    ...(metrics !== undefined && { metrics }),
    readyz: { caches: isReady, ...readyz },
  })
}
