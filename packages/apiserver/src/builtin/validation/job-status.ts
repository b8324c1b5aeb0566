import { type Json, type JsonObject, objectAt, objectsAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { Causes } from './causes.ts'
import { indexesProblem, sharedIndex } from './job-indexes.ts'

/** A Job's status before or after a write. */
class State {
  readonly status: JsonObject
  readonly spec: JsonObject

  constructor(job: KubeObject) {
    this.status = objectAt(job, 'status') ?? {}
    this.spec = objectAt(job, 'spec') ?? {}
  }

  /** Whether the condition of a type is true. */
  is(type: string): boolean {
    return objectsAt(this.status, 'conditions').some(
      one => stringAt(one, 'type') === type && stringAt(one, 'status') === 'True',
    )
  }

  get isFinished(): boolean {
    return this.is('Complete') || this.is('Failed')
  }

  at(field: string): Json | undefined {
    return own(this.status, field)
  }

  count(field: string): number {
    return Number(this.at(field) ?? 0)
  }
}

/** The problems of a Job's status: its fields must agree, and some changes can't be taken back. */
export function jobStatusProblems(job: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined || job.status === old.status) return []
  const causes = new Causes()
  const [now, before] = [new State(job), new State(old)]
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    causes.notNegative(`status.${field}`, now.at(field))
  }
  checkTogether(now, before, causes)
  checkTaken(now, before, causes)
  return [...causes.all]
}

/** Checks that fields agree. A real server checks only the changed fields, so that it accepts the objects of older versions. */
function checkTogether(now: State, before: State, causes: Causes): void {
  const changed = (field: string): boolean => !sameJson(now.at(field), before.at(field))
  const turned = (type: string): boolean => now.is(type) !== before.is(type)
  const finishes = now.isFinished !== before.isFinished
  const [complete, failed] = [turned('Complete'), turned('Failed')]
  const [begun, ended] = [stringAt(now.status, 'startTime'), stringAt(now.status, 'completionTime')]
  const both = (one: string, other: string, text: string): void => {
    if (now.is(one) && now.is(other)) causes.contradicts('status.conditions', `cannot set ${text} conditions`)
  }
  if (complete || failed) both('Complete', 'Failed', 'Complete=True and Failed=true')
  if (complete || turned('FailureTarget')) both('Complete', 'FailureTarget', 'Complete=True and FailureTarget=true')
  if (complete || changed('completionTime')) {
    const why = 'cannot set completionTime when there is no Complete=True condition'
    if (ended !== undefined && !now.is('Complete')) causes.invalid('status.completionTime', ended, why)
    if (ended === undefined && now.is('Complete')) {
      causes.required('status.completionTime', 'completionTime is required for Complete jobs')
    }
  }
  if ((changed('startTime') || changed('completionTime')) && ended !== undefined && ended < (begun ?? '')) {
    causes.invalid('status.completionTime', ended, 'must be equal to or after `startTime`')
  }
  if ((failed || changed('failedIndexes')) && now.is('Failed') && !now.is('FailureTarget')) {
    const why = 'cannot set Failed=True condition without the FailureTarget=true condition'
    causes.contradicts('status.conditions', why)
  }
  if ((complete || turned('SuccessCriteriaMet')) && now.is('Complete') && !now.is('SuccessCriteriaMet')) {
    const why = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'
    causes.contradicts('status.conditions', why)
  }
  if ((finishes || changed('active')) && now.isFinished && now.count('active') > 0) {
    causes.invalid('status.active', now.at('active'), 'active>0 is invalid for finished job')
  }
  const empty = own(now.spec, 'suspend') === true && own(now.spec, 'completions') === 0
  if ((finishes || changed('startTime')) && now.isFinished && begun === undefined && !empty) {
    causes.required('status.startTime', 'startTime is required for finished job')
  }
  checkIndexes(now, changed, causes)
  if ((finishes || changed('terminating')) && now.isFinished && now.count('terminating') > 0) {
    causes.invalid('status.terminating', now.at('terminating'), 'terminating>0 is invalid for finished job')
  }
  if (
    (changed('ready') || changed('active')) &&
    now.at('ready') !== undefined &&
    now.count('ready') > now.count('active')
  ) {
    causes.invalid('status.ready', now.at('ready'), 'cannot set more ready pods than active')
  }
  both('SuccessCriteriaMet', 'Failed', 'SuccessCriteriaMet=True and Failed=true')
  both('SuccessCriteriaMet', 'FailureTarget', 'SuccessCriteriaMet=True and FailureTarget=true')
}

function checkIndexes(now: State, changed: (field: string) => boolean, causes: Causes): void {
  const [completed, failed] = [stringAt(now.status, 'completedIndexes') ?? '', now.at('failedIndexes')]
  const indexed = own(now.spec, 'completionMode') === 'Indexed'
  const [completions, perIndex] = [own(now.spec, 'completions'), own(now.spec, 'backoffLimitPerIndex')]
  for (const field of perIndex === undefined ? ['completedIndexes'] : ['completedIndexes', 'failedIndexes']) {
    const text = stringAt(now.status, field) ?? ''
    const problem = changed(field) && completions !== undefined ? indexesProblem(text, Number(completions)) : undefined
    if (problem !== undefined) causes.invalid(`status.${field}`, text, `error parsing ${field}: ${problem}`)
  }
  if (changed('completedIndexes') && completed !== '' && !indexed) {
    const why = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    causes.invalid('status.completedIndexes', completed, why)
  }
  if (changed('failedIndexes') && failed !== undefined && perIndex === undefined) {
    const why = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'
    causes.invalid('status.failedIndexes', failed, why)
  }
  if (completions === undefined || !(changed('completedIndexes') || changed('failedIndexes'))) return
  const both = sharedIndex(completed, typeof failed === 'string' ? failed : '', Number(completions))
  if (both === undefined) return
  causes.invalid('status.failedIndexes', failed, `failedIndexes and completedIndexes overlap at index: ${both}`)
}

/** Checks that a terminal condition or a counter is not taken back. */
function checkTaken(now: State, before: State, causes: Causes): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (!before.is(type) || now.is(type)) continue
    causes.contradicts('status.conditions', `cannot disable the terminal ${type}=True condition`)
  }
  const scales =
    own(now.spec, 'completionMode') === 'Indexed' && own(now.spec, 'completions') === own(now.spec, 'parallelism')
  for (const field of scales ? ['failed'] : ['failed', 'succeeded']) {
    if (now.count(field) >= before.count(field)) continue
    causes.invalid(`status.${field}`, now.count(field), `cannot decrease the ${field} counter`)
  }
  const [ended, was] = [now.at('completionTime'), before.at('completionTime')]
  if (ended !== undefined && was !== undefined && ended !== was) {
    causes.invalid('status.completionTime', ended, 'field is immutable')
  }
  const [begun, since] = [now.at('startTime'), before.at('startTime')]
  if (since !== undefined && begun !== since && own(now.spec, 'suspend') !== true) {
    causes.invalid('status.startTime', begun, 'field is immutable for unsuspended job once set')
  }
  if (before.is('SuccessCriteriaMet') && !now.is('SuccessCriteriaMet')) {
    causes.contradicts('status.conditions', 'cannot disable the SuccessCriteriaMet=True condition')
  }
}
