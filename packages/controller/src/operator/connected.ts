import { type Environment, type LogFields, type LogLevel, systemEnvironment } from '@wherry/client'
import { type Logger, loggerWith } from '../logging/logger.ts'
import { type PrometheusMetrics, prometheusMetrics } from '../metrics/prometheus.ts'

/** The metrics that were asked for. */
export async function loadedMetrics(
  wanted: boolean | PrometheusMetrics | undefined,
): Promise<PrometheusMetrics | undefined> {
  if (wanted === undefined || wanted === false) return undefined
  return wanted === true ? prometheusMetrics() : wanted
}

/** The environment of an operator that runs by itself: what happens in the background is logged, and measured. */
export function connectedEnvironment(
  given: Partial<Environment> | undefined,
  log: Logger | undefined,
  metrics: PrometheusMetrics | undefined,
): Partial<Environment> {
  return { ...(log !== undefined && loggedEnvironment(log)), ...(metrics !== undefined && { metrics }), ...given }
}

function loggedEnvironment(logger: Logger): Partial<Environment> {
  const { onError, onWarning } = systemEnvironment()
  // What the logger does wrong is not told to itself.
  const log = loggerWith(logger, {}, onError)
  return {
    onError: (error, context) => {
      onError(error, context)
      log.error({ ...context, err: error }, error.message)
    },
    onWarning: (message, context) => {
      onWarning(message, context)
      log.warn({ ...context }, message)
    },
    log: (level: LogLevel, message: string, fields?: LogFields) => log[level]({ ...fields }, message),
  }
}
