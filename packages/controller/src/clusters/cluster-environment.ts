import type { Environment, Metrics } from '@wherry/client'
import type { SeldomErrors } from './seldom-errors.ts'

/** The home cluster's environment for another cluster: each error, warning and log line has the cluster's name. */
export function clusterEnvironment(
  home: Environment,
  cluster: string,
  metrics: Metrics,
  errors: SeldomErrors,
): Environment {
  return {
    clock: home.clock,
    random: () => home.random(),
    onError: (error, context) => {
      if (errors.isNews(error, context)) home.onError(error, { ...context, cluster })
    },
    onWarning: (message, context) => home.onWarning(message, { ...context, cluster }),
    log: (level, message, fields) => home.log(level, message, { ...fields, cluster }),
    metrics,
  }
}
