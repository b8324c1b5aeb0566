import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureWebhook } from './measure.ts'

/** The API server alone. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureWebhook(context, undefined)
}
