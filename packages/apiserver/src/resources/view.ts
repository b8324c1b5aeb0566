import type { Version } from '../store/version.ts'
import type { ResourceType } from './resource-type.ts'

/** `version` as an endpoint of `type` shows it. */
export function viewOf(type: ResourceType, version: Version): Version {
  const { schema, storageSchema, conversion } = type
  const view = conversion === undefined ? version : conversion.view(type, version)
  return schema === undefined ? view : schema.view(view, storageSchema ?? schema)
}
