import { pods } from '@wherry/data'
import { configMaps, type DataObject } from '@wherry/data/config-maps'

/** Bytes of a benchmark's ConfigMaps in the mean, and their share of managedFields. */
export const CONFIG_MAP_BYTES = 1930
export const MANAGED_FIELDS_SHARE = 0.18

/** What the API servers under bench are filled with: `count` ConfigMaps, always the same. */
export function fillSource(count: number): Iterable<object> {
  return configMaps({ count, bytes: CONFIG_MAP_BYTES, managedFieldsShare: MANAGED_FIELDS_SHARE, seed: 1 })
}

/** The same ConfigMaps after more managers have written them, so that 40 % of all bytes are managedFields. */
export function* managedSource(count: number): Iterable<object> {
  const size = (value: object): number => JSON.stringify(value).length
  let [owned, all] = [0, 0]
  for (const object of fillSource(count) as Iterable<DataObject>) {
    const managedFields = [...(object.metadata.managedFields ?? [])]
    const [entry] = managedFields
    const managed = { ...object, metadata: { ...object.metadata, managedFields } }
    owned += size(managedFields)
    all += size(managed)
    for (let i = 1; entry !== undefined && owned < 0.4 * all; i++) {
      const more = { ...entry, manager: `controller-${i}` }
      managedFields.push(more)
      owned += size(more) + 1
      all += size(more) + 1
    }
    yield managed
  }
}

/** Pods of a realistic template, 3,500 bytes in the mean. */
export function podSource(count: number): Iterable<object> {
  return pods({ count, seed: 1 })
}

/** For each ConfigMap of {@link fillSource} a Secret of its name, with the same data. */
export function* secretSource(count: number): Iterable<object> {
  for (const { metadata, data } of configMaps({ count, bytes: CONFIG_MAP_BYTES, managedFieldsShare: 0, seed: 1 })) {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
    const { name, namespace } = metadata
    yield { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: Object.fromEntries(encoded) }
  }
}
