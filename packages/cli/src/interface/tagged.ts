import {
  AnyType,
  type BaseType,
  type ChainNodeParser,
  type Context,
  derefType,
  ObjectType,
  type ReferenceType,
  type SubNodeParser,
} from 'ts-json-schema-generator'
import ts from 'typescript'
import { docCommentOf } from './doc-comment.ts'
import { addTo, schemaOfTags } from './field-tags.ts'
import { declaredAt, tagNames } from './marks.ts'
import { isObjectMeta, objectMeta } from './object-meta.ts'
import { placeOfNode, type Refuse } from './place.ts'
import { annotationsOf, defined, TaggedType } from './tagged-type.ts'

/** A declaration that may have the doc comment of a type. */
type Declaration = Field | ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration | ts.EnumDeclaration

type Field = ts.PropertySignature | ts.PropertyDeclaration | ts.IndexSignatureDeclaration

/**
 * Reads the doc comments of fields and of declared types. The generator's own parser knows neither our tags nor the place of a field, and of a repeated tag it
 * reads only one.
 */
export class TaggedNodeParser implements SubNodeParser {
  readonly #chain: ChainNodeParser
  readonly #refuse: Refuse
  readonly #cwd: string
  /** The interfaces of kinds. Their tags are read as those of a kind. */
  readonly #roots: ReadonlySet<ts.Node>
  /** The nodes that this parser is reading, so that the chain passes them to the next parser. */
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
    return ts.isIntersectionTypeNode(node) || declarationOf(node) !== undefined
  }

  createType(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    if (isObjectMeta(node)) return objectMeta()
    const declaration = declarationOf(node)
    const place = placeOfNode(declaration ?? node, this.#cwd)
    // TypeScript's doc comments of Record and similar types are not about the user's field.
    const isBuiltIn = declaration && this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile())
    const comment = declaration === undefined || isBuiltIn ? undefined : docCommentOf(declaration)
    const isOpaque = comment?.tags.some(({ name }) => name === 'opaque')
    const inner = isOpaque ? new AnyType() : this.#next(node, context, reference)
    const annotations: Record<string, unknown> = {}
    for (const base of this.#basesOf(node, inner, context)) {
      // The description of a base does not describe the interface that extends it.
      const { description: _, ...limits } = annotationsOf(base)
      addTo(annotations, limits)
    }
    if (declaration !== undefined && isField(declaration)) annotations[declaredAt] = place
    if (comment !== undefined) {
      if (comment.description !== '') annotations.description = comment.description
      const own = schemaOfTags(comment.tags, message => this.#refuse(place, message))
      addTo(annotations, own)
      const names = comment.tags.map(({ name }) => name)
      if (names.length > 0) addTo(annotations, { [tagNames]: names })
    }
    if (Object.keys(annotations).length === 0) return inner
    // Removes `undefined` from the type, because only `?`, a default or a tag makes a field optional.
    return new TaggedType(defined(inner).type, annotations)
  }

  /** The base types of a type. Their limits apply to the type too, but the generator keeps only their fields. */
  #basesOf(node: ts.Node, inner: BaseType, context: Context): readonly BaseType[] {
    if (ts.isIntersectionTypeNode(node))
      return node.types
        .map(one => this.#chain.createType(one, context))
        .filter(one => derefType(one) instanceof ObjectType)
    const isMade = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
    return isMade && inner instanceof ObjectType ? inner.getBaseTypes() : []
  }

  #next(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    this.#inside.add(node)
    try {
      return this.#chain.createType(node, context, reference)
    } finally {
      this.#inside.delete(node)
    }
  }
}

/** The declaration with the doc comment that describes `node`: `node` itself, or the field that has it as its type. */
function declarationOf(node: ts.Node): Declaration | undefined {
  const isNamed = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
  if (isNamed || ts.isClassDeclaration(node) || ts.isEnumDeclaration(node)) return node
  const { parent } = node
  return parent !== undefined && isField(parent) && parent.type === node ? parent : undefined
}

function isField(node: ts.Node): node is Field {
  return ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isIndexSignatureDeclaration(node)
}
