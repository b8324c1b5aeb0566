import {
  ApiError,
  FieldSelector,
  type KubernetesObject,
  keyText,
  LabelSelector,
  type ObjectKey,
  objectPath,
  resourceName,
  type View,
} from '@wherry/client'
import { metadataOf } from '../objects/metadata-view.ts'

/** Whether an object may be there that the view does not select. */
export function isSelective({ labels, fields }: View): boolean {
  return labels.text !== '' || fields.text !== ''
}

/** The metadata of what a view would select without its labels and fields. */
export function unselected({ resource, namespaces }: View): View<KubernetesObject> {
  const everything = { labels: LabelSelector.everything, fields: FieldSelector.everything }
  return metadataOf({ resource, namespaces, ...everything } as View) as View<KubernetesObject>
}

/** That an object of that name is there: as a server refuses to create it. */
export function alreadyExists({ resource }: View, key: ObjectKey, { metadata }: KubernetesObject): ApiError {
  const { group, plural } = resource
  const message = `${group === '' ? plural : `${plural}.${group}`} "${key.name}" already exists`
  const details = { name: key.name, group, kind: plural, uid: metadata?.uid }
  const about = { path: objectPath(resource, key), resource: resourceName(resource), key: keyText(key) }
  return new ApiError({ status: 409, reason: 'AlreadyExists', message, details }, { ...about, method: 'PATCH' })
}
