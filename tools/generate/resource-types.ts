import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../workspace.ts'
import type { Cluster } from './cluster.ts'
import type { DiscoveredResource } from './discovery.ts'
import { banner, type Generated } from './generated-file.ts'
import { fetchSchemas, referenceOf, type Schema, type Schemas, schemaOfKind } from './openapi.ts'
import { createSmallest } from './smallest-objects.ts'
import { constantOf, fileOf, labelOf, type PlainVersions, type TypeName, typeNameOf } from './type-name.ts'

const FOLDER = 'packages/client/src/resources'
const MARK = banner('tools/generate/resource-types.ts')

/** Types that are not an interface of their properties. The server describes some of them as anything, or as objects. */
const written: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string | number',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'Record<string, unknown>',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Record<string, unknown>',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'string | number',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'unknown',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'JSONSchemaProps | JSONSchemaProps[]',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[]',
}

/** What `wherry crd` reads of these types, where a field of somebody's own has one of them. */
const tags: Readonly<Record<string, string>> = {
  IntOrString: '@intOrString',
  MicroTime: '@format date-time',
  Quantity: '@intOrString',
  Time: '@format date-time',
}

/** What `views/object.ts` declares by hand, because every object has it. */
const ownMeta: ReadonlySet<string> = new Set(['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry'])

/** Makes the types of all built-in resources, and a constant for each, from the server's OpenAPI. */
export async function resourceTypes(cluster: Cluster, resources: readonly DiscoveredResource[]): Promise<Generated> {
  const schemas: Record<string, Schema> = {}
  const kinds = new Map<DiscoveredResource, string>()
  for (const resource of resources) {
    const { group, version } = resource
    Object.assign(schemas, await fetchSchemas(cluster, group, version))
    const name = schemaOfKind(schemas, group, version, resource.responseKind.kind)
    if (name === undefined) throw new Error(`no schema of ${group}/${version} ${resource.responseKind.kind}`)
    kinds.set(resource, name)
  }
  const world: World = {
    schemas,
    // Versions come with the preferred one first.
    plain: new Map(resources.toReversed().map(({ group, version }) => [labelOf(group), version])),
    nullable: await nullableFields(cluster, schemas, kinds),
  }
  const files = new Map<string, SourceFile>()
  for (const name of reachable(schemas, [...kinds.values(), ...subresourceSchemas(schemas, resources)])) {
    declare(world, name, files)
  }
  for (const [resource, name] of kinds)
    fileAt(files, fileFor(world, resource)).constants.push(constant(resource, name, world))
  const texts = [...files.values()].map(
    file => [`${FOLDER}/${file.path}.ts`, formatted(render(file), file.path)] as const,
  )
  return { files: new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1))), folder: FOLDER, mark: MARK }
}

interface World {
  readonly schemas: Schemas
  readonly plain: PlainVersions
  /** `schema#field` of fields that the server sends as null. */
  readonly nullable: ReadonlySet<string>
}

/** A file as it grows. */
interface SourceFile {
  readonly path: string
  readonly declarations: Map<string, string>
  readonly constants: string[]
  /** By file, the names that are imported from it, each as what it is called here. */
  readonly imports: Map<string, Map<string, string>>
}

function fileAt(files: Map<string, SourceFile>, path: string): SourceFile {
  const file = files.get(path) ?? { path, declarations: new Map(), constants: [], imports: new Map() }
  files.set(path, file)
  return file
}

function fileFor(world: World, { group, version }: DiscoveredResource): string {
  return fileOf(group, version, world.plain)
}

/** The kinds that subresources take and give: `Scale`, `Eviction`, `TokenRequest`. */
function subresourceSchemas(schemas: Schemas, resources: readonly DiscoveredResource[]): string[] {
  return resources.flatMap(({ group, version, subresources = [] }) =>
    subresources.flatMap(({ responseKind: of }) => {
      const name = schemaOfKind(schemas, of.group || group, of.version || version, of.kind)
      return name === undefined ? [] : [name]
    }),
  )
}

function reachable(schemas: Schemas, from: readonly string[]): string[] {
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    for (const schema of Object.values(schemas[name]?.properties ?? {})) visitReferences(schema, visit)
  }
  for (const name of from) visit(name)
  return [...seen].sort()
}

function visitReferences(schema: Schema, visit: (name: string) => void): void {
  const reference = referenceOf(schema)
  if (reference !== undefined) visit(reference)
  if (schema.items !== undefined) visitReferences(schema.items, visit)
  if (typeof schema.additionalProperties === 'object') visitReferences(schema.additionalProperties, visit)
}

