import type { Cluster } from './cluster.ts'
import { type DiscoveredResource, groupVersionPath } from './discovery.ts'
import { banner, type Generated } from './generated-file.ts'
import { type GoField, goTypes } from './go-types.ts'
import { fetchSchemas, referenceOf, type Schema, type Schemas, schemaOfKind } from './openapi.ts'

const FOLDER = 'packages/apiserver/src/generated'
const MARK = banner('tools/generate/field-types.ts')

/**
 * Writes how the fields of built-in kinds are owned and patched. The file explains the notation.
 */
export async function fieldTypes(cluster: Cluster, resources: readonly DiscoveredResource[]): Promise<Generated> {
  const schemas: Record<string, Schema> = {}
  const known = new Map<string, Schemas>()
  const kinds: [string, string][] = []
  const schemaOf = new Map<DiscoveredResource, string>()
  for (const resource of resources) {
    const { group, version, responseKind } = resource
    const path = groupVersionPath(group, version)
    const found = known.get(path) ?? (await fetchSchemas(cluster, group, version))
    if (!known.has(path)) Object.assign(schemas, found)
    known.set(path, found)
    const name = schemaOfKind(found, group, version, responseKind.kind)
    if (name === undefined) continue
    kinds.push([`${group === '' ? '' : `${group}/`}${version}/${responseKind.kind}`, name])
    schemaOf.set(resource, name)
  }
  const types = new Map<string, string>()
  for (const [, name] of kinds) describe(schemas, name, types)
  const inGo = [...(await goTypes(cluster, schemas, schemaOf))].map(
    ([name, fields]) => [shortName(name), unusual(types.get(shortName(name)) ?? '', fields)] as const,
  )
  const lines = (entries: readonly (readonly [string, string])[]): string =>
    entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => `  ${/^[A-Za-z]\w*$/.test(name) ? name : `'${name}'`}: '${text}',`)
      .join('\n')
  const text = `${MARK}${NOTATION}
export const builtinFields: Readonly<Record<string, string>> = {
${lines([...types].filter(([, fields]) => fields !== ''))}
}

/**
 * What a real server calls the Go types of fields, as \`field=type\`, where that is not what their shape says; after \`<\` are the
 * structs that the field's own is embedded by. By type.
 */
export const builtinGoTypes: Readonly<Record<string, string>> = {
${lines(inGo.filter(([, fields]) => fields !== ''))}
}

/** The type of each kind, by \`apiVersion/kind\`. */
export const builtinKinds: Readonly<Record<string, string>> = {
${lines(kinds.map(([kind, name]) => [kind, shortName(name)]))}
}
`
  return { files: new Map([[`${FOLDER}/builtin-fields.ts`, text]]), folder: FOLDER, mark: MARK }
}

/** The fields with Go types that their shapes do not show. */
function unusual(shapes: string, fields: ReadonlyMap<string, GoField>): string {
  const shapeOf = new Map(shapes.split(' ').map(one => one.split(/:(.*)/s, 2) as [string, string]))
  const reported = [...fields].map(([field, { type, embedded }]) => {
    const known = type === usualGoType(shapeOf.get(field) ?? '')
    if (known && embedded === undefined) return ''
    return `${field}=${known ? '' : type}${embedded === undefined ? '' : `<${embedded}`}`
  })
  return reported
    .filter(text => text !== '')
    .sort()
    .join(' ')
}

/** The Go type that a shape has if the server says nothing else. */
function usualGoType(shape: string): string {
  const plain = shape.replace(/^[!@]+/, '').replace(/~[^\]}]*$/, '')
  const leaf = leafTypes[plain]
  if (leaf !== undefined) return leaf
  if (plain.startsWith('[')) return `[]${usualGoType(plain.slice(plain.indexOf(']') + 1))}`
  if (plain.startsWith('{')) return `map[string]${usualGoType(plain.slice(1, -1))}`
  return plain.split('.').slice(-2).join('.')
}

const leafTypes: Readonly<Record<string, string>> = {
  ...{ s: 'string', n: 'int32', b: 'bool', y: '[]uint8' },
  // What these are read as before they are parsed.
  ...{ t: 'string', m: 'string', i: 'int32' },
}

/** Lists that may be left out, and that the server prints when they are empty all the same. */
const printed: Readonly<Record<string, readonly string[]>> = {
  'apiextensions.v1.CustomResourceDefinitionStatus': ['conditions', 'storedVersions'],
  'rbac.v1.ClusterRole': ['rules'],
  'rbac.v1.Role': ['rules'],
}

