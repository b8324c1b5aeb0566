import { configMaps } from '@wherry/client/resources/core'
import type { HourReplay, SubjectStatus } from './harness/hour.ts'

type Condition = NonNullable<SubjectStatus['conditions']>[number]

const probed = (type: string, now: string): Condition => ({
  type,
  status: 'True',
  reason: 'Probed',
  lastProbeTime: now,
})
const changed = (type: string, now: string): Condition => ({
  type,
  status: 'True',
  reason: 'Fine',
  lastTransitionTime: now,
})

/** Statuses that differ in a time alone, so that each write makes the next run. Each reconcile is written as its thread has it. */
export const timestamps: readonly HourReplay[] = [
  {
    id: 'K9',
    title: 'kubeflow/notebooks: a probe time in a condition',
    thread: 'https://github.com/kubeflow/notebooks/issues/1341',
    theirs: 'without an end, with 100 Notebooks',
    objects: 100,
    reconcile: async ({ status }, now) => void (await status({ conditions: [probed('Up', now)] })) as undefined,
  },
  {
    id: 'K9',
    title: 'redpanda-operator: a transition time alone',
    thread: 'https://github.com/redpanda-data/redpanda-operator/pull/1455',
    theirs: 'every 2 s, where 180 s were meant',
    objects: 1,
    looksAgain: true,
    reconcile: async ({ status }, now) => {
      await status({ phase: 'Healthy', conditions: [changed('Healthy', now)] })
      return { requeueAfterMs: 180_000 }
    },
  },
  {
    id: 'K9',
    title: 'strimzi: the same',
    thread: 'https://github.com/strimzi/strimzi-kafka-operator/issues/13079',
    theirs: 'once a second, 550 to 800 m of a processor',
    objects: 1,
    reconcile: async ({ status }, now) => void (await status({ conditions: [changed('Ready', now)] })) as undefined,
  },
  {
    id: 'K9',
    title: 'falco-operator: five agents restamp one status',
    thread: 'https://github.com/falcosecurity/falco-operator/issues/356',
    theirs: 'tens of thousands of runs a minute',
    objects: 1,
    agents: 5,
    reconcile: async ({ status, client }, now) =>
      void (await status({ conditions: [probed(client.fieldManager, now)] })) as undefined,
  },
  {
    id: 'K9',
    title: 'messaging-topology-operator: times to the second',
    thread: 'https://github.com/rabbitmq/messaging-topology-operator/pull/251',
    theirs: 'without an end, with more than 100 objects',
    objects: 120,
    reconcile: async ({ status }, now) =>
      void (await status({ lastProbeTime: now.replace(/\.\d+/, ''), phase: 'Ready' })) as undefined,
  },
  {
    id: 'K9',
    title: 'console-operator: one object, read at each run',
    thread: 'https://github.com/openshift/console-operator/pull/843',
    theirs: '9,534 GETs in 46 minutes',
    objects: 1,
    looksAgain: true,
    reconcile: async ({ read, status }) => {
      const found = await read.get(configMaps, { namespace: 'default', name: 'console' })
      await status({ phase: found?.data?.phase ?? 'none' })
      return { requeueAfterMs: 290 }
    },
  },
]
