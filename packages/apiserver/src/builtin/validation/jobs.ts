import { dnsLabelProblems, type Json, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import { labelsMatch } from '../../selectors/match.ts'
import { ownLabels } from '../job.ts'
import type { Causes, Check } from './causes.ts'
import { checkFailurePolicy, checkManager, checkSuccessPolicy } from './job-policies.ts'
import { checkSelector, checkSelects, isUsableSelector, printedSelector } from './label-selector.ts'
import { checkTemplate } from './pod.ts'
import { scheduleProblem } from './schedule.ts'

const amounts = [
  ...['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'],
  ...['backoffLimitPerIndex', 'maxFailedIndexes'],
]
const maxIndexedParallelism = 100_000
const manyCompletions = 100_000
const maxWithMany = 10_000

export const checkJob: Check = (job, causes) => {
  const spec = objectAt(job, 'spec') ?? {}
  const selector = objectAt(spec, 'selector')
  const { name = '' } = job.metadata
  checkJobSpec('spec', spec, causes)
  if (selector === undefined) causes.required('spec.selector')
  else checkSelector('spec.selector', selector, causes)
  if (isUsableSelector(selector)) {
    const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
    checkSelects('spec.template.metadata.labels', selector, labels, causes)
  }
  checkIndexedName(name, spec, causes)
}

/** Checks the selector of a Job without `manualSelector`, which must match the labels that the server generates. */
export const checkGeneratedSelector: Check = (job, causes) => {
  const spec = objectAt(job, 'spec') ?? {}
  const selector = objectAt(spec, 'selector')
  if (own(spec, 'manualSelector') === true || selector === undefined || !isUsableSelector(selector)) return
  const { name = '', uid = '' } = job.metadata
  if (labelsMatch(selector, ownLabels(name, uid))) return
  causes.invalid('spec.selector', printedSelector(selector), '`selector` not auto-generated')
}

/** Checks the name of an indexed Job. The names of its Pods contain it. */
function checkIndexedName(name: string, spec: JsonObject, causes: Causes): void {
  const completions = Number(own(spec, 'completions') ?? 0)
  if (own(spec, 'completionMode') !== 'Indexed' || completions <= 0) return
  const host = `${name}-${completions - 1}`
  if (dnsLabelProblems(host).length === 0) return
  causes.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${host}`)
}

function checkJobSpec(field: string, spec: JsonObject, causes: Causes): void {
  for (const name of amounts) causes.notNegative(`${field}.${name}`, own(spec, name))
  const mode = stringAt(spec, 'completionMode') ?? 'NonIndexed'
  const [perIndex, maxFailed] = [own(spec, 'backoffLimitPerIndex'), own(spec, 'maxFailedIndexes')]
  if (maxFailed !== undefined && perIndex === undefined) {
    causes.required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')
  }
  checkManager(`${field}.managedBy`, own(spec, 'managedBy'), causes)
  const modes = ['NonIndexed', 'Indexed']
  if (!modes.includes(mode)) causes.unsupported(`${field}.completionMode`, mode, modes)
  if (mode === 'Indexed') checkIndexed(field, spec, causes)
  if (mode === 'NonIndexed') {
    for (const [name, value] of Object.entries({ backoffLimitPerIndex: perIndex, maxFailedIndexes: maxFailed })) {
      if (value !== undefined) causes.invalid(`${field}.${name}`, value, 'requires indexed completion mode')
    }
  }
  checkFailurePolicy(`${field}.podFailurePolicy`, spec, causes)
  checkSuccessPolicy(`${field}.successPolicy`, spec, causes)
  checkReplacement(field, spec, causes)
  const template = objectAt(spec, 'template')
  checkTemplate(`${field}.template`, template, causes)
  checkEnds(`${field}.template.spec.restartPolicy`, template, own(spec, 'podFailurePolicy') !== undefined, causes)
}

function checkIndexed(field: string, spec: JsonObject, causes: Causes): void {
  const [completions, parallelism] = [own(spec, 'completions'), own(spec, 'parallelism')]
  if (completions === undefined) causes.required(`${field}.completions`, 'when completion mode is Indexed')
  if (typeof parallelism === 'number' && parallelism > maxIndexedParallelism) {
    const why = `must be less than or equal to ${maxIndexedParallelism} when completion mode is Indexed`
    causes.invalid(`${field}.parallelism`, parallelism, why)
  }
  const maxFailed = own(spec, 'maxFailedIndexes')
  if (typeof maxFailed === 'number' && typeof completions === 'number' && maxFailed > completions) {
    causes.invalid(`${field}.maxFailedIndexes`, maxFailed, 'must be less than or equal to completions')
  }
  const atMost = (name: string, value: Json | undefined, most: number, when = ''): void => {
    if (typeof value === 'number' && value > most) {
      causes.invalid(`${field}.${name}`, value, `must be less than or equal to ${most}${when}`)
    }
  }
  atMost('maxFailedIndexes', maxFailed, maxIndexedParallelism)
  if (own(spec, 'backoffLimitPerIndex') === undefined || Number(completions ?? 0) <= manyCompletions) return
  if (maxFailed === undefined) {
    causes.required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`)
  }
  const when = ` when completions are above ${manyCompletions} and used with backoff limit per index`
  atMost('parallelism', parallelism, maxWithMany, when)
  atMost('maxFailedIndexes', maxFailed, maxWithMany, when)
}

