import type { Cluster } from './cluster.ts'
import { type DiscoveredResource, groupVersionPath } from './discovery.ts'
import { banner, type Generated } from './generated-file.ts'
import { fetchSchemas, referenceOf, type Schemas, schemaOfKind } from './openapi.ts'
import { createSmallest, updateNeedsResourceVersion } from './smallest-objects.ts'

const FOLDER = 'packages/apiserver/src/generated'
const MARK = banner('tools/generate/builtin-resources.ts')

interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly priority: number
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'

/**
 * Asks the server at `cluster` for all that the embedded server has to know about the built-in resources, and writes it
 * as a TypeScript module. The server must be the generator's own: it creates an object of each.
 */
export async function builtinResources(cluster: Cluster, resources: readonly DiscoveredResource[]): Promise<Generated> {
  const lines: string[] = []
  const schemas = new Map<string, Schemas>()
  for (const resource of resources) {
    const { group, version } = resource
    const path = groupVersionPath(group, version)
    const known = schemas.get(path) ?? (await fetchSchemas(cluster, group, version))
    schemas.set(path, known)
    lines.push(render(await describe(cluster, resource, known)))
  }
  const text = `${MARK}${DECLARATIONS}
export const builtinResources: readonly BuiltinResource[] = [
${lines.join('\n')}
]
`
  return { files: new Map([[`${FOLDER}/builtin-resources.ts`, text]]), folder: FOLDER, mark: MARK }
}

async function describe(cluster: Cluster, found: DiscoveredResource, schemas: Schemas): Promise<object> {
  const { group, version } = found
  const { kind } = found.responseKind
  const name = schemaOfKind(schemas, group, version, kind)
  const properties = (name === undefined ? undefined : schemas[name]?.properties) ?? {}
  const listed = found.verbs.includes('list')
  return {
    group,
    version,
    kind,
    listKind: listed ? `${kind}List` : undefined,
    plural: found.resource,
    singular: found.singularResource,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
    subresources: (found.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      kind: responseKind.kind,
      group: responseKind.group === '' ? undefined : responseKind.group,
      version: responseKind.version === '' ? undefined : responseKind.version,
      verbs,
    })),
    hasSpec: 'spec' in properties,
    hasStatus: 'status' in properties,
    hasGeneration: await countsGeneration(cluster, found),
    updateNeedsResourceVersion: await updateNeedsResourceVersion(cluster, found),
    storageVersionHash: found.storageVersionHash,
    selectableFields: listed && name !== undefined ? await selectableFields(cluster, found, schemas, name) : [],
    columns: listed ? await columns(cluster, found) : [],
  }
}

/** Whether the smallest object of the kind has a generation once it is created. */
async function countsGeneration(cluster: Cluster, found: DiscoveredResource): Promise<boolean> {
  const created = (await createSmallest(cluster, found)) as { metadata: { generation?: number } } | undefined
  return created?.metadata.generation !== undefined
}

/** Asks for a list by each field of the kind, three levels deep, and keeps those that the server selects by. */
async function selectableFields(cluster: Cluster, found: DiscoveredResource, schemas: Schemas, kind: string) {
  const candidates = fieldPaths(schemas, kind, 3).filter(path => !path.startsWith('metadata'))
  const base = `${groupVersionPath(found.group, found.version)}/${found.resource}?limit=1&fieldSelector=`
  const answers = await Promise.all(candidates.map(path => cluster.send('GET', `${base}${path}%3Dprobe`)))
  return candidates.filter((_, index) => answers[index]?.status === 200).sort()
}

function fieldPaths(schemas: Schemas, name: string, depth: number): string[] {
  return Object.entries(schemas[name]?.properties ?? {}).flatMap(([field, schema]) => {
    const reference = referenceOf(schema)
    const below = reference === undefined || depth === 1 ? [] : fieldPaths(schemas, reference, depth - 1)
    return [field, ...below.map(path => `${field}.${path}`)]
  })
}

async function columns(cluster: Cluster, found: DiscoveredResource): Promise<Column[]> {
  const path = `${groupVersionPath(found.group, found.version)}/${found.resource}?limit=1`
  const table = (await cluster.get(path, TABLE)) as { columnDefinitions: Column[] }
  return table.columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }))
}

/** One resource on a few lines: a change of one shows as such. */
function render(resource: object): string {
  const fields = Object.entries(resource).flatMap(([field, value]) => {
    if (value === undefined) return []
    if (field !== 'columns' && field !== 'subresources') return [`    ${field}: ${literal(value)},`]
    const items = (value as object[]).map(item => `      ${literal(item)},`)
    return items.length === 0 ? [`    ${field}: [],`] : [`    ${field}: [`, ...items, '    ],']
  })
  return ['  {', ...fields, '  },'].join('\n')
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{ ${fields.map(([name, field]) => `${name}: ${literal(field)}`).join(', ')} }`
}

const DECLARATIONS = `
/** A built-in resource as a real server serves it. */
export interface BuiltinResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** \`undefined\`: it cannot be listed. */
  readonly listKind?: string | undefined
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly BuiltinSubresource[]
  /** Whether the kind has a field \`spec\`. */
  readonly hasSpec: boolean
  /** Whether the kind has a field \`status\`; it may be without a subresource of that name. */
  readonly hasStatus: boolean
  /** Whether a created object gets \`metadata.generation\`. */
  readonly hasGeneration: boolean
  /** Whether a PUT without \`metadata.resourceVersion\` is refused, rather than the last write wins. */
  readonly updateNeedsResourceVersion: boolean
  /** As in discovery. Equal where two endpoints serve the same stored objects; \`undefined\` for what is not stored. */
  readonly storageVersionHash?: string | undefined
  /** What a field selector may name beside \`metadata.name\` and \`metadata.namespace\`. */
  readonly selectableFields: readonly string[]
  readonly columns: readonly BuiltinColumn[]
}

/** \`group\` and \`version\` of its kind where they are not the resource's own. */
export interface BuiltinSubresource {
  readonly name: string
  readonly kind: string
  readonly group?: string | undefined
  readonly version?: string | undefined
  readonly verbs: readonly string[]
}

/** A column of the resource's Table. */
export interface BuiltinColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly priority: number
}

/** In the server's order: groups by priority, versions with the preferred one first, resources by name. */`
