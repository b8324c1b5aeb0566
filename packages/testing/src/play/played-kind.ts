import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'

/** A kind of object that is played, or read for the play. */
export interface PlayedKind {
  readonly kind: string
  readonly apiVersion: string
  /** `/api/v1`, or `/apis/GROUP/VERSION`. */
  readonly root: string
  readonly plural: string
}

const core = { apiVersion: 'v1', root: '/api/v1' }
const apps = { apiVersion: 'apps/v1', root: '/apis/apps/v1' }

export const podKind: PlayedKind = { ...core, kind: 'Pod', plural: 'pods' }
export const claimKind: PlayedKind = { ...core, kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' }
export const replicaSetKind: PlayedKind = { ...apps, kind: 'ReplicaSet', plural: 'replicasets' }
export const deploymentKind: PlayedKind = { ...apps, kind: 'Deployment', plural: 'deployments' }
export const statefulSetKind: PlayedKind = { ...apps, kind: 'StatefulSet', plural: 'statefulsets' }
export const jobKind: PlayedKind = { apiVersion: 'batch/v1', root: '/apis/batch/v1', kind: 'Job', plural: 'jobs' }

/** The namespace, the name and the uid of an object. */
export function identity(object: JsonObject): {
  readonly namespace: string
  readonly name: string
  readonly uid: string
} {
  const metadata = objectAt(object, 'metadata')
  const [namespace = '', name = '', uid = ''] = ['namespace', 'name', 'uid'].map(key => stringAt(metadata, key))
  return { namespace, name, uid }
}

/** The path of a collection in a namespace, or of an object. */
export function pathOf({ root, plural }: PlayedKind, namespace: string, name?: string): string {
  const collection = `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`
}

/** The reference of an object to its controller. */
export function controllerOf(object: JsonObject): JsonObject | undefined {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').find(({ controller }) => controller === true)
}

/** The owner reference that a controller sets on its objects. */
export function controlledBy({ apiVersion, kind }: PlayedKind, owner: JsonObject): JsonObject {
  const { name, uid } = identity(owner)
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Whether an object is being deleted. */
export function isDeleted(object: JsonObject): boolean {
  return stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== undefined
}

/** The number in a field, or its default. */
export function numberAt(parent: JsonObject | undefined, key: string, byDefault: number): number {
  const value = parent?.[key]
  return typeof value === 'number' ? value : byDefault
}
