import { jobProblems, labelAsOwnPods, selectOwnPods } from '../builtin/job.ts'
import { namedTemplateWarnings } from '../builtin/pod-warnings.ts'
import { allOf, checked, checkedOnce } from '../builtin/validation/causes.ts'
import { jobStatusProblems } from '../builtin/validation/job-status.ts'
import { checkCronJob, checkGeneratedSelector, checkJob } from '../builtin/validation/jobs.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of Jobs and CronJobs. */
export const jobStrategies: Strategies = {
  'jobs.batch': {
    warnings: namedTemplateWarnings('spec.template'),
    create: selectOwnPods,
    stored(object, old) {
      if (old === undefined) labelAsOwnPods(object)
    },
    problems: allOf(checkedOnce(checkGeneratedSelector), checked(checkJob), jobProblems, jobStatusProblems),
    orphansByDefault: {
      warning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    },
  },
  'cronjobs.batch': {
    problems: checked(checkCronJob),
    warnings: namedTemplateWarnings('spec.jobTemplate.spec.template'),
  },
}
