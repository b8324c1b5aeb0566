import { documents, type Fields, type ScopeParts, schemasOf } from './documents.ts'
import { publishedSchema } from './published-schema.ts'

/** The properties of a definition's resource that its document shows. */
export interface DefinedResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly hasStatus: boolean
  readonly hasScale: boolean
  /** The schema in the definition; `undefined` if it has none. */
  readonly schema: Fields | undefined
}

/** The OpenAPI document of the custom resources of a group and version, as a real server publishes it. */
export function definitionDocument(resources: readonly DefinedResource[]): Fields {
  const { definitions } = documents()
  const schemas = schemasOf(definitions)
  const paths: Record<string, unknown> = {}
  for (const resource of resources) {
    const parts = definitions.scopes[resource.namespaced ? 'Namespaced' : 'Cluster']
    const own = named(parts, resource)
    for (const [path, operations] of Object.entries(own.paths)) {
      const left = (path.endsWith('/status') && !resource.hasStatus) || (path.endsWith('/scale') && !resource.hasScale)
      if (!left) paths[path] = operations
    }
    const name = `${reversed(resource.group)}.${resource.version}`
    schemas[`${name}.${resource.kind}`] = publishedSchema(resource.schema, own.object)
    schemas[`${name}.${resource.listKind}`] = own.list
  }
  if (!resources.some(({ hasScale }) => hasScale)) {
    for (const name of Object.keys(schemas))
      if (/\.autoscaling\.v1\.Scale(Spec|Status)?$/.test(name)) delete schemas[name]
  }
  return { ...definitions.rest, paths: inOrder(paths), components: { schemas: inOrder(schemas) } }
}

/** The parts of a scope, with a resource's names in place of the template's names. */
function named(parts: ScopeParts, { group, version, kind, listKind, plural }: DefinedResource): ScopeParts {
  const { definitions } = documents()
  const from = definitions
  // The longer names first, because each contains the next.
  const names: readonly (readonly [string, string])[] = [
    [`${reversed(from.group)}.${from.version}`, `${reversed(group)}.${version}`],
    [`${joined(from.group)}_${from.version}`, `${joined(group)}_${version}`],
    [`${capital(joined(from.group))}${capital(from.version)}`, `${capital(joined(group))}${capital(version)}`],
    [`${from.group}/${from.version}`, `${group}/${version}`],
    [`"${from.group}"`, `"${group}"`],
    [`"${from.version}"`, `"${version}"`],
    [`${parts.kind.toLowerCase()}s`, plural],
    [`${parts.kind}List`, listKind],
    [parts.kind, kind],
  ]
  const text = names.reduce((now, [name, its]) => now.replaceAll(name, its), JSON.stringify(parts))
  return JSON.parse(text) as ScopeParts
}

function reversed(group: string): string {
  return group.split('.').reverse().join('.')
}

/** `arcade.example.com` as `arcadeExampleCom`, as in the names of operations. */
function joined(group: string): string {
  const [first = '', ...more] = group.split('.')
  return first + more.map(capital).join('')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function inOrder(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}
