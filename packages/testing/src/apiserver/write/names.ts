import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey } from '../store/store.ts'

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

/** Resources whose names need only be usable as a path segment. */
const pathSegments = new Set([
  'roles.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
])
const labels = new Set(['namespaces', 'services'])

/** Why `name` can't be a name of this resource; `undefined` when it can. */
export function nameProblem(type: ResourceType, name: string): string | undefined {
  const key = resourceKey(type)
  if (pathSegments.has(key)) {
    if (name === '.' || name === '..') return `may not be '${name}'`
    if (name.includes('/')) return "may not contain '/'"
    return name.includes('%') ? "may not contain '%'" : undefined
  }
  if (labels.has(key)) {
    if (name.length > 63) return 'must be no more than 63 bytes'
    return label.test(name) ? undefined : labelMessage
  }
  if (name.length > 253) return 'must be no more than 253 bytes'
  return subdomain.test(name) ? undefined : subdomainMessage
}

const suffixCharacters = 'bcdfghjklmnpqrstvwxz2456789'

/** A name from `generateName`: cut to leave room, and five characters behind it. */
export function generatedName(base: string, random: () => number): string {
  let suffix = ''
  for (let i = 0; i < 5; i++) suffix += suffixCharacters[Math.floor(random() * suffixCharacters.length)]
  return base.slice(0, 58) + suffix
}

/** A version 4 UUID from `random`. */
export function uuid(random: () => number): string {
  let hex = ''
  for (let i = 0; i < 8; i++)
    hex += Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0')
  const variant = '89ab'[Math.floor(random() * 4)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
