import type { JsonObject } from '@wherry/cel/internal'

/** The metadata of an object. */
export interface ObjectMeta extends JsonObject {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
}

/** An owner reference of an object. */
export interface OwnerReference extends JsonObject {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** An object in the form that requests and verbs use: plain JSON with metadata. */
export interface KubeObject extends JsonObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}
