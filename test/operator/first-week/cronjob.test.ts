import { Client } from '@wherry/client'
import { type Job, jobs } from '@wherry/client/resources/batch'
import { Operator } from '@wherry/controller'
import { simulate, startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { addCronJobs, type CronJob, cronJobs } from './cronjob.ts'
import { MovableClock } from './movable-clock.ts'
import { define, definitionOf, onBothServers, RunningOperator, type Stage } from './stage.ts'

const minute = 60_000
const jobTemplate = {
  metadata: { labels: { app: 'backup' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'backup', image: 'backup:1' }] } } },
}

/** A CronJob, an operator for it, and a clock that moves from minute to minute. */
class Schedule implements AsyncDisposable {
  readonly clock: MovableClock
  readonly #stage: Stage
  readonly #key: { readonly namespace: string; readonly name: 'backup' }
  #running: RunningOperator

  private constructor(stage: Stage, clock: MovableClock) {
    this.clock = clock
    this.#stage = stage
    this.#key = { namespace: stage.namespace, name: 'backup' }
    this.#running = this.#start()
  }

  /** A CronJob that ran last a second ago, so that no minute passes by itself while the test runs. */
  static async of(stage: Stage, spec: Partial<CronJob['spec']> = {}): Promise<Schedule> {
    const clock = new MovableClock()
    const now = clock.now()
    const last = now - (now % minute) + minute
    clock.moveTo(new Date(last + 1000))
    const metadata = { namespace: stage.namespace, name: 'backup' }
    await stage.client.create(cronJobs, { metadata, spec: { schedule: '* * * * *', jobTemplate, ...spec } })
    const status = { lastScheduleTime: new Date(last).toISOString() }
    await stage.client.status.patch(cronJobs, metadata, { status })
    const schedule = new Schedule(stage, clock)
    await schedule.settled()
    return schedule
  }

  /** The write requests of the operator that runs now. */
  get writes(): number {
    return this.#running.writes
  }

  get errors(): readonly Error[] {
    return this.#running.errors
  }

  /** Moves on to a second after the next full minute, or to the one after `minutes`. */
  async next(minutes = 1): Promise<string> {
    const at = this.clock.now()
    const full = at - (at % minute) + minutes * minute
    this.clock.moveTo(new Date(full + 1000))
    await this.settled()
    return `backup-${full / minute}`
  }

  settled(): Promise<void> {
    return this.#running.settled()
  }

