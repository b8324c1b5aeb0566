import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { type Condition, isTrue, withConditions } from './conditions.ts'
import { PlayError } from './error.ts'
import { jobEnd } from './job-end.ts'
import { JobTally, rangesOf } from './job-tally.ts'
import { identity, isDeleted, jobKind, numberAt, podKind } from './played-kind.ts'
import { counts, isReady, podOf, without } from './replica-sets.ts'
import type { Part, Scene } from './scene.ts'

const indexKey = 'batch.kubernetes.io/job-completion-index'

/** Fields that change how a Job ends, but are not played. */
const unplayed = ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex']

/** The controller of Jobs: makes Pods until enough Pods have succeeded, or too many have failed. */
export function jobsPart(scene: Scene): Part {
  const tallies = new Map<string, JobTally>()
  scene.onGone(object => tallies.delete(identity(object).uid))
  return async (_, job, key) => {
    const spec = objectAt(job, 'spec')
    if (isDeleted(job) || stringAt(spec, 'managedBy') !== undefined) return
    if (isTrue(job, 'Complete') || isTrue(job, 'Failed')) return deleteLater(scene, job, key)
    const field = unplayed.find(one => spec?.[one] !== undefined)
    if (field !== undefined) throw new PlayError(`Job ${key}`, `spec.${field} is not played: write its status yourself`)
    const { uid } = identity(job)
    const tally = tallies.get(uid) ?? new JobTally(objectAt(job, 'status'))
    tallies.set(uid, tally)
    tally.count(scene.owned(podKind, job))
    await play(scene, job, key, tally)
  }
}

async function play(scene: Scene, job: JsonObject, key: string, tally: JobTally): Promise<void> {
  const spec = objectAt(job, 'spec')
  const isSuspended = spec?.suspend === true
  const drop = async (pods: readonly JsonObject[]): Promise<void> => {
    for (const pod of pods) {
      tally.drop(pod)
      await scene.delete(podKind, pod)
    }
  }
  if (isSuspended) {
    await drop(tally.active)
    if (isTrue(job, 'Suspended')) return
    const suspended: Condition = {
      type: 'Suspended',
      status: 'True',
      reason: 'JobSuspended',
      message: 'Job suspended',
    }
    return writeStatus(scene, job, tally, [suspended], { startTime: undefined })
  }
  const started = stringAt(objectAt(job, 'status'), 'startTime') ?? scene.now()
  const seconds = numberAt(spec, 'activeDeadlineSeconds', Number.POSITIVE_INFINITY)
  const isLate =
    seconds !== Number.POSITIVE_INFINITY && scene.isDue(job, `deadline from ${started}`, seconds * 1000, jobKind, key)
  const end = jobEnd(spec, tally, isLate)
  if (end !== undefined) {
    await drop(tally.active)
    const isComplete = end[0]?.type === 'SuccessCriteriaMet'
    return writeStatus(scene, job, tally, end, {
      startTime: started,
      ...(isComplete && { completionTime: scene.now() }),
    })
  }
  await match(scene, job, tally, drop)
  const resumed: Condition = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }
  await writeStatus(scene, job, tally, isTrue(job, 'Suspended') ? [resumed] : [], { startTime: started })
}

/** Makes missing Pods, and deletes surplus Pods. */
async function match(
  scene: Scene,
  job: JsonObject,
  tally: JobTally,
  drop: (pods: readonly JsonObject[]) => Promise<void>,
): Promise<void> {
  const spec = objectAt(job, 'spec')
  const { namespace, name } = identity(job)
  const completions = spec?.completions
  const parallelism = numberAt(spec, 'parallelism', 1)
  const isIndexed = stringAt(spec, 'completionMode') === 'Indexed'
  const { active } = tally
  const left = typeof completions === 'number' ? completions - tally.done(isIndexed) : parallelism
  // With a work queue, the first Pod that succeeds shows that there is no more work.
  const wanted =
    completions === undefined && tally.succeeded > 0
      ? Math.min(active.length, parallelism)
      : Math.min(parallelism, left)
  await drop(active.slice(Math.max(0, wanted)))
  const missing = Math.max(0, wanted - active.length)
  const pods = isIndexed
    ? tally.freeIndexes(missing).map(index => indexedPod(job, `${index}`))
    : Array<JsonObject>(missing).fill(podOf(jobKind, job, { generateName: `${name}-` }))
  await scene.createAll(podKind, namespace, pods)
  tally.count(scene.owned(podKind, job))
}

function indexedPod(job: JsonObject, index: string): JsonObject {
  const { name } = identity(job)
  const marks = { [indexKey]: index }
  const pod = podOf(jobKind, job, { generateName: `${name}-${index}-`, labels: marks, annotations: marks })
  const spec = objectAt(pod, 'spec')
  const variable = { name: 'JOB_COMPLETION_INDEX', value: index }
  const containers = objectsAt(spec, 'containers').map(one => ({ ...one, env: [...objectsAt(one, 'env'), variable] }))
  return { ...pod, spec: { ...spec, hostname: `${name}-${index}`, containers } }
}

async function writeStatus(
  scene: Scene,
  job: JsonObject,
  tally: JobTally,
  conditions: readonly Condition[],
  { startTime, completionTime }: { readonly startTime: string | undefined; readonly completionTime?: string },
): Promise<void> {
  const isIndexed = stringAt(objectAt(job, 'spec'), 'completionMode') === 'Indexed'
  const set = withConditions(job, conditions, scene.now(), ['lastProbeTime'])
  const { active, succeeded, failed } = tally
  const ready = active.filter(isReady).length
  await scene.status(jobKind, job, {
    ...without(objectAt(job, 'status'), ['active', 'ready', 'succeeded', 'failed', 'startTime', 'conditions']),
    ...counts({ active: active.length, succeeded, failed }),
    ready,
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(set.length > 0 && { conditions: set }),
    ...(isIndexed && tally.succeeded > 0 && { completedIndexes: rangesOf(tally.completedIndexes()) }),
  })
}

async function deleteLater(scene: Scene, job: JsonObject, key: string): Promise<void> {
  const seconds = objectAt(job, 'spec')?.ttlSecondsAfterFinished
  if (typeof seconds !== 'number' || !scene.isDue(job, 'time to live', seconds * 1000, jobKind, key)) return
  await scene.delete(jobKind, job, { propagationPolicy: 'Background' })
}
