import type { Client, KubernetesObject, ObjectKey, View } from '@wherry/client'
import { readByName } from '../objects/read-by-name.ts'
import { type FieldsV1, union } from './fields-v1.ts'

/**
 * Moves the fields that `managers` own, by an update or by an apply, to those that `manager` applies, so that an apply can remove them.
 * Otherwise the object keeps those fields, whatever is applied later. It sends one JSON patch, which the server accepts only for the state that was read.
 *
 * @see https://github.com/kubernetes/client-go/blob/master/util/csaupgrade/upgrade.go
 */
export async function migrateManagedFields(
  client: Client,
  view: View<KubernetesObject>,
  key: ObjectKey,
  about: {
    /** The object's uid. Another object that has taken the name is not changed. */
    readonly uid: string | undefined
    readonly manager: string
    readonly managers: readonly string[]
    readonly subresource: '' | 'status'
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { manager, managers, signal } = about
  const live = await readByName(client, view, key, { signal })
  const { uid, managedFields = [], resourceVersion } = live?.metadata ?? {}
  if (uid !== about.uid) return
  const isFormer = ({ manager: by = '', subresource = '' }: (typeof managedFields)[number]): boolean =>
    subresource === about.subresource && managers.includes(by)
  const former = managedFields.filter(isFormer)
  const [first] = former
  if (first === undefined) return
  const fieldsV1 = union(former.map(one => (one.fieldsV1 ?? {}) as FieldsV1))
  const folded = { ...first, manager, operation: 'Apply', fieldsV1 }
  const value = [folded, ...managedFields.filter(one => !isFormer(one))]
  // A subresource accepts no changes of managed fields, not even of its own entries.
  await client.patch(
    view,
    key,
    [
      { op: 'replace', path: '/metadata/managedFields', value },
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ],
    { signal },
  )
}