  async restart(): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
    this.#running = this.#start()
    await this.settled()
  }

  async jobs(): Promise<Job[]> {
    return (await this.#stage.client.list(jobs.within({ namespaces: [this.#stage.namespace] }))).items
  }

  async names(): Promise<(string | undefined)[]> {
    return (await this.jobs()).map(({ metadata }) => metadata?.name)
  }

  async status(): Promise<CronJob['status']> {
    return (await this.#stage.client.get(cronJobs, this.#key))?.status
  }

  async change(spec: Partial<CronJob['spec']>): Promise<void> {
    await this.#stage.client.patch(cronJobs, this.#key, { spec })
    await this.settled()
  }

  async deleteJob(name: string): Promise<void> {
    await this.#stage.client.delete(jobs, { ...this.#key, name }, { propagationPolicy: 'Background' })
    await this.settled()
  }

  async delete(): Promise<void> {
    await this.#stage.client.delete(cronJobs, this.#key, { propagationPolicy: 'Foreground' })
    await this.settled()
  }

  /** Ends a Job as the Job controller does. */
  async end(name: string, how: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
    const time = new Date().toISOString().replace(/\.\d+Z/, 'Z')
    const of = (type: string) => ({ type, status: 'True', lastTransitionTime: time, reason: 'Test', message: '' })
    const status =
      how === 'Complete'
        ? {
            startTime: time,
            completionTime: time,
            succeeded: 1,
            conditions: [of('SuccessCriteriaMet'), of('Complete')],
          }
        : { startTime: time, failed: 1, conditions: [of('FailureTarget'), of('Failed')] }
    await this.#stage.client.status.patch(jobs, { ...this.#key, name }, { status })
    await this.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
  }

  #start(): RunningOperator {
    const add = (operator: Operator) => addCronJobs(operator, this.#stage.namespace)
    return new RunningOperator(this.#stage.server, { name: 'cronjob-operator' }, add, this.clock)
  }
}

onBothServers([definitionOf('cronjobs.batch.tutorial.example.com')], stage => {
  it('starts a Job at each scheduled time, and says in the status which are active', async () => {
    await using schedule = await Schedule.of(stage())
    expect(await schedule.names()).toEqual([])
    const first = await schedule.next()
    const second = await schedule.next()
    const made = await schedule.jobs()
    expect(made.map(({ metadata }) => metadata?.name)).toEqual([first, second])
    expect(made[0]?.metadata?.labels).toMatchObject({ app: 'backup' })
    const active = made.map(({ metadata }) => ({ name: metadata?.name, uid: metadata?.uid }))
    const time = new Date(Number(second.slice('backup-'.length)) * minute).toISOString().replace('.000Z', 'Z')
    expect(await schedule.status()).toEqual({ active, lastScheduleTime: time })
    await schedule.end(first)
    expect((await schedule.status())?.active).toEqual(active.slice(1))
    expect(schedule.errors).toEqual([])
  })

  it('writes nothing after a restart, next to Jobs that have the server’s defaults', async () => {
    await using schedule = await Schedule.of(stage())
    const name = await schedule.next()
    expect((await schedule.jobs())[0]?.spec).toMatchObject({
      backoffLimit: 6,
      template: { spec: { dnsPolicy: 'ClusterFirst' } },
    })
    await schedule.restart()
    expect(schedule.writes).toBe(0)
    expect(await schedule.names()).toEqual([name])
  })

  it('starts the run that was due while nobody ran, once, and no earlier ones', async () => {
    await using schedule = await Schedule.of(stage())
    const last = await schedule.next(5)
    expect(await schedule.names()).toEqual([last])
    await schedule.restart()
    expect(await schedule.names()).toEqual([last])
  })

  it('does not start a run again if somebody deletes its Job', async () => {
    await using schedule = await Schedule.of(stage())
    await schedule.deleteJob(await schedule.next())
    expect(await schedule.names()).toEqual([])
    expect((await schedule.status())?.active).toBeUndefined()
  })

  it('keeps so many ended Jobs as the history limits say', async () => {
    await using schedule = await Schedule.of(stage(), { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 })
    const names: string[] = []
    for (const how of ['Complete', 'Failed', 'Complete', 'Failed', 'Complete'] as const) {
      const name = await schedule.next()
      names.push(name)
      await schedule.end(name, how)
    }
    expect(await schedule.names()).toEqual([names[2], names[3], names[4]])
  })

  it('with Forbid, waits for the active Job', async () => {
    await using schedule = await Schedule.of(stage(), { concurrencyPolicy: 'Forbid' })
    const first = await schedule.next()
    const second = await schedule.next()
    expect(await schedule.names()).toEqual([first])
    await schedule.end(first)
    expect(await schedule.names()).toEqual([first, second])
  })

  it('with Replace, deletes the active Job', async () => {
    await using schedule = await Schedule.of(stage(), { concurrencyPolicy: 'Replace' })
    await schedule.next()
    const second = await schedule.next()
    expect(await schedule.names()).toEqual([second])
    expect((await schedule.status())?.active?.map(({ name }) => name)).toEqual([second])
  })

  it('starts nothing while it is suspended, nor runs past their deadline then', async () => {
    await using schedule = await Schedule.of(stage(), { suspend: true, startingDeadlineSeconds: 30 })
    await schedule.next()
    await schedule.change({ failedJobsHistoryLimit: 2 })
    expect(await schedule.names()).toEqual([])
    schedule.clock.moveBy(40_000)
    await schedule.change({ suspend: false })
    expect(await schedule.names()).toEqual([])
    const name = await schedule.next()
    expect(await schedule.names()).toEqual([name])
  })

  it('waits for a schedule that it understands', async () => {
    await using schedule = await Schedule.of(stage(), { schedule: 'at noon' })
    await schedule.next()
    expect(schedule.errors.map(({ message }) => message)).toEqual([expect.stringContaining('a cron expression')])
    await schedule.change({ schedule: '*/1 * * * *' })
    expect(await schedule.names()).toHaveLength(1)
  })

  it('leaves no Jobs behind', async () => {
    await using schedule = await Schedule.of(stage())
    await schedule.next()
    await schedule.delete()
    await expect.poll(() => schedule.names()).toEqual([])
  })
})

describe('on simulated time', () => {
  it('starts 24 Jobs in two hours, on time', async () => {
    const simulation = simulate(1)
    await simulation.run(async () => {
      const { clock, environment, random } = simulation
      const server = await startApiServer({ sockets: false, clock, random: random.fork('server') })
      const transport = server.transport({ random: random.fork('network') })
      const client = new Client({ url: server.url, token: server.token, transport, environment })
      await define(client, definitionOf('cronjobs.batch.tutorial.example.com'))
      const metadata = { namespace: 'default', name: 'backup' }
      await client.create(cronJobs, { metadata, spec: { schedule: '*/5 * * * *', jobTemplate } })
      const operator = new Operator({ name: 'cronjob-operator', client })
      addCronJobs(operator, 'default')
      const running = operator.run({ signals: false })
      await simulation.advance((2 * 60 + 1) * minute)
      const { items } = await client.list(jobs)
      expect(items).toHaveLength(24)
      await operator.close()
      await running
      await client.close()
      transport.close()
      await server.close()
    })
  })
})
