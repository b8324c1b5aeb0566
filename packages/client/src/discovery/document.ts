import { ApiError } from '../errors/api-error.ts'
import type { ResourceDefinition } from '../views/resource.ts'

/** A resource in a server's discovery documents. */
export interface DiscoveredResource extends ResourceDefinition {
  /** The resource's name for one object, in lower case: `configmap`. */
  readonly singular: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly string[]
  /** `cm`. */
  readonly shortNames: readonly string[]
  /** `all`. */
  readonly categories: readonly string[]
  /** Names of its subresources: `status`, `scale`. */
  readonly subresources: readonly string[]
}

/** A version of a group. Lists of versions are in the order of the server's preference. */
export interface Version {
  readonly group: string
  readonly version: string
}

export interface DiscoveredVersion extends Version {
  readonly resources: readonly DiscoveredResource[]
  /** Why its resources are not known. */
  readonly error?: Error | undefined
}

type Json = { readonly [key: string]: unknown }

/** Reads an `APIGroupDiscoveryList` (KEP-3352): all versions of all groups in one document. */
export function readAggregated(document: object): DiscoveredVersion[] {
  return list(document, 'items').flatMap(item => {
    const group = text(record(item.metadata).name)
    return list(item, 'versions').map(version => ({
      group,
      version: text(version.version),
      ...(version.freshness === 'Stale' && { error: stale(group, text(version.version)) }),
      resources: list(version, 'resources').flatMap(resource => {
        const { group: g, kind, version: v } = record(resource.responseKind)
        const plural = text(resource.resource)
        if (plural === '' || text(kind) === '') return []
        return {
          group: text(g) || group,
          version: text(v) || text(version.version),
          kind: text(kind),
          plural,
          namespaced: resource.scope === 'Namespaced',
          singular: text(resource.singularResource),
          verbs: texts(resource.verbs),
          shortNames: texts(resource.shortNames),
          categories: texts(resource.categories),
          subresources: list(resource, 'subresources').map(sub => text(sub.subresource)),
        }
      }),
    }))
  })
}

/** The error of a version with an aggregated server that does not answer: the document may have its former resources. */
function stale(group: string, version: string): Error {
  const message = `the server of ${group}/${version} does not answer: its resources are not known`
  return new ApiError({ status: 503, reason: 'ServiceUnavailable', message }, { method: 'GET', path: '/apis' })
}

/** Whether a document is an aggregated one, and not the older form. */
export function isAggregated(document: object): boolean {
  return (document as Json).kind === 'APIGroupDiscoveryList'
}

/** The versions that `/api` (`APIVersions`) names. */
export function readCoreVersions(document: object): Version[] {
  return texts((document as Json).versions).map(version => ({ group: '', version }))
}

/** Reads the versions of `/apis` (`APIGroupList`), the preferred version of each group first. */
export function readGroupVersions(document: object): Version[] {
  return list(document, 'groups').flatMap(item => {
    const group = text(item.name)
    const preferred = text(record(item.preferredVersion).version)
    const versions = list(item, 'versions').map(({ version }) => text(version))
    return [...new Set([preferred, ...versions])].filter(version => version !== '').map(version => ({ group, version }))
  })
}

/** Reads an `APIResourceList`: one version of one group, with subresources among the resources. */
export function readResourceList({ group, version }: Version, document: object): DiscoveredVersion {
  const all = list(document, 'resources')
  const names = all.map(({ name }) => text(name))
  const resources = all.flatMap(resource => {
    const plural = text(resource.name)
    if (plural === '' || plural.includes('/')) return []
    return {
      group: text(resource.group) || group,
      version: text(resource.version) || version,
      kind: text(resource.kind),
      plural,
      namespaced: resource.namespaced === true,
      singular: text(resource.singularName),
      verbs: texts(resource.verbs),
      shortNames: texts(resource.shortNames),
      categories: texts(resource.categories),
      subresources: names.filter(name => name.startsWith(`${plural}/`)).map(name => name.slice(plural.length + 1)),
    }
  })
  return { group, version, resources }
}

function record(value: unknown): Json {
  return value !== null && typeof value === 'object' ? (value as Json) : {}
}

function list(value: object, key: string): Json[] {
  const held = record(value)[key]
  return Array.isArray(held) ? held.map(record) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}
