import { createHash } from 'node:crypto'
import {
  addAll,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  sameJson,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { completeConversion } from '../conversion/conversion.ts'
import type { KubeObject } from '../objects/object.ts'
import {
  apiVersionOf,
  type Column,
  type ResourceType,
  type ScalePaths,
  type Subresource,
} from '../resources/resource-type.ts'
import { schemaOf, schemaProblems } from '../schema/definition-schemas.ts'
import { ResourceSchema } from '../schema/resource-schema.ts'
import { withoutNulls } from '../schema/without-nulls.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { conversionProblems } from './conversion-problems.ts'
import { approvalProblems, columnProblems, scaleProblems, selectableProblems } from './definition-problems.ts'

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

/** Fills in the optional fields of a definition (its singular, its list kind and its conversion), and drops the nulls in its schemas. */
export function completeDefinition(definition: KubeObject): void {
  const spec = { ...objectAt(definition, 'spec') }
  const names = { ...objectAt(spec, 'names') }
  const kind = stringAt(names, 'kind') ?? ''
  if (kind !== '') {
    names.singular ??= kind.toLowerCase()
    names.listKind ??= `${kind}List`
  }
  spec.names = names
  spec.conversion ??= { strategy: 'None' }
  completeConversion(spec)
  if (Array.isArray(spec.versions)) spec.versions = spec.versions.map(readVersion)
  definition.spec = spec
}

function readVersion(version: Json): Json {
  const schema = isObject(version) ? objectAt(version, 'schema') : undefined
  const root = objectAt(schema, 'openAPIV3Schema')
  if (!isObject(version) || root === undefined) return version
  return { ...version, schema: { ...schema, openAPIV3Schema: withoutNulls(root) } }
}

/** Refuses an invalid definition, with the server's causes. */
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
  const group = stringAt(spec, 'group') ?? ''
  const plural = stringAt(names, 'plural') ?? ''
  if (old === undefined && name !== `${plural}.${group}`) {
    invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')
  }
  if (group === '') required('spec.group')
  else for (const why of subdomainProblems(group)) invalid('spec.group', group, why)
  const scope = stringAt(spec, 'scope')
  if (scope === undefined) required('spec.scope')
  else if (scope !== 'Namespaced' && scope !== 'Cluster') {
    const message = `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`
    causes.push({ reason: 'FieldValueNotSupported', message, field: 'spec.scope' })
  }
  versionProblems(definition, causes, invalid, required)
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const value = stringAt(names, field) ?? ''
    if (value === '') required(`spec.names.${field}`)
    else for (const why of dns1035Problems(value, field)) invalid(`spec.names.${field}`, value, why)
  }
  const listKind = stringAt(names, 'listKind') ?? ''
  if (listKind !== '' && listKind === stringAt(names, 'kind')) {
    invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same')
  }
  for (const field of ['shortNames', 'categories'] as const)
    for (const [i, value] of strings(own(names, field)).entries())
      for (const why of dns1035Problems(value, field)) invalid(`spec.names.${field}[${i}]`, value, why)
  if (old === undefined || !sameJson(old.spec, definition.spec)) storedProblems(definition, invalid)
  if (old !== undefined) {
    const immutable = (field: string, before: JsonObject | undefined, now: JsonObject, key: string): void => {
      if (stringAt(before, key) !== stringAt(now, key)) invalid(field, stringAt(now, key) ?? '', 'field is immutable')
    }
    const was = objectAt(old, 'spec')
    immutable('spec.group', was, spec, 'group')
    if (isEstablished(old)) {
      immutable('spec.scope', was, spec, 'scope')
      immutable('spec.names.kind', objectAt(was, 'names'), names, 'kind')
    }
    immutable('spec.names.plural', objectAt(was, 'names'), names, 'plural')
  }
  addAll(causes, [
    ...approvalProblems(definition, old),
    ...conversionProblems(spec),
    ...schemaProblems(definition, old),
  ])
  if (causes.length > 0) {
    throw StatusError.invalid(
      { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' },
      name,
      causes,
    )
  }
}

type Invalid = (field: string, value: Json, why: string) => void