function checkReplacement(field: string, spec: JsonObject, causes: Causes): void {
  const policy = stringAt(spec, 'podReplacementPolicy')
  const known = own(spec, 'podFailurePolicy') === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  if (policy !== undefined && !known.includes(policy)) {
    causes.unsupported(`${field}.podReplacementPolicy`, policy, known)
  }
}

/** Checks that the Pods of a Job can end. */
function checkEnds(field: string, template: JsonObject | undefined, hasPolicy: boolean, causes: Causes): void {
  const policy = stringAt(objectAt(template, 'spec'), 'restartPolicy') ?? ''
  const known = ['OnFailure', 'Never']
  if (policy === '' || policy === 'Always') causes.required(field, 'valid values: "OnFailure", "Never"')
  else if (!known.includes(policy)) causes.unsupported(field, policy, known)
  else if (hasPolicy && policy !== 'Never') {
    causes.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

export const checkCronJob: Check = (cronJob, causes) => {
  const spec = objectAt(cronJob, 'spec') ?? {}
  const schedule = stringAt(spec, 'schedule') ?? ''
  if (schedule === '') causes.last.required('spec.schedule')
  else {
    const problem = scheduleProblem(schedule)
    if (problem !== undefined) causes.invalid('spec.schedule', schedule, problem)
    if (schedule.includes('TZ')) {
      const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
      causes.invalid('spec.schedule', schedule, why)
    }
  }
  causes.notNegative('spec.startingDeadlineSeconds', own(spec, 'startingDeadlineSeconds'))
  checkZone('spec.timeZone', stringAt(spec, 'timeZone'), causes)
  causes.chosen('spec.concurrencyPolicy', own(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace'])
  const jobSpec = objectAt(objectAt(spec, 'jobTemplate'), 'spec') ?? {}
  checkJobSpec('spec.jobTemplate.spec', jobSpec, causes)
  const selector = objectAt(jobSpec, 'selector')
  if (selector !== undefined) {
    causes.invalid('spec.jobTemplate.spec.selector', printedSelector(selector), '`selector` will be auto-generated')
  }
  for (const name of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
    causes.notNegative(`spec.${name}`, own(spec, name))
  }
  const { name = '' } = cronJob.metadata
  if (name.length > 52) causes.invalid('metadata.name', name, 'must be no more than 52 characters')
}

function checkZone(field: string, zone: string | undefined, causes: Causes): void {
  if (zone === undefined) return
  if (zone.toLowerCase() === 'local') {
    const why = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    causes.invalid(field, zone, why)
  } else if (zone === '') causes.invalid(field, zone, 'timeZone must be nil or non-empty string')
  else if (!isZone(zone)) causes.invalid(field, zone, `unknown time zone ${zone}`)
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
