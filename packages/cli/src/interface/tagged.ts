import {
  AnnotatedType,
  AnyType,
  type BaseType,
  type ChainNodeParser,
  type Context,
  type Definition,
  type ReferenceType,
  removeUndefined,
  type SubNodeParser,
  type SubTypeFormatter,
  type TypeFormatter,
  UnionType,
} from 'ts-json-schema-generator'
import ts from 'typescript'
import { docCommentOf } from './doc-comment.ts'
import { addTo, schemaOfTags } from './field-tags.ts'
import { declaredAt } from './marks.ts'
import { placeOfNode, type Refuse } from './place.ts'

/** A type with the keywords that its doc comment adds. Rules of a type and of a field that has it are both kept. */
class TaggedType extends AnnotatedType {}

/**
 * Reads the doc comments of fields, interfaces and type aliases. The generator's own reading knows no tag twice, and neither our tags nor where a field
 * was declared.
 */
export class TaggedNodeParser implements SubNodeParser {
  readonly #chain: ChainNodeParser
  readonly #refuse: Refuse
  readonly #cwd: string
  /** The root, whose tags are those of a kind. */
  readonly #roots: ReadonlySet<ts.Node>
  /** Nodes that this parser reads now, so that the chain gives them to the next parser. */
  readonly #inside = new Set<ts.Node>()

  readonly #program: ts.Program

  constructor(chain: ChainNodeParser, program: ts.Program, roots: ReadonlySet<ts.Node>, cwd: string, refuse: Refuse) {
    this.#chain = chain
    this.#program = program
    this.#roots = roots
    this.#cwd = cwd
    this.#refuse = refuse
  }

  supportsNode(node: ts.Node): boolean {
    if (this.#inside.has(node) || this.#roots.has(node)) return false
    return isDate(node) || isObjectMeta(node) || this.#declarationOf(node) !== undefined
  }

  createType(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    const declaration = this.#declarationOf(node)
    const place = placeOfNode(declaration ?? node, this.#cwd)
    if (isDate(node)) this.#refuse(place, 'is a Date, which JSON does not have. Take Timestamp of @wherry/crd.')
    // What TypeScript says of Record and the like is not about the user's field.
    const isBuiltIn = declaration && this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile())
    const comment = declaration === undefined || isBuiltIn ? undefined : docCommentOf(declaration)
    const isOpaque = comment?.tags.some(({ name }) => name === 'opaque')
    const inner =
      isDate(node) || isOpaque
        ? new AnyType()
        : isObjectMeta(node)
          ? objectMeta()
          : this.#next(node, context, reference)
    if (declaration === undefined) return inner
    const annotations: Record<string, unknown> = ts.isPropertySignature(declaration) ? { [declaredAt]: place } : {}
    if (comment !== undefined) {
      if (comment.description !== '') annotations.description = comment.description
      addTo(
        annotations,
        schemaOfTags(comment.tags, message => this.#refuse(place, message)),
      )
    }
    if (Object.keys(annotations).length === 0) return inner
    // A field that may be undefined may be left out, which its `?` says already.
    const defined = inner instanceof UnionType ? removeUndefined(inner).newType : inner
    return new TaggedType(defined, annotations, false)
  }

  #next(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    this.#inside.add(node)
    try {
      return this.#chain.createType(node, context, reference)
    } finally {
      this.#inside.delete(node)
    }
  }

  /** The declaration whose doc comment describes the type of `node`. */
  #declarationOf(node: ts.Node): ts.Node | undefined {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return node
    const { parent } = node
    return parent !== undefined && ts.isPropertySignature(parent) && parent.type === node ? parent : undefined
  }
}

/** Writes the keywords of a {@link TaggedType}. */
export class TaggedTypeFormatter implements SubTypeFormatter {
  readonly #inner: TypeFormatter

  constructor(inner: TypeFormatter) {
    this.#inner = inner
  }

  supportsType(type: BaseType): boolean {
    return type instanceof TaggedType
  }

  getDefinition(type: TaggedType): Definition {
    const definition: Record<string, unknown> = { ...this.#inner.getDefinition(type.getType()) }
    addTo(definition, type.getAnnotations())
    if ('x-kubernetes-int-or-string' in definition) delete definition.type
    return definition
  }

  getChildren(type: TaggedType): BaseType[] {
    return this.#inner.getChildren(type.getType())
  }
}

function isDate(node: ts.Node): boolean {
  return ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Date'
}

/** The server knows the metadata of objects by itself, and takes only `type: object` for it. */
function isObjectMeta(node: ts.Node): boolean {
  return ts.isTypeReferenceNode(node) && node.typeName.getText() === 'ObjectMeta'
}

function objectMeta(): BaseType {
  return new TaggedType(new AnyType(), { type: 'object' }, false)
}