function versionProblems(
  definition: KubeObject,
  causes: StatusCause[],
  invalid: Invalid,
  required: (field: string) => void,
): void {
  const versions = versionsOf(definition)
  const given = objectAt(definition, 'spec')?.versions
  versions.forEach(({ name, raw }, i) => {
    const at = `spec.versions[${i}]`
    for (const why of dns1035Problems(name, 'name')) invalid(`${at}.name`, name, why)
    // The server's own type keeps values that are the same in all versions outside the versions.
    const held = versions.length === 1 ? 'spec' : at
    addAll(causes, [...columnProblems(raw, held), ...scaleProblems(raw, held), ...selectableProblems(raw, held)])
    if (objectAt(objectAt(raw, 'schema'), 'openAPIV3Schema') === undefined) required(`${at}.schema.openAPIV3Schema`)
  })
  const shown = Array.isArray(given) ? versions.map(asGo) : null
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    invalid('spec.versions', shown, 'must contain unique version names')
  }
  if (versions.filter(version => version.storage).length !== 1) {
    invalid('spec.versions', shown, 'must have exactly one version marked as storage version')
  }
  // The server's own type repeats the name of the first version.
  const first = versions[0]?.name ?? ''
  if (first !== '') for (const why of dns1035Problems(first, 'name')) invalid('spec.version', first, why)
}

/** A version as the server's type prints it, without the values that the type keeps outside the versions. */
function asGo({ name, served, storage, raw }: ReturnType<typeof versionsOf>[number]): JsonObject {
  const head = { Name: name, Served: served, Storage: storage, Deprecated: own(raw, 'deprecated') === true }
  const warning = { DeprecationWarning: stringAt(raw, 'deprecationWarning') ?? null }
  return {
    ...head,
    ...warning,
    ...{ Schema: null, Subresources: null, AdditionalPrinterColumns: null, SelectableFields: null },
  }
}

function storedProblems(definition: KubeObject, invalid: Invalid): void {
  const versions = versionsOf(definition)
  const value = objectAt(definition, 'status')?.storedVersions
  const stored = Array.isArray(value) ? (value as Json[]) : []
  if (stored.length === 0) return invalid('status.storedVersions', null, 'must have at least one stored version')
  const left = new Map(stored.map((version, i) => [version, i]))
  for (const { name, storage } of versions) {
    if (storage && !left.has(name)) invalid('status.storedVersions', stored, `must have the storage version ${name}`)
    left.delete(name)
  }
  for (const [version, i] of left) {
    const why = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
    invalid(`status.storedVersions[${i}]`, version, why)
  }
}

/** The problems of a name that must be a DNS-1035 label. Kinds are checked in lower case. */
function dns1035Problems(text: string, field: string): string[] {
  const looked = field === 'kind' || field === 'listKind' ? text.toLowerCase() : text
  return [
    ...(looked.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(looked)
      ? []
      : [
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ]),
  ]
}

/** The resources of a definition: one for each served version. */
export function typesOf(definition: KubeObject): ResourceType[] {
  const spec = objectAt(definition, 'spec') ?? {}
  // A list kind or a short name of another definition is not served.
  const asked = objectAt(spec, 'names') ?? {}
  const accepted = objectAt(objectAt(definition, 'status'), 'acceptedNames')
  const names = stringAt(accepted, 'kind') ? (accepted ?? asked) : asked
  const group = stringAt(spec, 'group') ?? ''
  const versions = versionsOf(definition)
  const storageVersion = versions.find(version => version.storage)?.name ?? ''
  const kind = stringAt(names, 'kind') ?? ''
  const schemas = new Map(
    versions.map(({ name, raw }) => {
      const schema = schemaOf(raw)
      return [name, schema === undefined ? undefined : new ResourceSchema(schema)]
    }),
  )
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
        storageVersionHash: storageVersionHash(group, storageVersion, kind),
        hasStatus,
        updateNeedsResourceVersion: true,
        hasGeneration: true,
        scale,
        columns: columnsOf(own(raw, 'additionalPrinterColumns')),
        selectableFields: selectableOf(own(raw, 'selectableFields')),
        schema: schemas.get(version),
        storageSchema: schemas.get(storageVersion),
        deprecation: own(raw, 'deprecated') === true ? deprecationOf(raw, group, version, kind) : undefined,
      }
    })
}

/** The hash by which discovery names the version and kind of stored objects: its first bytes, in base64. */
function storageVersionHash(group: string, version: string, kind: string): string {
  const hash = createHash('sha256').update(`${group}/${version}/${kind}`).digest()
  return hash.subarray(0, 8).toString('base64')
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
    description:
      stringAt(column, 'description') ||
      `Custom resource definition column (in JSONPath format): ${stringAt(column, 'jsonPath') ?? ''}`,
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

/** Whether a definition once had all its names, and is served since then. */
export function isEstablished(definition: KubeObject): boolean {
  return objectsAt(objectAt(definition, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Established' && status === 'True',
  )
}
