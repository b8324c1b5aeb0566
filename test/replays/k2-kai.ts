import { pods } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { ownKind } from './objects/own-kind.ts'
import { inertPod } from './objects/pods.ts'
import type { MemoryReplay } from './replay.ts'

const shards = ownKind<{ readonly partition: string }>('kai.example.com', 'SchedulingShard')
const ours = pods.within({ namespaces: ['kai-scheduler'] })

/** Runs a shard again when a pod of the scheduler changes. */
function watchOurs(operator: Operator): void {
  operator
    .controller('shard')
    .for(shards.view)
    .watches(ours, 'all')
    .reconcile(async ({ read, log }) => {
      log.info({ pods: (await read.list(ours)).length }, 'looked at')
    })
}

const shape = { labels: 8, annotations: 6, containers: 2, annotationLength: 200, environment: 3600 }

export const kai: MemoryReplay = {
  id: 'K2',
  title: 'KAI-Scheduler: pods in other namespaces',
  thread: 'https://github.com/kai-scheduler/KAI-Scheduler/pull/1845',
  story: [
    'A new release watched pods to learn when those of the scheduler fail.',
    'It watched those of all namespaces: memory grew with the cluster.',
    'After a restart all pods came in one list, and memory was greater still.',
    'So an upgrade was killed at its limit of 256 Mi, and again at each start.',
    'The mended operator watches the pods of its own namespace.',
  ],
  inputs: '3,000 inert pending pods of some 9 KB, and some 30 pods of the cluster itself',
  assumed: "the 30 pods are in the operator's namespace",
  theirs: { before: '128 MB after a restart', after: '30 MB' },
  sizes: [3000],
  definitions: [shards.definition],
  own: [
    shards.make('default', { partition: 'all' }),
    ...Array.from({ length: 30 }, (_, i) => inertPod('kai-scheduler', i, shape)),
  ],
  *objects(count) {
    for (let i = 0; i < count; i++) yield inertPod('load', i, shape)
  },
  ways: [
    {
      name: 'own namespace',
      holds: "the 30 pods of the operator's namespace",
      declare: watchOurs,
      bar: { aboveIdleBytes: 6e6 },
      keeps: { objects: 31, receivedBytes: 31 * 9500 },
    },
  ],
  peers: {
    clientNode: ['pods'],
    go: [
      { name: 'before', kinds: ['pods'], keeps: 'whole' },
      { name: 'after', kinds: ['pods'], keeps: 'whole', namespaces: ['kai-scheduler'] },
    ],
  },
}
