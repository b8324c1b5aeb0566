import { Client, defineResource, type ObjectMeta } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'

interface Condition {
  type: string
  status: string
  reason: string
  message?: string
  lastProbeTime?: string
  lastTransitionTime?: string
}

interface Subject {
  metadata: ObjectMeta
  spec?: { size?: number }
  status?: { phase?: string; lastProbeTime?: string; conditions?: Condition[] }
}

const subjects = defineResource<Subject>({
  group: 'x.io',
  version: 'v1',
  kind: 'Subject',
  plural: 'subjects',
  namespaced: true,
})
const text = { type: 'string' }

async function define({ client, simulation }: Arcade): Promise<void> {
  const item = { type: text, status: text, reason: text, message: text, lastProbeTime: text, lastTransitionTime: text }
  const conditions = {
    ...{ type: 'array', items: { type: 'object', required: ['type'], properties: item } },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  }
  const status = { type: 'object', properties: { phase: text, lastProbeTime: text, conditions } }
  const spec = { type: 'object', properties: { size: { type: 'integer' } } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } }
  const names = { kind: 'Subject', listKind: 'SubjectList', plural: 'subjects', singular: 'subject' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const definition = { group: 'x.io', scope: 'Namespaced', names, versions: [version] }
  await client.create(customResourceDefinitions, { metadata: { name: 'subjects.x.io' }, spec: definition } as never)
  await simulation.advance(100)
}

type Work = (
  context: ReconcileContext<Subject, 'namespaced'>,
  now: string,
) => Promise<{ requeueAfterMs: number } | undefined>

const up = (now: string): Condition => ({ type: 'Up', status: 'True', reason: 'Probed', lastProbeTime: now })

/** Each reconcile as the thread has it, with the field that differed each time, and how many objects there were. */
const reports: readonly {
  readonly thread: string
  readonly objects: number
  readonly agents?: number
  readonly work: Work
}[] = [
  {
    thread: 'kubeflow/notebooks#1341: lastProbeTime of a condition is now, 100 notebooks',
    objects: 100,
    work: async ({ status }, now) => void (await status({ conditions: [up(now)] })) as undefined,
  },
  {
    thread: 'redpanda-operator#1455: lastTransitionTime alone, looked at every 2 s',
    objects: 1,
    work: async ({ status }, now) => {
      await status({
        phase: 'Healthy',
        conditions: [{ type: 'Healthy', status: 'True', reason: 'Fine', lastTransitionTime: now }],
      })
      return { requeueAfterMs: 2000 }
    },
  },
  {
    thread: 'strimzi#13079: the same, once a second',
    objects: 1,
    work: async ({ status }, now) => {
      await status({ conditions: [{ type: 'Ready', status: 'True', reason: 'Fine', lastTransitionTime: now }] })
      return { requeueAfterMs: 1000 }
    },
  },
  {
    thread: 'falco-operator#356: five agents share one status, and each restamps its condition',
    objects: 1,
    agents: 5,
    work: async ({ status, client }, now) =>
      void (await status({ conditions: [{ ...up(now), type: client.fieldManager }] })) as undefined,
  },
  {
    thread: 'messaging-topology-operator PR 251: times to the second, 120 objects',
    objects: 120,
    work: async ({ status }, now) =>
      void (await status({ lastProbeTime: now.replace(/\.\d+/, ''), phase: 'Ready' })) as undefined,
  },
  {
    thread: 'console-operator#843: one object is read at each run, three times a second',
    objects: 1,
    work: async ({ read, status }) => {
      const found = await read.get(configMaps, { namespace: 'default', name: 'console' })
      await status({ phase: found?.data?.phase ?? 'none' })
      return { requeueAfterMs: 333 }
    },
  },
]

async function play(arcade: Arcade, { objects, agents = 1, work }: (typeof reports)[number]): Promise<unknown> {
  const { client, server, simulation, transport } = arcade
  await define(arcade)
  const stop = new AbortController()
  const clients: Client[] = []
  const runs = Array.from({ length: agents }, (_, agent) => {
    const { url, token } = server
    const own = new Client({
      url,
      token,
      transport,
      environment: simulation.environment,
      fieldManager: `agent-${agent}`,
    })
    clients.push(own)
    const operator = new Operator({ name: `agent-${agent}`, client: own })
    operator
      .controller('subject')
      .for(subjects)
      .reconcile(context => work(context, context.now().toISOString()))
    return { operator, running: operator.run({ signal: stop.signal, signals: false }).catch(error => error) }
  })
  await client.create(configMaps, { metadata: { name: 'console', namespace: 'default' }, data: { phase: 'Up' } })
  for (let i = 0; i < objects; i++)
    await client.create(subjects, { metadata: { name: `s-${i}`, namespace: 'default' } })
  await simulation.advance(60_000)
  await server.resetStats()
  for (let round = 0; round < 6; round++) {
    await simulation.advance(600_000)
    await server.endWatches()
  }
  const { byVerb } = await server.stats()
  stop.abort(new Error('enough'))
  for (const { operator, running } of runs) {
    await running
    await operator.close()
  }
  for (const one of clients) await one.close()
  const sent = Object.entries(byVerb).flatMap(([verb, of]) =>
    ['watch', 'list'].includes(verb)
      ? []
      : Object.entries(of)
          .filter(([, { requests }]) => requests > 0)
          .map(([what]) => `${verb} ${what}`),
  )
  return sent
}

describe('an hour of what operators were seen to write without an end', () => {
  it.each(reports)('A12, C24: no write and no read: $thread', report =>
    inArcade(async arcade => expect(await play(arcade, report)).toEqual([])),
  )
})
