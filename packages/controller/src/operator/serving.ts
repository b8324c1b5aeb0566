import type { Environment } from '@wherry/client'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import { HealthServer } from '../server/health-server.ts'
import type { OperatorSettings } from './options.ts'

/** The server of an operator; `undefined` where nothing is to listen. `measure` is called before metrics are read; `isReady` throws while
 * caches have not synced. */
export function healthServer(
  options: OperatorSettings['health'],
  metrics: PrometheusMetrics | undefined,
  measure: () => void,
  environment: Environment,
  isReady: () => void,
): HealthServer | undefined {
  if (options === undefined) return undefined
  const { readyz = {}, ...rest } = options
  return new HealthServer({
    ...rest,
    environment,
    ...(metrics !== undefined && { metrics: measuredBefore(metrics, measure) }),
    readyz: { caches: isReady, ...readyz },
  })
}

function measuredBefore(
  metrics: PrometheusMetrics,
  measure: () => void,
): { contentType: string; text(): Promise<string> } {
  return {
    contentType: metrics.contentType,
    text: () => {
      measure()
      return metrics.text()
    },
  }
}
