/** Where the type of a schema is declared, and its name there. */
export interface TypeName {
  /** File in the folder of generated types, without extension: `core`, `autoscaling/v1`, `meta`. */
  readonly file: string
  readonly name: string
}

/** Served versions that get a group's plain name: the preferred one, by the group's first label (`rbac`, `core`). */
export type PlainVersions = ReadonlyMap<string, string>

/** Places a schema by its Go package: `io.k8s.api.rbac.v1.Role` is `Role` in `rbac`. */
export function typeNameOf(schema: string, plain: PlainVersions): TypeName {
  const parts = schema.split('.')
  const [group = '', version = '', name = ''] = parts.slice(-3)
  if (schema.startsWith('io.k8s.apimachinery.')) return { file: 'meta', name }
  return { file: fileOf(group, version, plain), name }
}

/** The file of a group's version: the plain name for the preferred one. */
export function fileOf(group: string, version: string, plain: PlainVersions): string {
  const label = labelOf(group)
  return plain.get(label) === version ? label : `${label}/${version}`
}

/** The first label of a group's name, by which it is imported: `rbac` of `rbac.authorization.k8s.io`. */
export function labelOf(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group)
}

/** The name of a resource's constant: its plural, written as its kind is. `NetworkPolicy` gives `networkPolicies`. */
export function constantOf(kind: string, plural: string): string {
  const lower = kind.toLowerCase()
  let common = 0
  while (common < lower.length && lower[common] === plural[common]) common += 1
  const written = kind.slice(0, common) + plural.slice(common)
  // A word of capitals at the front (CSI, IP, API) is one word.
  return written.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, word => word.toLowerCase())
}
