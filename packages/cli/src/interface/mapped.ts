import {
  type BaseType,
  type ChainNodeParser,
  type Context,
  derefType,
  IndexedAccessTypeNodeParser,
  LiteralType,
  MappedTypeNodeParser,
  ObjectProperty,
  ObjectType,
  UndefinedType,
  UnionType as Union,
  type UnionType,
} from 'ts-json-schema-generator'
import ts from 'typescript'
import { tagNames } from './marks.ts'
import { annotationsOf, defined, TaggedType } from './tagged-type.ts'

/** Reads `Partial<Spec>`, `Omit<Spec, 'a'>` and the like. The generator's own parser keeps the doc comments of fields, but not those of the types of fields. */
export class TaggedMappedTypeParser extends MappedTypeNodeParser {
  readonly #onLost: (node: ts.Node, message: string) => void

  constructor(chain: ChainNodeParser, onLost: (node: ts.Node, message: string) => void) {
    super(chain, true)
    this.#onLost = onLost
  }

  /** The mapped type, with the limits of its base type if it has all fields of the base. */
  override createType(node: ts.MappedTypeNode, context: Context): BaseType {
    const made = super.createType(node, context)
    if (node.type === undefined || !ts.isIndexedAccessTypeNode(node.type)) return made
    const base = this.childNodeParser.createType(node.type.objectType, context)
    const { description: _, ...limits } = annotationsOf(base)
    const names = Object.keys(limits).filter(name => !name.startsWith('wherry-'))
    if (names.length === 0) return made
    const { constraint } = node.typeParameter
    const isWhole = constraint !== undefined && ts.isTypeOperatorNode(constraint) && node.nameType === undefined
    if (isWhole && node.questionToken?.kind !== ts.SyntaxKind.QuestionToken) return new TaggedType(made, limits)
    const tags = (limits[tagNames] as readonly string[] | undefined)?.map(name => `@${name}`).join(', ')
    const at = context.getReference() ?? node
    this.#onLost(
      at,
      `is ${at.getText()}, which loses ${tags ?? names.join(', ')} of the type that it is made from. Write an interface with the fields instead.`,
    )
    return made
  }

  protected override getProperties(
    node: ts.MappedTypeNode,
    keyListType: UnionType,
    context: Context,
  ): ObjectProperty[] {
    const properties: ObjectProperty[] = []
    const names = new Set<string>()
    for (const key of keyListType.getFlattenedTypes(derefType)) {
      const mapped = key instanceof LiteralType ? this.mapKey(node, key, context) : undefined
      if (!(mapped instanceof LiteralType) || names.has(`${mapped.getValue()}`)) continue
      names.add(`${mapped.getValue()}`)
      const whole = this.childNodeParser.createType(
        node.type as ts.TypeNode,
        this.createSubContext(node, key as LiteralType, context),
      )
      const { type, wasOptional } = defined(whole)
      properties.push(
        new ObjectProperty(`${mapped.getValue()}`, type, this.isMappedPropertyRequired(node, wasOptional)),
      )
    }
    return properties
  }
}

/** Reads `Spec['a']` with the annotations of the field and of its type. */
export class TaggedIndexedAccessParser extends IndexedAccessTypeNodeParser {
  readonly #chain: ChainNodeParser

  constructor(checker: ts.TypeChecker, chain: ChainNodeParser) {
    super(checker, chain)
    this.#chain = chain
  }

  override createType(node: ts.IndexedAccessTypeNode, context: Context): BaseType {
    const key = derefType(this.#chain.createType(node.indexType, context))
    const object = derefType(this.#chain.createType(node.objectType, context))
    const property = key instanceof LiteralType ? propertyOf(object, `${key.getValue()}`) : undefined
    if (property === undefined) return super.createType(node, context)
    const type = property.getType()
    return property.isRequired() ? type : new Union([type, new UndefinedType()])
  }
}

/** The declaration of a field in an object type. */
function propertyOf(type: BaseType, name: string): ObjectProperty | undefined {
  if (!(type instanceof ObjectType)) return undefined
  const own = type.getProperties().find(one => one.getName() === name)
  return (
    own ??
    type
      .getBaseTypes()
      .reduce<ObjectProperty | undefined>((found, base) => found ?? propertyOf(derefType(base), name), undefined)
  )
}
