import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { isTrue } from './conditions.ts'
import { controlledBy, identity, isDeleted, numberAt, type PlayedKind, podKind, replicaSetKind } from './played-kind.ts'
import { isEnded } from './pods.ts'
import type { Part, Scene } from './scene.ts'

/** The controller of ReplicaSets: keeps the wanted number of Pods. */
export const replicaSetPart: Part = async (scene, set, key) => {
  if (isDeleted(set)) return
  const { namespace, name } = identity(set)
  const spec = objectAt(set, 'spec')
  const active = scene.owned(podKind, set).filter(pod => !isDeleted(pod) && !isEnded(pod))
  const excess = active.length - numberAt(spec, 'replicas', 1)
  const pod = podOf(replicaSetKind, set, { generateName: `${name}-` })
  await scene.createAll(podKind, namespace, Array<JsonObject>(Math.max(0, -excess)).fill(pod))
  for (const one of [...active].sort(lessNeeded).slice(0, Math.max(0, excess))) await scene.delete(podKind, one)
  if (excess !== 0) return
  const available = active.filter(one => isAvailable(scene, one, numberAt(spec, 'minReadySeconds', 0), set, key))
  await scene.status(replicaSetKind, set, {
    ...without(objectAt(set, 'status'), ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
    replicas: active.length,
    ...counts({
      fullyLabeledReplicas: active.length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: available.length,
    }),
    observedGeneration: objectAt(set, 'metadata')?.generation ?? 0,
  })
}

/** A Pod from the template of its controller. */
export function podOf(kind: PlayedKind, owner: JsonObject, metadata: JsonObject): JsonObject {
  const template = objectAt(objectAt(owner, 'spec'), 'template')
  const given = objectAt(template, 'metadata')
  const labels = { ...objectAt(given, 'labels'), ...objectAt(metadata, 'labels') }
  const annotations = { ...objectAt(given, 'annotations'), ...objectAt(metadata, 'annotations') }
  const finalizers = given?.finalizers
  return {
    metadata: {
      ...metadata,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
      ownerReferences: [controlledBy(kind, owner)],
    },
    spec: objectAt(template, 'spec') ?? {},
  }
}

export function isReady(pod: JsonObject): boolean {
  return isTrue(pod, 'Ready')
}

/** Whether a Pod has been ready for `seconds`. If not, its ReplicaSet is played again once it has. */
function isAvailable(scene: Scene, pod: JsonObject, seconds: number, set: JsonObject, key: string): boolean {
  if (!isReady(pod)) return false
  const since = stringAt(
    objectsAt(objectAt(pod, 'status'), 'conditions').find(one => one.type === 'Ready'),
    'lastTransitionTime',
  )
  return scene.isDue(pod, `available for ${identity(set).uid} since ${since}`, seconds * 1000, replicaSetKind, key)
}

/** Orders Pods for their deletion: Pods that are not ready first, then younger Pods. */
function lessNeeded(one: JsonObject, other: JsonObject): number {
  const created = (pod: JsonObject): string => stringAt(objectAt(pod, 'metadata'), 'creationTimestamp') ?? ''
  return (
    Number(isReady(one)) - Number(isReady(other)) ||
    (created(other) < created(one) ? -1 : created(other) > created(one) ? 1 : 0)
  )
}

/** The counts that are not 0, because the API leaves out a count of 0. */
export function counts(all: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0))
}

/** An object without some fields. */
export function without(object: JsonObject | undefined, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([field]) => !fields.includes(field)))
}
