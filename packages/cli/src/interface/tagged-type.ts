import { isDeepStrictEqual } from 'node:util'
import {
  AliasType,
  AnnotatedType,
  type BaseType,
  type Definition,
  DefinitionType,
  type SubTypeFormatter,
  type TypeFormatter,
  UndefinedType,
  UnionType,
} from 'ts-json-schema-generator'
import { addTo } from './field-tags.ts'
import { tagNames } from './marks.ts'

/** The keywords that doc comments add to a type. */
export type Annotations = Readonly<Record<string, unknown>>

/** A type with the keywords that its doc comment adds. Rules of a type and of a field with that type are both kept. */
export class TaggedType extends AnnotatedType {
  constructor(type: BaseType, annotations: Annotations) {
    super(type, annotations, false)
  }
}

/** The annotations from the doc comments of a type itself, without those of its fields. */
export function annotationsOf(type: BaseType): Annotations {
  if (type instanceof AnnotatedType) {
    const all = { ...annotationsOf(type.getType()) }
    addTo(all, type.getAnnotations())
    return all
  }
  return type instanceof AliasType || type instanceof DefinitionType ? annotationsOf(type.getType()) : {}
}

/** A type that is not undefined, with the annotations of its doc comments. */
export interface Defined {
  readonly type: BaseType
  /** Whether the type might have been undefined. */
  readonly wasOptional: boolean
}

/** Removes `undefined` from a type. The generator's own function does the same, but loses the doc comments of the type. */
export function defined(type: BaseType): Defined {
  if (type instanceof AnnotatedType) {
    const inner = defined(type.getType())
    return inner.wasOptional
      ? { ...inner, type: new TaggedType(inner.type, type.getAnnotations() ?? {}) }
      : unchanged(type)
  }
  if (type instanceof AliasType) {
    const inner = defined(type.getType())
    return inner.wasOptional ? inner : unchanged(type)
  }
  if (!(type instanceof UnionType)) return unchanged(type)
  const all = type.getTypes()
  const parts = all.filter(one => !(one instanceof UndefinedType)).map(defined)
  if (parts.length === all.length && !parts.some(({ wasOptional }) => wasOptional)) return unchanged(type)
  const types = parts.map(one => one.type)
  const [only = new UndefinedType()] = types
  return { type: types.length > 1 ? new UnionType(types) : only, wasOptional: true }
}

const unchanged = (type: BaseType): Defined => ({ type, wasOptional: false })

/** Writes the keywords of a {@link TaggedType}, and of the types that the generator makes from it. */
export class TaggedTypeFormatter implements SubTypeFormatter {
  readonly #inner: TypeFormatter

  constructor(inner: TypeFormatter) {
    this.#inner = inner
  }

  supportsType(type: BaseType): boolean {
    return type instanceof AnnotatedType
  }

  getDefinition(type: AnnotatedType): Definition {
    const definition = flat({ ...this.#inner.getDefinition(type.getType()) })
    const annotations = type.getAnnotations() ?? {}
    const mayBeNull = allowsNull(definition) || annotations.nullable === true
    addTo(definition, annotations)
    if ('x-kubernetes-int-or-string' in definition) {
      if (mayBeNull) definition.nullable = true
      delete definition.type
    }
    const names = annotations[tagNames]
    // The values of a raw schema stay unchanged, so the server refuses null there.
    const isRaw = 'enum' in annotations && !(Array.isArray(names) && names.includes('enum'))
    const listed = 'const' in definition ? [definition.const] : definition.enum
    if (mayBeNull && !isRaw && Array.isArray(listed)) {
      // The author lists the values without null, and allows null by the type or by a tag.
      delete definition.nullable
      delete definition.const
      definition.enum = [...listed.filter(value => value !== null), null]
    }
    return definition
  }

  getChildren(type: AnnotatedType): BaseType[] {
    return this.#inner.getChildren(type.getType())
  }
}

type Written = Record<string, unknown>

/** Combines a type or null into a single schema, so that added keywords apply to the type and do not replace the union. */
function flat(definition: Written): Written {
  const { anyOf, ...rest } = definition
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return definition
  const [type, ...others] = anyOf.filter(one => !isNull(one)) as Written[]
  if (type === undefined || others.length > 0 || '$ref' in type || 'const' in type) return definition
  const listed = type.enum
  return { ...type, ...(Array.isArray(listed) ? { enum: [...listed, null] } : { nullable: true }), ...rest }
}

function isNull(schema: unknown): boolean {
  return isDeepStrictEqual(schema, { type: 'null' })
}

/** Whether a schema allows null, by its type, its values or `nullable`. */
function allowsNull({ type, nullable, enum: listed, anyOf }: Written): boolean {
  if (nullable === true || type === 'null' || (Array.isArray(type) && type.includes('null'))) return true
  if (Array.isArray(listed)) return listed.includes(null)
  return Array.isArray(anyOf) && anyOf.some(allowsNull)
}
