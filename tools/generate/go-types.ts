import type { Cluster } from './cluster.ts'
import { type DiscoveredResource, groupVersionPath } from './discovery.ts'
import { referenceOf, type Schema, type Schemas } from './openapi.ts'

/** What the server's decoder says of one field of a type. */
export interface GoField {
  /** The type of the field: `int32`, `v1.Protocol`, `[]v1.Container`. */
  readonly type: string
  /** The structs that hold the field, if they are embedded in the type: `ProbeHandler`. */
  readonly embedded: string | undefined
}

/**
 * Asks the server for the Go types of all fields, by schema and field. OpenAPI does not have them, but the refusal of a
 * value of another type names them.
 */
export async function goTypes(
  cluster: Cluster,
  schemas: Schemas,
  kinds: ReadonlyMap<DiscoveredResource, string>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, GoField>>> {
  const found = new Map<string, Map<string, GoField>>()
  const queue: Place[] = []
  const visit = (place: Place): void => {
    if (found.has(place.schema) || schemas[place.schema]?.properties === undefined) return
    found.set(place.schema, new Map())
    queue.push(place)
  }
  for (const [resource, schema] of kinds) {
    if (resource.verbs.includes('create')) visit({ schema, path: [], around: value => value, resource })
  }
  for (const place of queue) {
    const fields = found.get(place.schema) as Map<string, GoField>
    const all = Object.entries(schemas[place.schema]?.properties ?? {})
    const answers = await Promise.all(all.map(([field, of]) => ask(cluster, schemas, place, field, of)))
    for (const [i, [field, of]] of all.entries()) {
      const reported = answers[i]
      if (reported === undefined) continue
      fields.set(field, reported)
      const below = referenceOf(innermost(of))
      const path = [...place.path, ...(reported.embedded === undefined ? [] : [reported.embedded]), field]
      const around = (value: object): object => place.around({ [field]: within(of, value) })
      if (below !== undefined) visit({ schema: below, path, around, resource: place.resource })
    }
  }
  return found
}

/** Where a type is found in the objects of a resource. */
interface Place {
  readonly schema: string
  /** The fields that lead there, as the server's decoder names them. */
  readonly path: readonly string[]
  /** An object of the resource with `value` in this place. */
  readonly around: (value: object) => object
  readonly resource: DiscoveredResource
}

function innermost(schema: Schema): Schema {
  const below =
    schema.items ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  return below === undefined ? schema : innermost(below)
}

/** `value` in the lists and maps of a property. */
function within(schema: Schema, value: unknown): unknown {
  if (schema.items !== undefined) return [within(schema.items, value)]
  if (typeof schema.additionalProperties === 'object') return { a: within(schema.additionalProperties, value) }
  return value
}

/** Has the server refuse a value of another type than the field's. `undefined`: it takes any value there. */
async function ask(
  cluster: Cluster,
  schemas: Schemas,
  { path, around, resource }: Place,
  field: string,
  of: Schema,
): Promise<GoField | undefined> {
  const { group, version, responseKind, scope, resource: plural } = resource
  const type = referenceOf(of) === undefined ? of.type : schemas[referenceOf(of) as string]?.type
  const wrong = type === 'object' || type === 'array' ? 3 : {}
  const url = `${groupVersionPath(group, version)}${scope === 'Namespaced' ? '/namespaces/default' : ''}/${plural}`
  const head = { apiVersion: group === '' ? version : `${group}/${version}`, kind: responseKind.kind }
  const { body } = await cluster.send('POST', `${url}?dryRun=All`, { ...head, ...around({ [field]: wrong }) })
  const { message = '' } = body as { message?: string }
  const said = /into Go struct field \w*\.(\S+) of type (\S+)$/.exec(message)
  const names = said?.[1]?.split('.') ?? []
  const more = names.slice(path.length)
  if (said === null || more.pop() !== field) return undefined
  return { type: said[2] as string, embedded: more.length === 0 ? undefined : more.join('.') }
}
