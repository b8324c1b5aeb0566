import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { apiVersionOf, type Column, type ResourceType, type ScalePaths, type Subresource } from './resource-type.ts'

/** One version of a CustomResourceDefinition, read. */
export interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
}

/** The versions that a definition lists. */
export function versionsOf(definition: KubeObject): (DefinedVersion & { readonly raw: JsonObject })[] {
  const versions = objectAt(definition, 'spec')?.versions
  if (!Array.isArray(versions)) return []
  return (versions as Json[]).filter(isObject).map(raw => ({
    name: stringAt(raw, 'name') ?? '',
    served: own(raw, 'served') === true,
    storage: own(raw, 'storage') === true,
    raw,
  }))
}

/** Fills in what a definition may leave out: singular and list kind, scope's conversion. */
export function completeDefinition(definition: KubeObject): void {
  const spec = { ...objectAt(definition, 'spec') }
  const names = { ...objectAt(spec, 'names') }
  const kind = stringAt(names, 'kind') ?? ''
  names.singular ??= kind.toLowerCase()
  names.listKind ??= `${kind}List`
  spec.names = names
  spec.conversion ??= { strategy: 'None' }
  definition.spec = spec
}

/** Refuses a definition that can't be served, with the server's causes. */
export function validateDefinition(definition: KubeObject, old: KubeObject | undefined): void {
  const spec = objectAt(definition, 'spec') ?? {}
  const names = objectAt(spec, 'names') ?? {}
  const causes: StatusCause[] = []
  const required = (field: string): void => {
    causes.push({ reason: 'FieldValueRequired', message: 'Required value', field })
  }
  const invalid = (field: string, value: Json, why: string): void => {
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field })
  }
  const { name = '' } = definition.metadata
  for (const field of ['plural', 'kind'] as const) if (!stringAt(names, field)) required(`spec.names.${field}`)
  if (!stringAt(spec, 'group')) required('spec.group')
  const expected = `${stringAt(names, 'plural')}.${stringAt(spec, 'group')}`
  if (causes.length === 0 && name !== expected)
    invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')
  const scope = stringAt(spec, 'scope')
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    if (scope === undefined) required('spec.scope')
    else {
      causes.push({
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`,
        field: 'spec.scope',
      })
    }
  }
  const versions = versionsOf(definition)
  if (versions.filter(version => version.storage).length !== 1) {
    invalid(
      'spec.versions',
      versions.map(version => version.name),
      'must have exactly one version marked as storage version',
    )
  }
  versions.forEach((version, i) => {
    if (objectAt(objectAt(version.raw, 'schema'), 'openAPIV3Schema') === undefined) {
      causes.push({
        reason: 'FieldValueRequired',
        message: 'Required value: schemas are required',
        field: `spec.versions[${i}].schema.openAPIV3Schema`,
      })
    }
  })
  const stored = objectAt(definition, 'status')?.storedVersions
  if (Array.isArray(stored)) {
    stored.forEach((version, i) => {
      if (versions.some(one => one.name === version)) return
      invalid(
        `status.storedVersions[${i}]`,
        version as Json,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      )
    })
  }
  if (old !== undefined) {
    for (const field of ['group', 'scope'] as const) {
      const before = stringAt(objectAt(old, 'spec'), field)
      const now = stringAt(spec, field)
      if (before !== now) invalid(`spec.${field}`, now ?? '', 'field is immutable')
    }
  }
  if (causes.length > 0) {
    throw StatusError.invalid(
      { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' },
      name,
      causes,
    )
  }
}

/** What is served for a definition: one resource for each served version. */
export function typesOf(definition: KubeObject): ResourceType[] {
  const spec = objectAt(definition, 'spec') ?? {}
  const names = objectAt(spec, 'names') ?? {}
  const group = stringAt(spec, 'group') ?? ''
  const versions = versionsOf(definition)
  const storageVersion = versions.find(version => version.storage)?.name ?? ''
  const kind = stringAt(names, 'kind') ?? ''
  return versions
    .filter(version => version.served)
    .map(({ name: version, raw }): ResourceType => {
      const subresources = objectAt(raw, 'subresources') ?? {}
      const hasStatus = own(subresources, 'status') !== undefined
      const scale = scaleOf(objectAt(subresources, 'scale'))
      return {
        group,
        version,
        apiVersion: apiVersionOf(group, version),
        kind,
        listKind: stringAt(names, 'listKind') ?? `${kind}List`,
        plural: stringAt(names, 'plural') ?? '',
        singular: stringAt(names, 'singular') ?? '',
        shortNames: strings(own(names, 'shortNames')),
        categories: strings(own(names, 'categories')),
        namespaced: stringAt(spec, 'scope') === 'Namespaced',
        custom: true,
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        subresources: subresourcesOf(kind, hasStatus, scale !== undefined),
        storageVersion,
        hasStatus,
        hasGeneration: true,
        scale,
        columns: columnsOf(own(raw, 'additionalPrinterColumns')),
        selectableFields: selectableOf(own(raw, 'selectableFields')),
        deprecation: own(raw, 'deprecated') === true ? deprecationOf(raw, group, version, kind) : undefined,
      }
    })
}

function subresourcesOf(kind: string, status: boolean, scale: boolean): Subresource[] {
  const verbs = ['get', 'patch', 'update']
  const list: Subresource[] = []
  if (status) list.push({ name: 'status', kind, verbs })
  if (scale) list.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs })
  return list
}

function scaleOf(scale: JsonObject | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined
  return {
    specReplicas: stringAt(scale, 'specReplicasPath') ?? '.spec.replicas',
    statusReplicas: stringAt(scale, 'statusReplicasPath') ?? '.status.replicas',
    labelSelector: stringAt(scale, 'labelSelectorPath'),
  }
}

function columnsOf(value: Json | undefined): Column[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return (value as Json[]).filter(isObject).map(column => ({
    name: stringAt(column, 'name') ?? '',
    type: stringAt(column, 'type') ?? 'string',
    format: stringAt(column, 'format') ?? '',
    priority: Number(own(column, 'priority') ?? 0),
    description: stringAt(column, 'description') ?? '',
    path: stringAt(column, 'jsonPath') ?? '',
  }))
}

function selectableOf(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return []
  return (value as Json[]).filter(isObject).map(field => (stringAt(field, 'jsonPath') ?? '').replace(/^\./, ''))
}

function deprecationOf(raw: JsonObject, group: string, version: string, kind: string): string {
  return stringAt(raw, 'deprecationWarning') ?? `${group}/${version} ${kind} is deprecated`
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? (value as Json[]).filter(item => typeof item === 'string') : []
}

/** The answer while a custom resource's storage is being rebuilt. */
export function reinitialising(retryAfter: number): StatusError {
  return new StatusError(429, 'TooManyRequests', 'storage is (re)initializing', {
    details: { retryAfterSeconds: retryAfter },
    headers: { 'retry-after': String(retryAfter) },
  })
}
