import type { Json } from '@wherry/cel/internal'

/** The ownership of the fields of a value: the kinds of its lists and maps, and the types of their values. */
export interface FieldType {
  /** The form of a value that is not null. The refusal of an applied value names this form. */
  readonly kind: 'any' | 'map' | 'list' | 'string' | 'number' | 'boolean' | 'scalar'
  /** Whether the value is owned as a whole, without its parts. */
  readonly atomic: boolean
  /** Fields that the type names. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** The type of all other fields; `undefined` if there are none. */
  readonly others: FieldType | undefined
  /** Whether it is the type of a built-in. The server's encoding leaves out its empty fields. */
  readonly struct: boolean
  /** The name of a built-in's type; `''` if it has none. */
  readonly name: string
  /** Fields that every value of the type has, even if they are empty. So nobody adds them. */
  readonly always: ReadonlySet<string>
  readonly items: FieldType | undefined
  /** The fields that identify the items of a list, with their defaults; empty if the items identify themselves. */
  readonly keys: readonly { readonly name: string; readonly default: Json | undefined }[]
  /** The Go type on the server if the shape does not determine it; otherwise `''`. */
  readonly goType: string
  /** Fields of embedded structs, each with these structs: `ProbeHandler`. */
  readonly embedded: ReadonlyMap<string, string>
  /** The form of the values, if the type reads its JSON by itself. */
  readonly reads: 'quantity' | 'time' | 'microTime' | 'intOrString' | 'bytes' | undefined
  /** How strategic merge patches merge values of the type. */
  readonly patch: PatchStrategy
}

/** The way in which a strategic merge patch is merged into a value. */
export interface PatchStrategy {
  /** Whether a list is merged item by item. Otherwise it is replaced. */
  readonly merges: boolean
  /** The field that identifies the items; `''` if they identify themselves. */
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

/** The type of a value without known fields, which is a leaf. */
export const atomic: FieldType = fieldType({ kind: 'any', atomic: true })

/** The type of a value without a schema: maps are owned field by field, lists as a whole. */
export const deduced: FieldType = selfReferring()

function selfReferring(): FieldType {
  const type = { ...fieldType({ kind: 'any' }), others: undefined as FieldType | undefined }
  type.others = type
  return type
}

/** The type of the field `name` of a map; `undefined` if it has no such field. */
export function fieldOf(type: FieldType, name: string): FieldType | undefined {
  return type.fields.get(name) ?? type.others
}

/** Whether the type itself has the field `name`, so that the field is no entry of a map. */
export function hasNamedField(type: FieldType, name: string): boolean {
  return type.fields.has(name)
}

/** Whether lists of this type are owned item by item. */
export function isGranularList(type: FieldType): type is FieldType & { readonly items: FieldType } {
  return !type.atomic && type.kind === 'list' && type.items !== undefined
}
