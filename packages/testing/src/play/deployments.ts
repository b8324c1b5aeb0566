import { type JsonObject, objectAt, stringAt } from '@wherry/cel/internal'
import { type Condition, withConditions } from './conditions.ts'
import { controlledBy, deploymentKind, identity, isDeleted, numberAt, podKind, replicaSetKind } from './played-kind.ts'
import { counts, without } from './replica-sets.ts'
import { availableOf, type Rollout, rolloutOf, wantedReplicas } from './rollout.ts'
import type { Part, Scene } from './scene.ts'
import { templateHash } from './template-hash.ts'

const hashLabel = 'pod-template-hash'
const revisionAnnotation = 'deployment.kubernetes.io/revision'

/** The controller of Deployments: a ReplicaSet for each template, and a rollout from the old ReplicaSets to the new one. */
export const deploymentPart: Part = async (scene, deployment, key) => {
  if (isDeleted(deployment)) return
  const rollout = rolloutOf(
    deployment,
    scene.owned(replicaSetKind, deployment).filter(one => !isDeleted(one)),
    nameOfNew(deployment),
  )
  const isPaused = objectAt(deployment, 'spec')?.paused === true
  if (rollout.current === undefined && !isPaused) return createSet(scene, deployment, rollout)
  const revision = revisionOf(rollout.current)
  if (rollout.current !== undefined && revision !== revisionOf(deployment)) {
    const metadata = objectAt(deployment, 'metadata')
    const annotations = { ...objectAt(metadata, 'annotations'), [revisionAnnotation]: `${revision}` }
    return scene.update(deploymentKind, { ...deployment, metadata: { ...metadata, annotations } })
  }
  const hasOldPods = (): boolean =>
    rollout.old.some(
      set => scene.owned(podKind, set).length > 0 || numberAt(objectAt(set, 'status'), 'replicas', 0) > 0,
    )
  for (const [set, replicas] of wantedReplicas(rollout, { isPaused, hasOldPods })) {
    if (numberAt(objectAt(set, 'spec'), 'replicas', 1) === replicas) continue
    await scene.update(replicaSetKind, { ...set, spec: { ...objectAt(set, 'spec'), replicas } })
  }
  await writeStatus(scene, deployment, rollout, key)
}

function nameOfNew(deployment: JsonObject): string {
  return `${identity(deployment).name}-${templateHash(deployment)}`
}

function revisionOf(object: JsonObject | undefined): number {
  return Number(stringAt(objectAt(objectAt(object, 'metadata'), 'annotations'), revisionAnnotation) ?? 0)
}

async function createSet(scene: Scene, deployment: JsonObject, { old }: Rollout): Promise<void> {
  const { namespace } = identity(deployment)
  const spec = objectAt(deployment, 'spec')
  const template = objectAt(spec, 'template')
  const hash = { [hashLabel]: templateHash(deployment) }
  const selector = objectAt(spec, 'selector')
  const labels = { ...objectAt(objectAt(template, 'metadata'), 'labels'), ...hash }
  await scene.create(replicaSetKind, namespace, {
    metadata: {
      name: nameOfNew(deployment),
      labels,
      annotations: { [revisionAnnotation]: `${Math.max(0, ...old.map(revisionOf)) + 1}` },
      ownerReferences: [controlledBy(deploymentKind, deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...objectAt(selector, 'matchLabels'), ...hash } },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
      ...(spec?.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
    },
  })
}

async function writeStatus(scene: Scene, deployment: JsonObject, rollout: Rollout, key: string): Promise<void> {
  const { all, current, replicas, maxUnavailable } = rollout
  const sum = (field: string): number =>
    all.reduce((soFar, set) => soFar + numberAt(objectAt(set, 'status'), field, 0), 0)
  const total = sum('replicas')
  const available = availableOf(all)
  const updated = numberAt(objectAt(current, 'status'), 'replicas', 0)
  const isEnough = available >= replicas - maxUnavailable
  const figures = { replicas: total, updatedReplicas: updated, readyReplicas: sum('readyReplicas') }
  const isDone = updated === replicas && total === replicas && available === replicas
  const seconds = numberAt(objectAt(deployment, 'spec'), 'progressDeadlineSeconds', 600)
  const step = `progress ${JSON.stringify([rollout.name, figures, available])}`
  const isLate = !isDone && scene.isDue(deployment, step, seconds * 1000, deploymentKind, key)
  const set = `ReplicaSet "${identity(current ?? deployment).name}"`
  const progressing: Condition = isDone
    ? said('Progressing', 'True', 'NewReplicaSetAvailable', `${set} has successfully progressed.`)
    : isLate
      ? said('Progressing', 'False', 'ProgressDeadlineExceeded', `${set} has timed out progressing.`)
      : said('Progressing', 'True', 'ReplicaSetUpdated', `${set} is progressing.`)
  const conditions: readonly Condition[] = [
    isEnough
      ? said('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : said('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'),
    ...(current === undefined ? [] : [progressing]),
  ]
  const unavailableReplicas = Math.max(0, Math.max(replicas, total) - available)
  await scene.status(deploymentKind, deployment, {
    ...without(objectAt(deployment, 'status'), [...Object.keys(figures), 'availableReplicas', 'unavailableReplicas']),
    ...counts({ ...figures, availableReplicas: available, unavailableReplicas }),
    observedGeneration: objectAt(deployment, 'metadata')?.generation ?? 0,
    conditions: withConditions(deployment, conditions, scene.now(), ['lastUpdateTime']),
  })
}

function said(type: string, status: Condition['status'], reason: string, message: string): Condition {
  return { type, status, reason, message }
}
