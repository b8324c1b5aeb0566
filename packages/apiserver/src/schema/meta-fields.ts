import { isObject, type Json, type JsonObject } from '@wherry/cel/internal'
import { metaOrder } from '../objects/stored.ts'

const owner = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']
const manager = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource']

/** The fields of ObjectMeta. For lists of objects, with the fields of their items. */
const metaFields: ReadonlyMap<string, readonly string[] | undefined> = new Map(
  metaOrder.map((name): [string, readonly string[] | undefined] => {
    if (name === 'ownerReferences') return [name, owner]
    return [name, name === 'managedFields' ? manager : undefined]
  }),
)

/** `metadata` without its unknown fields. */
export function knownMeta(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => metaFields.has(key)))
}

/** The paths of unknown fields of metadata. `path` is the path of the metadata. */
export function unknownMeta(metadata: JsonObject, path: string): string[] {
  const unknown: string[] = []
  for (const name of Object.keys(metadata).sort()) {
    if (!metaFields.has(name)) unknown.push(`${path}.${name}`)
    const items = metaFields.get(name)
    const list = metadata[name]
    if (items === undefined || !Array.isArray(list)) continue
    for (const [i, item] of (list as readonly Json[]).entries()) {
      if (!isObject(item)) continue
      const strange = Object.keys(item).filter(key => !items.includes(key))
      for (const key of strange.sort()) unknown.push(`${path}.${name}[${i}].${key}`)
    }
  }
  return unknown
}
