import type { KubeObject, ManagedFieldsEntry } from './object.ts'

/** Metadata that no manager owns: the server writes them, or they name the object. */
const UNOWNED = new Set([
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'generation',
  'resourceVersion',
  'managedFields',
])

type Fields = Record<string, unknown>

/**
 * The managedFields entry that an API server makes for a client that wrote `object` whole: every field an
 * `f:` key, maps with a `.` of their own, lists as one field (as custom resources without list types have them).
 * `only` names the top-level fields that the manager wrote; default: all but `status`.
 */
export function managedFieldsOf(
  object: KubeObject,
  manager: string,
  options: { readonly only?: readonly string[] | undefined; readonly subresource?: string | undefined } = {},
): ManagedFieldsEntry {
  const fieldsV1: Fields = {}
  for (const [field, value] of Object.entries(object)) {
    if (field === 'apiVersion' || field === 'kind') continue
    if (options.only ? !options.only.includes(field) : field === 'status') continue
    if (field === 'metadata') {
      const owned = Object.entries(value as Fields).filter(([name]) => !UNOWNED.has(name))
      if (owned.length > 0) {
        fieldsV1['f:metadata'] = Object.fromEntries(owned.map(([name, inner]) => [`f:${name}`, fieldsOf(inner)]))
      }
    } else {
      fieldsV1[`f:${field}`] = fieldsOf(value)
    }
  }
  return {
    manager,
    operation: 'Update',
    apiVersion: object.apiVersion,
    time: object.metadata.creationTimestamp ?? '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
  }
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const fields: Fields = { '.': {} }
  for (const [name, inner] of Object.entries(value)) fields[`f:${name}`] = fieldsOf(inner)
  return fields
}
