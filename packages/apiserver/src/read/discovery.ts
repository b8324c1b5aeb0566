import type { Json, JsonObject } from '@wherry/cel/internal'
import type { Registry } from '../definitions/registry.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { apiVersionOf } from '../resources/resource-type.ts'

/** A version of a group, with the resources that it serves. */
interface GroupVersion {
  readonly version: string
  readonly types: ResourceType[]
}

function groupsOf(registry: Registry): Map<string, GroupVersion[]> {
  const groups = new Map<string, GroupVersion[]>()
  for (const type of registry.all()) {
    let versions = groups.get(type.group)
    if (versions === undefined) {
      versions = []
      groups.set(type.group, versions)
    }
    let version = versions.find(one => one.version === type.version)
    if (version === undefined) {
      version = { version: type.version, types: [] }
      versions.push(version)
    }
    version.types.push(type)
  }
  const custom: [string, GroupVersion[]][] = []
  for (const [group, versions] of groups) {
    if (!isCustom(versions)) continue
    versions.sort((a, b) => compareVersions(b.version, a.version))
    custom.push([group, versions])
  }
  // The groups of CustomResourceDefinitions come after the built-in ones. kube-apiserver sorts them by the first name of their APIServices (VERSION.GROUP).
  for (const [group] of custom) groups.delete(group)
  const firstAPIServiceName = ([group, versions]: [string, GroupVersion[]]): string =>
    versions.map(({ version }) => `${version}.${group}`).sort()[0] ?? ''
  custom.sort((a, b) => (firstAPIServiceName(a) < firstAPIServiceName(b) ? -1 : 1))
  for (const [group, versions] of custom) groups.set(group, versions)
  return groups
}

function isCustom(versions: readonly GroupVersion[]): boolean {
  return versions.some(({ types }) => types.some(type => type.custom))
}

/** Compares versions in Kubernetes' order: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else, by name. */
export function compareVersions(a: string, b: string): number {
  const rank = (version: string): [number, number, number] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
    if (match === null) return [-1, 0, 0]
    return [match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0, Number(match[1]), Number(match[3] ?? 0)]
  }
  const [left, right] = [rank(a), rank(b)]
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] as number) - (right[i] as number)
    if (difference !== 0) return difference
  }
  return a < b ? 1 : a > b ? -1 : 0
}

function groupOf(group: string, versions: readonly GroupVersion[]): JsonObject {
  const list = versions.map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }))
  return { name: group, versions: list, preferredVersion: list[0] as JsonObject }
}

/** `/api`: APIVersions. */
export function legacyVersions(host: string): Json {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  }
}

/** `/apis`: APIGroupList. */
export function groupList(registry: Registry): Json {
  const groups = [...groupsOf(registry)].filter(([group]) => group !== '')
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(([group, versions]) => groupOf(group, versions)) }
}

/** `/apis/GROUP`: APIGroup; `undefined` if the group does not exist. */
export function oneGroup(registry: Registry, group: string): Json | undefined {
  const versions = groupsOf(registry).get(group)
  if (versions === undefined || group === '') return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, versions) }
}

/** `/api/v1` and `/apis/GROUP/VERSION`: APIResourceList; `undefined` if the group version does not exist. */
export function resourceList(registry: Registry, group: string, version: string): Json | undefined {
  const found = groupsOf(registry)
    .get(group)
    ?.find(one => one.version === version)
  if (found === undefined) return undefined
  const resources: JsonObject[] = []
  for (const type of found.types) {
    resources.push({
      name: type.plural,
      singularName: type.singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs: [...type.verbs],
      ...(type.shortNames.length > 0 ? { shortNames: [...type.shortNames] } : {}),
      ...(type.categories.length > 0 ? { categories: [...type.categories] } : {}),
      ...(type.storageVersionHash === undefined ? {} : { storageVersionHash: type.storageVersionHash }),
    })
    for (const sub of type.subresources) {
      resources.push({
        name: `${type.plural}/${sub.name}`,
        singularName: '',
        namespaced: type.namespaced,
        ...(sub.group === undefined ? {} : { group: sub.group }),
        ...(sub.version === undefined ? {} : { version: sub.version }),
        kind: sub.kind,
        verbs: [...sub.verbs],
      })
    }
  }
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(group, version),
    resources,
  }
}

/** The aggregated discovery of `/api` or `/apis`: APIGroupDiscoveryList of apidiscovery.k8s.io/v2. */
export function aggregated(registry: Registry, legacy: boolean): Json {
  const all = [...groupsOf(registry)].filter(([group]) => (group === '') === legacy)
  // Here kube-apiserver sorts the groups of CustomResourceDefinitions by their names.
  const custom = all.filter(([, versions]) => isCustom(versions)).sort(([a], [b]) => (a < b ? -1 : 1))
  const groups = [...all.filter(([, versions]) => !isCustom(versions)), ...custom]
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map(({ version, types }) => ({
        version,
        resources: types.map(resourceDiscovery),
        freshness: 'Current',
      })),
    })),
  }
}

function resourceDiscovery(type: ResourceType): JsonObject {
  const responseKind = (name: string, group?: string, version?: string): JsonObject => {
    // For a built-in resource, group and version are empty unless a subresource has a kind of another group.
    if (!type.custom && group === undefined) return { group: '', version: '', kind: name }
    return { group: group ?? type.group, version: version ?? type.version, kind: name }
  }
  return {
    resource: type.plural,
    responseKind: responseKind(type.kind),
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: [...type.verbs],
    ...(type.shortNames.length > 0 ? { shortNames: [...type.shortNames] } : {}),
    ...(type.categories.length > 0 ? { categories: [...type.categories] } : {}),
    ...(type.subresources.length > 0
      ? {
          subresources: type.subresources.map(sub => ({
            subresource: sub.name,
            responseKind: responseKind(sub.kind, sub.group, sub.version),
            verbs: [...sub.verbs],
          })),
        }
      : {}),
  }
}
