import type { JsonSchema } from '@wherry/crd'

/** A mark in an unfinished schema: whether a field is required, regardless of its `?`. */
export const isRequired = 'wherry-required'
/** The place where the field or type is declared: `src/game.ts:12`. */
export const declaredAt = 'wherry-declared-at'
/** The names of the tags of a field and of its type. */
export const tagNames = 'wherry-tags'
/** A mark of the schema of an object's metadata. */
export const isMetadata = 'wherry-metadata'

/** A schema without marks, and the data of the marks. */
export interface Unmarked {
  readonly schema: JsonSchema
  /** The places where fields are declared, by path such as `spec.players[].name`. */
  readonly places: ReadonlyMap<string, string>
  /** The names of the tags of the fields, by path. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>
}

/** The data of marks by path. */
type Gathered = Readonly<{ places: Map<string, string>; tags: Map<string, Set<string>> }>

/**
 * Removes the marks from a schema: fields become required or optional, and places are collected by path. A field with a default is optional for
 * users, because the server fills it in.
 */
export function unmarked(marked: JsonSchema): Unmarked {
  const gathered: Gathered = { places: new Map(), tags: new Map() }
  return { schema: without(marked, '', gathered) as JsonSchema, ...gathered }
}

function without(value: unknown, path: string, gathered: Gathered): unknown {
  if (Array.isArray(value)) return value.map(one => without(one, path, gathered))
  if (typeof value !== 'object' || value === null) return value
  const { [declaredAt]: place, [isRequired]: _, [tagNames]: tags, [isMetadata]: __, ...schema } = asResource(value)
  const { places } = gathered
  if (typeof place === 'string' && !places.has(path)) places.set(path, place)
  if (Array.isArray(tags)) gathered.tags.set(path, new Set([...(gathered.tags.get(path) ?? []), ...tags]))
  const { properties } = schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, part]) => {
      if (keyword === 'properties') return [[keyword, fields(part as JsonSchema, path, gathered)]]
      if (keyword === 'required' && properties !== undefined) {
        const names = requiredOf(part as string[], properties as Record<string, JsonSchema>)
        return names.length === 0 ? [] : [[keyword, names]]
      }
      if (keyword === 'items') return [[keyword, without(part, `${path}[]`, gathered)]]
      if (keyword === 'additionalProperties') return [[keyword, without(part, `${path}{}`, gathered)]]
      if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [[keyword, without(part, path, gathered)]]
      if (keyword === 'definitions') return [[keyword, fields(part as JsonSchema, '#', gathered)]]
      return [[keyword, part]]
    }),
  )
}

/** The schema of an embedded resource. Its metadata is `type: object`, because the server knows the fields of metadata and accepts no other schema. */
function asResource(value: object): Record<string, unknown> {
  const { properties, ...schema } = value as { properties?: Record<string, JsonSchema> } & Record<string, unknown>
  const { metadata } = properties ?? {}
  if (schema['x-kubernetes-embedded-resource'] !== true || metadata?.[isMetadata] !== true) return value as never
  const { properties: _, [isMetadata]: __, ...rest } = metadata
  return { ...schema, properties: { ...properties, metadata: rest } }
}

function fields(properties: JsonSchema, path: string, gathered: Gathered): JsonSchema {
  const inner = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, without(part, inner(name), gathered)]),
  )
}

function requiredOf(names: readonly string[], properties: Readonly<Record<string, JsonSchema>>): string[] {
  return names.filter(name => {
    const field = properties[name] ?? {}
    return field[isRequired] ?? !('default' in field)
  }) as string[]
}

/** The place where the field at `path`, or the nearest field around it, is declared. */
export function placeOf(path: string, places: ReadonlyMap<string, string>): string | undefined {
  let at = path
  while (at !== '' && !places.has(at))
    at = at.slice(0, Math.max(0, Math.max(...['.', '[', '{'].map(c => at.lastIndexOf(c)))))
  return places.get(at)
}
