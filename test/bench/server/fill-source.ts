import { pods } from '@wherry/data'
import { configMaps } from '@wherry/data/config-maps'

/** Bytes of a benchmark's ConfigMaps in the mean, and their share of managedFields. */
export const CONFIG_MAP_BYTES = 1930
export const MANAGED_FIELDS_SHARE = 0.18

/** What the API servers under bench are filled with: `count` ConfigMaps, always the same. */
export function fillSource(count: number): Iterable<object> {
  return configMaps({ count, bytes: CONFIG_MAP_BYTES, managedFieldsShare: MANAGED_FIELDS_SHARE, seed: 1 })
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
