import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { PlayError } from './error.ts'
import { claimKind, identity, isDeleted, numberAt, podKind, statefulSetKind } from './played-kind.ts'
import { isEnded } from './pods.ts'
import { counts, isReady, podOf, without } from './replica-sets.ts'
import type { Part, Scene } from './scene.ts'
import { templateHash } from './template-hash.ts'

const revisionLabel = 'controller-revision-hash'

/** The controller of StatefulSets: Pods with numbers, one after the other, each with its claims. */
export const statefulSetPart: Part = async (scene, set, key) => {
  if (isDeleted(set)) return
  const spec = objectAt(set, 'spec')
  const { name } = identity(set)
  const pods = new Map(scene.owned(podKind, set).map(pod => [identity(pod).name, pod]))
  const first = numberAt(objectAt(spec, 'ordinals'), 'start', 0)
  const last = first + numberAt(spec, 'replicas', 1) - 1
  const revision = `${name}-${templateHash(set)}`
  if (!(await fill(scene, set, pods, { first, last, revision, key })))
    await update(scene, set, pods, first, last, revision)
  await writeStatus(scene, set, [...pods.values()], { replicas: last - first + 1, revision })
}

interface Ordinals {
  readonly first: number
  readonly last: number
  readonly revision: string
  readonly key: string
}

/** Makes missing Pods, and deletes surplus Pods. Returns true if there was something to do. */
async function fill(
  scene: Scene,
  set: JsonObject,
  pods: ReadonlyMap<string, JsonObject>,
  { first, last, revision, key }: Ordinals,
): Promise<boolean> {
  const { name } = identity(set)
  const isOrdered = stringAt(objectAt(set, 'spec'), 'podManagementPolicy') !== 'Parallel'
  let isBusy = false
  for (let ordinal = first; ordinal <= last; ordinal++) {
    const pod = pods.get(`${name}-${ordinal}`)
    if (pod !== undefined && !isDeleted(pod) && !isEnded(pod) && isReady(pod)) continue
    isBusy = true
    if (pod === undefined) await createPod(scene, set, ordinal, revision, key)
    else if (isEnded(pod) && !isDeleted(pod)) await scene.delete(podKind, pod)
    if (isOrdered) return true
  }
  const tooMany = [...pods.values()]
    .filter(pod => ordinalOf(pod) < first || ordinalOf(pod) > last)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a))
  for (const pod of tooMany) {
    if (!isDeleted(pod)) await scene.delete(podKind, pod)
    if (isOrdered) return true
  }
  return isBusy || tooMany.length > 0
}

/** Deletes the last Pod of an older template. */
async function update(
  scene: Scene,
  set: JsonObject,
  pods: ReadonlyMap<string, JsonObject>,
  first: number,
  last: number,
  revision: string,
): Promise<void> {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy')
  if (stringAt(strategy, 'type') === 'OnDelete') return
  const { name } = identity(set)
  const partition = Math.max(first, numberAt(objectAt(strategy, 'rollingUpdate'), 'partition', 0))
  for (let ordinal = last; ordinal >= partition; ordinal--) {
    const pod = pods.get(`${name}-${ordinal}`)
    if (pod === undefined || labelsOf(pod)?.[revisionLabel] === revision) continue
    return scene.delete(podKind, pod)
  }
}

async function createPod(scene: Scene, set: JsonObject, ordinal: number, revision: string, key: string): Promise<void> {
  const { name, namespace } = identity(set)
  const spec = objectAt(set, 'spec')
  const pod = `${name}-${ordinal}`
  const volumes: JsonObject[] = []
  for (const template of objectsAt(spec, 'volumeClaimTemplates')) {
    const volume = stringAt(objectAt(template, 'metadata'), 'name') ?? ''
    const claim = `${volume}-${pod}`
    volumes.push({ name: volume, persistentVolumeClaim: { claimName: claim } })
    if (scene.get(claimKind, namespace, claim) !== undefined) continue
    const labels = { ...labelsOf(template), ...objectAt(objectAt(spec, 'selector'), 'matchLabels') }
    const metadata = { ...without(objectAt(template, 'metadata'), ['creationTimestamp']), name: claim, labels }
    await scene.create(claimKind, namespace, { metadata, spec: objectAt(template, 'spec') ?? {} })
  }
  const labels = {
    [revisionLabel]: revision,
    'statefulset.kubernetes.io/pod-name': pod,
    'apps.kubernetes.io/pod-index': `${ordinal}`,
  }
  const made = podOf(statefulSetKind, set, { name: pod, labels })
  const podSpec = objectAt(made, 'spec')
  const replaced = new Set(volumes.map(one => one.name))
  const others = objectsAt(podSpec, 'volumes').filter(one => !replaced.has(one.name))
  const subdomain = stringAt(spec, 'serviceName')
  const other = scene.get(podKind, namespace, pod)
  if (other !== undefined) {
    scene.wakeWhen({ kind: podKind, key: `${namespace}/${pod}` }, statefulSetKind, key)
    throw new PlayError(`StatefulSet ${key}`, `the Pod ${pod} is there and is not its own`)
  }
  await scene.create(podKind, namespace, {
    ...made,
    spec: {
      ...podSpec,
      hostname: pod,
      ...(subdomain && { subdomain }),
      ...(volumes.length + others.length > 0 && { volumes: [...volumes, ...others] }),
    },
  })
}

async function writeStatus(
  scene: Scene,
  set: JsonObject,
  pods: readonly JsonObject[],
  { replicas, revision }: { readonly replicas: number; readonly revision: string },
): Promise<void> {
  const old = objectAt(set, 'status')
  const active = pods.filter(pod => !isDeleted(pod) && !isEnded(pod))
  const ofRevision = (one: unknown): number => active.filter(pod => labelsOf(pod)?.[revisionLabel] === one).length
  const before = stringAt(old, 'currentRevision') ?? revision
  const ready = active.filter(isReady).length
  const updated = ofRevision(revision)
  const isDone = updated === replicas && active.length === replicas && ready === replicas
  const current = isDone ? revision : before
  await scene.status(statefulSetKind, set, {
    ...without(old, ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']),
    replicas: active.length,
    ...counts({ readyReplicas: ready, currentReplicas: ofRevision(current), updatedReplicas: updated }),
    availableReplicas: ready,
    ...{ currentRevision: current, updateRevision: revision, collisionCount: 0 },
    observedGeneration: objectAt(set, 'metadata')?.generation ?? 0,
  })
}

function labelsOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'metadata'), 'labels')
}

function ordinalOf(pod: JsonObject): number {
  return Number(identity(pod).name.split('-').at(-1))
}