function shortName(name: string): string {
  return name
    .replace(/^io\.k8s\.(api\.|apimachinery\.pkg\.(apis\.)?)?/, '')
    .replace(/^apiextensions-apiserver\.pkg\.apis\./, '')
    .replace(/^kube-aggregator\.pkg\.apis\./, '')
}

/** Notes a type and those that it refers to. */
function describe(schemas: Schemas, name: string, types: Map<string, string>): void {
  const short = shortName(name)
  if (types.has(short)) return
  types.set(short, '')
  const { properties = {}, required = [] } = schemas[name] as Schema
  const fields = Object.keys(properties)
    .sort()
    .map(field => {
      const property = properties[field] as Schema
      const shape = shapeOf(schemas, property, types)
      const always = isEmptyObject(property.default) || [...required, ...(printed[short] ?? [])].includes(field)
      return `${field}:${always && !/^[a-z?]$/.test(shape) ? '!' : ''}${shape}`
    })
  types.set(short, fields.join(' '))
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Schemas with Go types that read their JSON by themselves. */
const readsItself: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'q',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'm',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 't',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'i',
}

/** A property in the notation. */
function shapeOf(schemas: Schemas, property: Schema, types: Map<string, string>): string {
  const strategies = property['x-kubernetes-patch-strategy']?.split(',') ?? []
  const retains = strategies.includes('retainKeys') ? '!' : ''
  const atomic = property['x-kubernetes-map-type'] === 'atomic' ? '@' : ''
  const reference = referenceOf(property)
  if (reference !== undefined) {
    const schema = schemas[reference] as Schema
    const own = readsItself[reference]
    if (own !== undefined) return own
    if (schema.properties === undefined) return leafOf(schema)
    describe(schemas, reference, types)
    const whole = schema['x-kubernetes-map-type'] === 'atomic' ? '@' : atomic
    return `${whole}${shortName(reference)}${retains === '' ? '' : `~${retains}`}`
  }
  if (property.type === 'object') {
    const { additionalProperties } = property
    return typeof additionalProperties === 'object'
      ? `${atomic}{${shapeOf(schemas, additionalProperties, types)}}`
      : '?'
  }
  if (property.type !== 'array') return leafOf(property)
  const merges = strategies.includes('merge')
  const mergeKey = property['x-kubernetes-patch-merge-key'] ?? ''
  const list = property['x-kubernetes-list-type'] ?? (merges ? (mergeKey === '' ? 'set' : 'map') : 'atomic')
  const items = property.items as Schema
  const item = shapeOf(schemas, items, types)
  if (list === 'atomic' && !merges) return `@[]${item}`
  const keys = list === 'map' ? (property['x-kubernetes-list-map-keys'] ?? [mergeKey]) : []
  const withDefaults = keys.map(key => {
    const byDefault = schemas[referenceOf(items) ?? '']?.properties?.[key]?.default
    return byDefault === undefined ? key : `${key}=${String(byDefault)}`
  })
  const patched = merges ? mergeKey : '-'
  const usual = merges && retains === '' && keys.join(',') === mergeKey
  const head = list === 'atomic' ? '@' : ''
  return `${head}[${withDefaults.join(',')}]${item}${usual ? '' : `~${retains}${patched}`}`
}

function leafOf({ type, format }: Schema): string {
  if (type === 'integer' || type === 'number') return 'n'
  if (type === 'boolean') return 'b'
  if (type !== 'string') return '?'
  if (format === 'byte') return 'y'
  return format === undefined ? 's' : 'x'
}

const NOTATION = `
/**
 * The fields of types, as \`field:shape\`. Shapes: \`s\` a text, \`y\` bytes, \`n\` a number, \`b\` true or false, \`x\` any of
 * these, \`q\` a quantity, \`t\` a time, \`m\` one with microseconds, \`i\` a number or a text, \`?\` another leaf; the name of a type; \`{…}\` a map; \`[…]…\` a list owned item by item, with the fields that identify items (\`name=default\`), or none
 * for a set. Before it \`!\`: it is in every object, if only empty; \`@\`: it is owned as a whole. After \`~\` is what strategic
 * merge patches go by where it is not the list's one key: another key, \`-\` for a list that is replaced, \`!\` for
 * \`retainKeys\`.
 */`
