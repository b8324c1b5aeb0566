import { Client } from '@wherry/client'
import { pods } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { reconcileOnce } from '@wherry/controller/testing'
import { type EmbeddedApiServer, type FaultEffect, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { declareSupervisor, type Failure, type Gate } from './operator.ts'

const namespace = 'default'

/** A cluster, and a supervisor that runs once `run` is called. */
interface Scene {
  readonly server: EmbeddedApiServer
  readonly client: Client
  readonly operator: Operator
  readonly reports: Failure[]
  readonly errors: string[]
  readonly gate: Gate
  run(): Promise<void>
  settled(): Promise<void>
  add(name: string, labels?: Record<string, string>): Promise<unknown>
  end(name: string, exitCode: number, reason?: string): Promise<unknown>
  names(): Promise<string[]>
}

/** @param lost how many reports do not arrive */
async function withSupervisor(body: (scene: Scene) => Promise<void>, lost = 0): Promise<void> {
  await using server = await startApiServer()
  const errors: string[] = []
  const environment = { onError: (error: Error) => void errors.push(error.message) }
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
  await using operator = new Operator({ name: 'supervisor', client })
  const reports: Failure[] = []
  let tries = 0
  const report = async (failure: Failure): Promise<void> => {
    if (tries++ < lost) throw new Error('nobody takes reports')
    reports.push(failure)
  }
  const gate = declareSupervisor(operator, { namespace, most: 4, fewest: 2, report })
  await body({
    ...{ server, client, operator, reports, errors, gate },
    run: async () => {
      void operator.run({ signals: false })
      await operator.settled()
    },
    settled: () => operator.settled(),
    add: (name, labels = { app: 'task-run' }) =>
      client.create(pods, {
        metadata: { namespace, name, labels },
        spec: { containers: [{ name: 'task', image: 'task' }], restartPolicy: 'Never' },
      }),
    end: (name, exitCode, reason = 'Error') => {
      const terminated = { exitCode, reason }
      const one = { name: 'task', image: 'task', imageID: '', ready: false, restartCount: 0, state: { terminated } }
      const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [one] }
      return client.status.patch(pods, { namespace, name }, { status })
    },
    names: async () => (await client.list(pods)).items.map(({ metadata }) => metadata.name).sort(),
  })
}

it('a pod that failed is reported once with its reason, and deleted, also one that failed before the start', () =>
  withSupervisor(async ({ run, settled, add, end, reports, names }) => {
    await add('before')
    await end('before', 137, 'OOMKilled')
    await run()
    await add('later')
    await settled()
    expect(await names()).toEqual(['later'])
    await end('later', 1)
    await settled()
    const uid = expect.any(String)
    expect(reports).toEqual([
      { pod: 'before', uid, reason: 'OOMKilled', exitCode: 137 },
      { pod: 'later', uid, reason: 'Error', exitCode: 1 },
    ])
    expect(await names()).toEqual([])
  }))

it('a pod that succeeded is deleted without a report; pods that run, or that are not tasks, stay', () =>
  withSupervisor(async ({ run, settled, add, end, reports, names }) => {
    await run()
    for (const name of ['done', 'running']) await add(name)
    await add('other', { app: 'other' })
    await end('done', 0)
    await end('other', 1)
    await settled()
    expect(reports).toEqual([])
    expect(await names()).toEqual(['other', 'running'])
  }))

it('a pod that runs makes no run, so that thousands of them cost a name each', () =>
  withSupervisor(async ({ operator, run, settled, add, end, gate }) => {
    for (const name of ['before', 'failed']) await add(name)
    await run()
    await add('later')
    await settled()
    const ran = (name: string) => operator.explain('task', { namespace, name }).lastRun !== undefined
    expect(gate()).toBe(true)
    expect(['before', 'failed', 'later'].filter(ran)).toEqual([])
    const runs = operator.runs()
    await end('failed', 1)
    expect((await runs.next()).value).toMatchObject({ key: `${namespace}/failed` })
  }))

it('a report that does not arrive is sent again, and the pod stays until it has arrived', () =>
  withSupervisor(async ({ run, settled, add, end, reports, errors, names }) => {
    await run()
    await add('lost')
    await end('lost', 1)
    await settled()
    expect(errors).toEqual(['nobody takes reports', 'nobody takes reports'])
    expect(reports).toMatchObject([{ pod: 'lost' }])
    expect(await names()).toEqual([])
  }, 2))

it('a pod that has taken the name between the report and the delete stays', () =>
  withSupervisor(async ({ server, client, add }) => {
    const key = { namespace, name: 'again' }
    const report = async (): Promise<void> => {
      await client.delete(pods, key)
      await add('again')
    }
    const declare = (operator: Operator): Gate => declareSupervisor(operator, { namespace, most: 4, fewest: 2, report })
    await add('again')
    await client.status.patch(pods, key, { status: { phase: 'Failed' } })
    const old = await client.get(pods, key)
    const run = await reconcileOnce({ server, declare, key })
    expect(run).toMatchObject({ deleted: [], error: { reason: 'Conflict' } })
    expect(run.object?.metadata?.uid).not.toBe(old?.metadata.uid)
  }))

it('from `most` pods on no more may be started, until there are `fewest`', () =>
  withSupervisor(async ({ run, settled, add, client, gate }) => {
    expect(gate()).toBe(false)
    await run()
    const seen: boolean[] = [gate()]
    for (const name of ['a', 'b', 'c', 'd']) {
      await add(name)
      await settled()
      seen.push(gate())
    }
    for (const name of ['a', 'b']) {
      await client.delete(pods, { namespace, name })
      await settled()
      seen.push(gate())
    }
    expect(seen).toEqual([true, true, true, true, false, false, true])
  }))

it('a gate that could never open again is refused', () => {
  const options = { namespace, most: 2, fewest: 2, report: async () => {} }
  expect(() => declareSupervisor({} as Operator, options)).toThrow('fewest must be less than most (2), not 2')
})

const next = (effect: FaultEffect) => (server: EmbeddedApiServer) =>
  server.faults.add({ match: { verb: 'watch' }, times: 1, effect })

it.each<[string, (server: EmbeddedApiServer) => Promise<unknown>, (server: EmbeddedApiServer) => Promise<void>]>([
  ['a 410 of the watch', next({ kind: 'expired' }), server => server.endWatches()],
  ['a 500 of the watch', next({ kind: 'status', code: 500 }), server => server.endWatches()],
  ['a reset of all connections', async () => {}, server => server.breakConnections()],
  ['a restart of the server', async () => {}, server => server.restart()],
])('after %s the next pod that fails is reported', (_, prepare, fault) =>
  withSupervisor(async ({ server, run, settled, add, end, reports, names }) => {
    await run()
    await prepare(server)
    await fault(server)
    await add('after')
    await end('after', 1)
    await settled()
    expect(reports).toMatchObject([{ pod: 'after' }])
    expect(await names()).toEqual([])
  }),
)
