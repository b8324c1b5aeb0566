import type { Json } from '@wherry/cel/internal'

/** How the fields of a value are owned: what its lists and maps are, and the types of their values. */
export interface FieldType {
  /** What a value may be if it is not null; the refusal of an applied one says what it should have been. */
  readonly kind: 'any' | 'map' | 'list' | 'string' | 'number' | 'boolean' | 'scalar'
  /** Owned as a whole, whatever is in it. */
  readonly atomic: boolean
  /** Fields that the type names. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** The type of all other fields; `undefined`: there are no others. */
  readonly others: FieldType | undefined
  /** A built-in's type. Encoding leaves out its empty fields. */
  readonly struct: boolean
  /** What a built-in's type is called; `''`: it has no name. */
  readonly name: string
  /** Fields that are in every value of the type, if only as an empty one: nobody adds them. */
  readonly always: ReadonlySet<string>
  readonly items: FieldType | undefined
  /** The fields that identify the items of a list, with their defaults; none: the items identify themselves. */
  readonly keys: readonly { readonly name: string; readonly default: Json | undefined }[]
  /** What the server calls the type in Go where its shape does not say it; `''`: it does. */
  readonly goType: string
  /** Fields of structs that are embedded in the type, each with those structs: `ProbeHandler`. */
  readonly embedded: ReadonlyMap<string, string>
  /** What its values are parsed as, if the type reads its JSON by itself. */
  readonly reads: 'quantity' | 'time' | 'microTime' | 'intOrString' | 'bytes' | undefined
  /** What strategic merge patches go by. */
  readonly patch: PatchStrategy
}

/** How a strategic merge patch is merged into a value. */
export interface PatchStrategy {
  /** Whether a list is merged item by item; else it is replaced. */
  readonly merges: boolean
  /** The field that identifies its items; `''`: the items identify themselves. */
  readonly key: string
  /** Whether `$retainKeys` is understood. */
  readonly retainKeys: boolean
}

const nothing = {
  fields: new Map<string, FieldType>(),
  others: undefined,
  struct: false,
  name: '',
  always: new Set<string>(),
  items: undefined,
  keys: [],
  goType: '',
  embedded: new Map<string, string>(),
  reads: undefined,
  patch: { merges: false, key: '', retainKeys: false },
}

/** A type with these properties. */
export function fieldType(properties: Partial<FieldType> & Pick<FieldType, 'kind'>): FieldType {
  return { ...nothing, atomic: false, ...properties }
}

/** A value without known fields: a leaf. */
export const atomic: FieldType = fieldType({ kind: 'any', atomic: true })

/** The type of a value without a schema: maps are owned by field, lists as a whole. */
export const deduced: FieldType = selfReferring()

function selfReferring(): FieldType {
  const type = { ...fieldType({ kind: 'any' }), others: undefined as FieldType | undefined }
  type.others = type
  return type
}

/** The type of the field `name` of a map; `undefined`: it has no such field. */
export function fieldOf(type: FieldType, name: string): FieldType | undefined {
  return type.fields.get(name) ?? type.others
}

/** Whether the type itself names the field `name`, so that it is no entry of a map. */
export function names(type: FieldType, name: string): boolean {
  return type.fields.has(name)
}

/** Whether lists of this type are owned item by item. */
export function isGranularList(type: FieldType): type is FieldType & { readonly items: FieldType } {
  return !type.atomic && type.kind === 'list' && type.items !== undefined
}
