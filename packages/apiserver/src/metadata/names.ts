import { dnsLabelProblems, subdomainProblems } from '@wherry/cel/internal'
import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey } from '../store/store.ts'

/** Whether the server of a group is a separate one within the API server: that of definitions, or of API services. */
export function isOwnServer(group: string): boolean {
  return group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io'
}

/** The resources with names that must only be usable as a path segment. */
const pathSegments = new Set([
  'apiservices.apiregistration.k8s.io',
  'certificatesigningrequests.certificates.k8s.io',
  'events',
  'poddisruptionbudgets.policy',
  'roles.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
])
const labels = new Set(['namespaces', 'services', 'statefulsets.apps'])

/** The reasons for which `name` can't be a name of this resource; empty if it can. */
export function nameProblems(type: ResourceType, name: string): string[] {
  const key = resourceKey(type)
  if (pathSegments.has(key)) return pathSegmentProblems(name)
  return labels.has(key) ? dnsLabelProblems(name) : subdomainProblems(name)
}

/** The reasons for which `name` can't be a segment of a path. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter(character => name.includes(character)).map(character => `may not contain '${character}'`)
}

/** The reasons for which `generateName` can't begin a name of this resource. A dash at its end is accepted, because more characters follow. */
export function prefixProblems(type: ResourceType, prefix: string): string[] {
  return nameProblems(type, prefix.length > 1 ? prefix.replace(/-$/, 'a') : prefix)
}
/** The reasons for which `key` can't be a key of a ConfigMap's or Secret's data; empty if it can. */
export function configKeyProblems(key: string): string[] {
  const problems: string[] = []
  if (key.length > 253) problems.push('must be no more than 253 characters')
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    )
  }
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`)
  else if (key.startsWith('..')) problems.push("must not start with '..'")
  return problems
}

const suffixCharacters = 'bcdfghjklmnpqrstvwxz2456789'

/** Makes a name from `generateName`: the start of `base`, cut if it is too long, and five random characters. */
export function generatedName(base: string, random: () => number): string {
  let suffix = ''
  for (let i = 0; i < 5; i++) suffix += suffixCharacters[Math.floor(random() * suffixCharacters.length)]
  return base.slice(0, 58) + suffix
}

/** Makes a version 4 UUID from `random`. */
export function uuid(random: () => number): string {
  let hex = ''
  for (let i = 0; i < 8; i++)
    hex += Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0')
  const variant = '89ab'[Math.floor(random() * 4)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
