/** A type, as the checker sees it. */
export interface Type {
  readonly kind: 'simple' | 'dyn' | 'error' | 'null' | 'list' | 'map' | 'type' | 'opaque' | 'struct' | 'param'
  /** The name in messages. */
  readonly name: string
  readonly parameters: readonly Type[]
  /** The fields of a struct, as they are written in expressions. Absent: any field, of any type. */
  readonly fields?: ReadonlyMap<string, Type>
}

const make = (kind: Type['kind'], name: string, parameters: readonly Type[] = []): Type => ({ kind, name, parameters })

export const dyn: Type = make('dyn', 'dyn')
export const errorType: Type = make('error', '!error!')
export const bool: Type = make('simple', 'bool')
export const int: Type = make('simple', 'int')
export const uint: Type = make('simple', 'uint')
export const double: Type = make('simple', 'double')
export const string: Type = make('simple', 'string')
export const bytes: Type = make('simple', 'bytes')
export const timestamp: Type = make('simple', 'timestamp')
export const duration: Type = make('simple', 'duration')
export const nullType: Type = make('null', 'null')

export const listOf = (item: Type): Type => make('list', 'list', [item])
export const mapOf = (key: Type, value: Type): Type => make('map', 'map', [key, value])
export const typeOf = (of: Type): Type => make('type', 'type', [of])
export const optionalOf = (of: Type): Type => make('opaque', 'optional_type', [of])
export const param = (name: string): Type => make('param', name)
export const opaque = (name: string, parameters: readonly Type[] = []): Type => make('opaque', name, parameters)

export function struct(name: string, fields: ReadonlyMap<string, Type>): Type {
  return { kind: 'struct', name, parameters: [], fields }
}

/** A struct with any fields. */
export const openStruct = (name: string): Type => make('struct', name)

/** The types that are written without parameters. */
export const simpleTypes: ReadonlyMap<string, Type> = new Map(
  [dyn, bool, int, uint, double, string, bytes, timestamp, duration, nullType].map(type => [type.name, type]),
)

/** A type, as messages print it. */
export function printType({ name, parameters }: Type): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(printType).join(', ')})`
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i] as Type))
}

/** The type in an optional type. Any other type is returned unchanged. */
export function unwrapOptional(type: Type): { type: Type; optional: boolean } {
  const optional = type.kind === 'opaque' && type.name === 'optional_type'
  return { type: optional ? (type.parameters[0] as Type) : type, optional }
}

/** Reads a type of a signature: `list<A>`, `net.IP`. A single capital is a parameter. */
export function readType(text: string): Type {
  const open = text.indexOf('<')
  if (open === -1) return simpleTypes.get(text) ?? (/^[A-Z]$/.test(text) ? param(text) : opaque(text))
  const parameters = splitTypes(text.slice(open + 1, -1)).map(readType)
  const name = text.slice(0, open)
  if (name === 'list' || name === 'map' || name === 'type') return make(name, name, parameters)
  return opaque(name === 'optional' ? 'optional_type' : name, parameters)
}

/** Splits a list of types at its commas. */
export function splitTypes(text: string): string[] {
  const types: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const char = text[i]
    if (char === '<') depth++
    if (char === '>') depth--
    if ((char === ',' && depth === 0) || char === undefined) {
      const type = text.slice(from, i).trim()
      if (type !== '') types.push(type)
      from = i + 1
    }
  }
  return types
}