function declare(world: World, schemaName: string, files: Map<string, SourceFile>): void {
  const { file: path, name } = typeNameOf(schemaName, world.plain)
  const file = fileAt(files, path)
  if (path === 'meta' && ownMeta.has(name)) return
  const schema = world.schemas[schemaName] ?? {}
  const alias = written[schemaName] ?? (schema.properties === undefined ? 'Record<string, unknown>' : undefined)
  if (alias !== undefined) {
    if (path !== 'meta' && alias.includes('unknown>') && schema.type !== 'object') {
      throw new Error(`what is ${schemaName}? ${JSON.stringify(schema)}`)
    }
    const tag = tags[name] === undefined ? '' : `/** ${tags[name]} */\n`
    file.declarations.set(name, `${tag}export type ${name} = ${alias}`)
    return
  }
  const fields = Object.entries(schema.properties ?? {}).map(([field, of]) => {
    const type = typeOf(of, world, file) + (world.nullable.has(`${schemaName}#${field}`) ? ' | null' : '')
    const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`
    if (schema.required?.includes(field)) return `  ${key}: ${type}`
    return type === 'unknown' ? `  ${key}?: unknown` : `  ${key}?: ${type} | undefined`
  })
  file.declarations.set(name, `export interface ${name} {\n${fields.join('\n')}\n}`)
}

function typeOf(schema: Schema, world: World, file: SourceFile): string {
  const reference = referenceOf(schema)
  if (reference !== undefined) return imported(typeNameOf(reference, world.plain), file)
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, world, file)
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object') {
    const { additionalProperties: values } = schema
    return `Record<string, ${typeof values === 'object' ? typeOf(values, world, file) : 'unknown'}>`
  }
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'string' || schema.type === 'boolean') return schema.type
  return 'unknown'
}

/** What a type is called in `file`, which imports it if it is another's. A name that several files have gets a prefix. */
function imported(type: TypeName, file: SourceFile): string {
  if (type.file === file.path) return type.name
  const names = file.imports.get(type.file) ?? new Map<string, string>()
  file.imports.set(type.file, names)
  const others = [...file.imports].filter(([path]) => path !== type.file)
  const taken = others.some(([, held]) => [...held.values()].includes(type.name))
  const prefix = type.file.replaceAll(/(?:^|\/)(\w)/g, (_, letter: string) => letter.toUpperCase())
  const local = names.get(type.name) ?? (taken ? `${prefix}${type.name}` : type.name)
  names.set(type.name, local)
  return local
}

/** Creates the smallest object of each kind, without storing it, and notes the fields that come as null. */
async function nullableFields(
  cluster: Cluster,
  schemas: Schemas,
  kinds: ReadonlyMap<DiscoveredResource, string>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const walk = (value: unknown, schema: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [field, of] of Object.entries(schemas[schema]?.properties ?? {})) {
      const held = (value as Record<string, unknown>)[field]
      if (held === null) found.add(`${schema}#${field}`)
      const below = referenceOf(of.items ?? of)
      if (below !== undefined) for (const one of Array.isArray(held) ? held : [held]) walk(one, below)
    }
  }
  for (const [resource, name] of kinds) walk(await createSmallest(cluster, resource), name)
  return found
}

function constant(resource: DiscoveredResource, schema: string, world: World): string {
  const { group, version, resource: plural, scope } = resource
  const kind = resource.responseKind.kind
  const namespaced = scope === 'Namespaced'
  const { name } = typeNameOf(schema, world.plain)
  const apiVersion = group === '' ? version : `${group}/${version}`
  return `/** \`${plural}\` of \`${apiVersion}\`. */
export const ${constantOf(kind, plural)}: Resource<${name}, '${namespaced ? 'namespaced' : 'cluster'}'> = /* @__PURE__ */ defineResource<${name}>({
  group: '${group}', version: '${version}', kind: '${kind}', plural: '${plural}', namespaced: ${namespaced},
})`
}

function render(file: SourceFile): string {
  const up = '../'.repeat(file.path.split('/').length)
  const here = '../'.repeat(file.path.split('/').length - 1) || './'
  const lines: string[] = []
  if (file.constants.length > 0) lines.push(`import { defineResource, type Resource } from '${up}views/resource.ts'`)
  if (file.path === 'meta') {
    const names = [...ownMeta].sort().join(', ')
    lines.push(`import type { ${names} } from '${up}views/object.ts'`, `export type { ${names} }`)
  }
  for (const [path, names] of [...file.imports].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const list = [...names].sort().map(([name, local]) => (name === local ? name : `${name} as ${local}`))
    lines.push(`import type { ${list.join(', ')} } from '${here}${path}.ts'`)
  }
  const declarations = [...file.declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return `${MARK}${[lines.join('\n'), ...file.constants, ...declarations].filter(text => text !== '').join('\n\n')}\n`
}

/** As the house style has it: import order, line breaks. */
function formatted(text: string, path: string): string {
  const biome = join(root, 'node_modules/.bin/biome')
  const args = ['check', '--write', `--stdin-file-path=${FOLDER}/${path}.ts`]
  const ran = spawnSync(biome, args, { input: text, cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (ran.status !== 0) throw new Error(`biome: ${ran.stderr || ran.error?.message}`)
  return ran.stdout
}
