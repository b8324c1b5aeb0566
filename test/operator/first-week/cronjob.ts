import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { type Job, type JobSpec, jobs } from '@wherry/client/resources/batch'
import { isConditionTrue, type Operator, TerminalError } from '@wherry/controller'
import { Schedule } from '@wherry/controller/schedule'
import type { int, Timestamp } from '@wherry/crd'

/**
 * The CronJob of the kubebuilder book.
 *
 * @group batch.tutorial.example.com
 * @version v1
 */
export interface CronJob {
  metadata?: ObjectMeta
  spec: {
    /** A cron expression, in UTC. */
    schedule: string
    /**
     * A run that could not start within this time after its scheduled time is skipped.
     *
     * @minimum 0
     */
    startingDeadlineSeconds?: int
    /** @default Allow */
    concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
    /** @default false */
    suspend?: boolean
    /** @opaque */
    jobTemplate: { metadata?: ObjectMeta; spec: JobSpec }
    /**
     * @minimum 0
     * @default 3
     */
    successfulJobsHistoryLimit?: int
    /**
     * @minimum 0
     * @default 1
     */
    failedJobsHistoryLimit?: int
  }
  status?: { active?: { name: string; uid: string }[]; lastScheduleTime?: Timestamp }
}

const group = 'batch.tutorial.example.com'

export const cronJobs: Resource<CronJob, 'namespaced'> = defineResource<CronJob>({
  group,
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
})

/** The Jobs of all CronJobs, and nobody else's. */
export const ownJobs: Resource<Job, 'namespaced'> = jobs.within({
  labels: { 'app.kubernetes.io/managed-by': 'cronjob' },
})

const scheduledAt = `${group}/scheduled-at`
const minute = 60_000

export function addCronJobs(operator: Operator, namespace: string): void {
  const here = { namespaces: [namespace] }
  const made = ownJobs.within(here)
  operator
    .controller('cronjob')
    .for(cronJobs.within(here))
    .owns(made)
    .caches(made)
    .reconcile(async ({ object: cronJob, key, now, read, apply, status, client, events }) => {
      if (cronJob.metadata?.deletionTimestamp !== undefined) return
      const { spec } = cronJob
      const remove = (job: Job) =>
        client.delete(jobs, { namespace: key.namespace, name: nameOf(job) }, { propagationPolicy: 'Background' })

      const before = sorted(await read.owned(made))
      for (const job of oldest(before.failed, spec.failedJobsHistoryLimit ?? 1)) await remove(job)
      for (const job of oldest(before.successful, spec.successfulJobsHistoryLimit ?? 3)) await remove(job)

      const schedule = scheduleOf(spec.schedule)
      let lastScheduleTime = cronJob.status?.lastScheduleTime
      const due = schedule.latest(now(), lastScheduleTime ?? cronJob.metadata?.creationTimestamp)
      const blocked = spec.concurrencyPolicy === 'Forbid' && before.active.length > 0
      if (due !== undefined && now().getTime() - due.getTime() > (spec.startingDeadlineSeconds ?? Infinity) * 1000)
        events.record({ type: 'Warning', reason: 'MissedSchedule', message: 'too late to start a run' })
      else if (due !== undefined && !blocked && spec.suspend !== true) {
        if (spec.concurrencyPolicy === 'Replace') for (const job of before.active) await remove(job)
        await apply(made, jobOf(cronJob, due))
        lastScheduleTime = timeText(due)
      }

      const running = sorted(await read.owned(made)).active
      const active = running.map(job => ({ name: nameOf(job), uid: job.metadata?.uid ?? '' }))
      await status({ ...(active.length > 0 && { active }), ...(lastScheduleTime && { lastScheduleTime }) })
      if (spec.suspend === true) return
      return { requeueAfterMs: schedule.msToNext(now()) }
    })
}

/** The Job of one scheduled time. Its name is made of that time, so that no time ever has two Jobs. */
function jobOf({ metadata, spec: { jobTemplate } }: CronJob, time: Date): Job {
  return {
    metadata: {
      name: `${metadata?.name}-${time.getTime() / minute}`,
      labels: jobTemplate.metadata?.labels,
      annotations: { ...jobTemplate.metadata?.annotations, [scheduledAt]: timeText(time) },
    },
    spec: jobTemplate.spec,
  }
}

/** By what became of them, the earliest first. */
function sorted(owned: readonly Job[]): Record<'active' | 'successful' | 'failed', Job[]> {
  const all = owned.toSorted((a, b) => scheduledTime(a).localeCompare(scheduledTime(b)))
  const successful = all.filter(({ status }) => isConditionTrue(status?.conditions, 'Complete'))
  const failed = all.filter(({ status }) => isConditionTrue(status?.conditions, 'Failed'))
  const ended = new Set([...successful, ...failed])
  const active = all.filter(job => job.metadata?.deletionTimestamp === undefined && !ended.has(job))
  return { active, successful, failed }
}

/** All but the last `limit` jobs. */
function oldest(all: readonly Job[], limit: number): readonly Job[] {
  return all.slice(0, Math.max(0, all.length - limit))
}

const nameOf = ({ metadata }: Job): string => metadata?.name ?? ''
const scheduledTime = ({ metadata }: Job): string => metadata?.annotations?.[scheduledAt] ?? ''
/** As Kubernetes writes times: to the second. */
const timeText = (time: Date): string => time.toISOString().replace('.000Z', 'Z')

/** @throws TerminalError if it is none: only a change of the CronJob helps */
function scheduleOf(text: string): Schedule {
  try {
    return new Schedule(text)
  } catch (error) {
    throw new TerminalError((error as Error).message, { cause: error })
  }
}
