import type { View } from '@wherry/client'
import { pods } from '@wherry/client/resources/core'
import { DynamicViews, type Operator } from '@wherry/controller'
import { pick } from '@wherry/transform-cache'
import { type OwnKind, ownKind } from './objects/own-kind.ts'
import { inertPod } from './objects/pods.ts'
import type { MemoryReplay } from './replay.ts'

/** Scales what it names by the pods that it selects. */
export const scaledObjects: OwnKind<{ readonly podSelector: Readonly<Record<string, string>> }> = ownKind(
  'scaling.example.com',
  'ScaledObject',
)

/** What KEDA reads of a pod, by the pull request. */
const fields = pick('status.phase', 'status.conditions', 'spec.nodeName', 'metadata.labels')
const state = pods.project(fields)
type PodState = typeof state extends View<infer C> ? C : never

/** Watches the pods that a ScaledObject selects, and none while there is no ScaledObject. */
export function watchSelected(operator: Operator): void {
  const watched = new DynamicViews<PodState>('scaled pods')
  const wanted = new Map<string, View<PodState>>()
  operator
    .controller('scaler')
    .for(scaledObjects.view)
    .from(watched, () => undefined)
    .reconcile(async ({ key, object: { spec }, read, log }) => {
      const selected = pods.within({ namespaces: [key.namespace], labels: spec.podSelector }).project(fields)
      wanted.set(`${key.namespace}/${key.name}`, selected)
      await watched.replace(wanted.values())
      log.info({ pods: (await read.list(selected)).length }, 'counted')
    })
    .onGone(async ({ key }) => {
      wanted.delete(`${key.namespace}/${key.name}`)
      await watched.replace(wanted.values())
    })
}

/** Holds of all pods what the mended KEDA holds of them. */
function holdAll(operator: Operator): void {
  operator
    .controller('scaler')
    .for(scaledObjects.view)
    .caches(state)
    .reconcile(async ({ object: { spec }, read, log }) => {
      log.info({ pods: (await read.list(state, { labels: spec.podSelector })).length }, 'counted')
    })
}

const shape = { labels: 92, annotations: 91, containers: 5, annotationLength: 100, environment: 200 }

export const keda: MemoryReplay = {
  id: 'K1',
  title: 'KEDA: pods of others',
  thread: 'https://github.com/kedacore/keda/pull/7748',
  story: [
    'A team loaded a cluster with pods that nothing scales, and no ScaledObject.',
    "The operator's memory grew by 241 KB for each pod, until the system killed it at some 3,000 pods and 1,000 Mi.",
    'Its cache held every pod of the cluster whole, because three places list pods.',
    'They read the phase, the conditions and the node.',
    'The mended operator drops the other fields before they are cached: 23 KB for each pod.',
  ],
  inputs: '0, 100 and 1,000 pods, each with 92 labels, 91 annotations and 5 containers; no ScaledObject',
  assumed:
    'values of 12 characters (labels), 100 (annotations) and 200 (environment): 15 KB for each pod. 10,000 pods are ours',
  theirs: { before: '28, 53, 269 Mi', after: '23, 32, 46 Mi' },
  sizes: [100, 1000, 10_000],
  definitions: [scaledObjects.definition],
  own: [],
  *objects(count) {
    for (let i = 0; i < count; i++) yield inertPod('load', i, shape)
  },
  ways: [
    {
      name: 'selected pods',
      holds: 'the pods that a ScaledObject selects: none',
      declare: watchSelected,
      bar: { aboveIdleBytes: 3e6 },
      keeps: { objects: 0, receivedBytes: 0 },
    },
    {
      name: 'all pods',
      holds: 'phase, conditions, node and labels of all pods',
      declare: holdAll,
      keeps: { objects: 1000, receivedBytes: 17e6 },
    },
  ],
  peers: {
    clientNode: ['pods'],
    go: [
      { name: 'before', kinds: ['pods'], keeps: 'whole' },
      { name: 'after', kinds: ['pods'], keeps: 'phase' },
    ],
  },
}
