import { type JsonObject, objectAt, stringAt } from '@wherry/cel/internal'
import type { Condition } from './conditions.ts'
import type { JobTally } from './job-tally.ts'
import { numberAt } from './played-kind.ts'

/** The conditions of a Job that has ended; `undefined` if the Job has not ended. */
export function jobEnd(spec: JsonObject | undefined, tally: JobTally, isLate: boolean): Condition[] | undefined {
  const limit = numberAt(spec, 'backoffLimit', 6)
  const policy = stringAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy')
  const { restarts } = tally
  if (tally.failed > limit || (policy === 'OnFailure' && restarts > 0 && restarts >= limit))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if (isLate) return failure('DeadlineExceeded', 'Job was active longer than specified deadline')
  const completions = spec?.completions
  const isComplete =
    typeof completions === 'number'
      ? tally.done(stringAt(spec, 'completionMode') === 'Indexed') >= completions
      : tally.succeeded > 0 && tally.active.length === 0
  if (!isComplete) return undefined
  const message = 'Reached expected number of succeeded pods'
  return (['SuccessCriteriaMet', 'Complete'] as const).map(type => ({
    ...{ type, status: 'True', reason: 'CompletionsReached', message },
  }))
}

function failure(reason: string, message: string): Condition[] {
  return (['FailureTarget', 'Failed'] as const).map(type => ({ type, status: 'True', reason, message }))
}
