import type { BuiltinResource } from '../generated/builtin-resources.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'

/** The resources without a watch cache on a real server: no bookmarks, and `resourceVersion=0` honours `limit`. */
export const withoutWatchCache: readonly string[] = ['events', 'events.events.k8s.io']

const deprecations: Readonly<Record<string, string>> = {
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  'v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
}

/** Selectable fields that objects do not have. The generator finds only fields of the schema. */
const moreFields: Readonly<Record<string, readonly string[]>> = { 'batch/v1/jobs': ['status.successful'] }

/** The endpoint of a built-in resource. */
export function builtinType(resource: BuiltinResource): ResourceType {
  const { group, version, plural, kind } = resource
  const apiVersion = apiVersionOf(group, version)
  return {
    ...resource,
    apiVersion,
    listKind: resource.listKind ?? `${kind}List`,
    custom: false,
    selectableFields: [...resource.selectableFields, ...(moreFields[`${apiVersion}/${plural}`] ?? [])],
    storageVersion: version,
    hasStatus: resource.hasStatus && resource.subresources.some(({ name }) => name === 'status'),
    deprecation: deprecations[`${apiVersion}/${plural}`],
  }
}
