import type { JsonSchema } from '@wherry/crd'

/** Marks in the schema on its way: whether a field must be there, whatever its `?` says. */
export const isRequired = 'wherry-required'
/** Where the field or type is declared: `src/game.ts:12`. */
export const declaredAt = 'wherry-declared-at'

/** A schema without marks, and what they said. */
export interface Unmarked {
  readonly schema: JsonSchema
  /** Where the fields at paths such as `spec.players[].name` are declared. */
  readonly places: ReadonlyMap<string, string>
}

/**
 * Takes the marks out of a schema: fields become required or optional, and places are gathered by path. A field with a default is optional for those who
 * write it, since the server fills it in.
 */
export function unmarked(marked: JsonSchema): Unmarked {
  const places = new Map<string, string>()
  return { schema: without(marked, '', places) as JsonSchema, places }
}

function without(value: unknown, path: string, places: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map(one => without(one, path, places))
  if (typeof value !== 'object' || value === null) return value
  const { [declaredAt]: place, [isRequired]: _, ...schema } = value as Record<string, unknown>
  if (typeof place === 'string' && !places.has(path)) places.set(path, place)
  const { properties } = schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, part]) => {
      if (keyword === 'properties') return [[keyword, fields(part as JsonSchema, path, places)]]
      if (keyword === 'required' && properties !== undefined) {
        const names = requiredOf(part as string[], properties as Record<string, JsonSchema>)
        return names.length === 0 ? [] : [[keyword, names]]
      }
      if (keyword === 'items') return [[keyword, without(part, `${path}[]`, places)]]
      if (keyword === 'additionalProperties') return [[keyword, without(part, `${path}{}`, places)]]
      if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [[keyword, without(part, path, places)]]
      if (keyword === 'definitions') return [[keyword, fields(part as JsonSchema, '#', places)]]
      return [[keyword, part]]
    }),
  )
}

function fields(properties: JsonSchema, path: string, places: Map<string, string>): JsonSchema {
  const inner = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, without(part, inner(name), places)]),
  )
}

function requiredOf(names: readonly string[], properties: Readonly<Record<string, JsonSchema>>): string[] {
  return names.filter(name => {
    const field = properties[name] ?? {}
    return field[isRequired] ?? !('default' in field)
  }) as string[]
}

/** Where the field at `path`, or the nearest around it, is declared. */
export function placeOf(path: string, places: ReadonlyMap<string, string>): string | undefined {
  let at = path
  while (at !== '' && !places.has(at))
    at = at.slice(0, Math.max(0, Math.max(...['.', '[', '{'].map(c => at.lastIndexOf(c)))))
  return places.get(at)
}
