import {
  AnyType,
  type BaseType,
  type ChainNodeParser,
  type Context,
  derefType,
  type ReferenceType,
  StringType,
  type SubNodeParser,
} from 'ts-json-schema-generator'
import ts from 'typescript'
import { placeOfNode, type Refuse } from './place.ts'

/** Refuses the types that JSON does not have. The generator would read them as objects or texts, or leave out parts of them. */
export class NotJsonParser implements SubNodeParser {
  readonly #chain: ChainNodeParser
  readonly #program: ts.Program
  readonly #cwd: string
  readonly #refuse: Refuse
  /** The nodes that this parser is reading, so that the chain passes them to the next parser. */
  readonly #inside = new Set<ts.Node>()

  constructor(chain: ChainNodeParser, program: ts.Program, cwd: string, refuse: Refuse) {
    this.#chain = chain
    this.#program = program
    this.#cwd = cwd
    this.#refuse = refuse
  }

  supportsNode(node: ts.Node): boolean {
    if (this.#inside.has(node) || node.pos < 0) return false
    return hasMembers(node) || ts.isTemplateLiteralTypeNode(node) || this.#nameOf(node) !== undefined
  }

  createType(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    const name = this.#nameOf(node)
    if (name !== undefined) {
      this.#refuseAt(
        node,
        `is a ${name}, which JSON does not have. ${instead.get(name) ?? 'Take an interface with its fields.'}`,
      )
      return new AnyType()
    }
    if (hasMembers(node)) for (const member of node.members) this.#check(member)
    const type = this.#next(node, context, reference)
    if (ts.isTemplateLiteralTypeNode(node) && derefType(type) instanceof StringType)
      this.#refuseAt(node, 'is a template of texts, which would become any text. Take a string with @pattern.')
    return type
  }

  /** Refuses members that the generator would leave out. */
  #check(member: ts.TypeElement | ts.ClassElement): void {
    const name = member.name?.getText() ?? ''
    if (isFunction(member))
      this.#refuseAt(member, `has the method ${name}, which JSON does not have. Leave it out.`.replace('  ', ' '))
    else if (ts.isAccessor(member))
      this.#refuseAt(member, `has the accessor ${name}, which would be lost. Take a field.`)
    else if (ts.isPropertyDeclaration(member) && member.type === undefined)
      this.#refuseAt(member, `has no type: its tags would be lost. Write its type.`)
    else if (
      member.name !== undefined &&
      ts.isComputedPropertyName(member.name) &&
      !ts.isStringLiteralLike(member.name.expression)
    )
      this.#refuseAt(member, `has the computed name ${name}, which would be lost. Write the name itself.`)
  }

  #refuseAt(node: ts.Node, message: string): void {
    this.#refuse(placeOfNode(node, this.#cwd), message)
  }

  #next(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    this.#inside.add(node)
    try {
      return this.#chain.createType(node, context, reference)
    } finally {
      this.#inside.delete(node)
    }
  }

  /** The name of a type that JSON does not have. */
  #nameOf(node: ts.Node): string | undefined {
    const keyword = keywords.get(node.kind)
    if (keyword !== undefined) return keyword
    if (!ts.isTypeReferenceNode(node)) return undefined
    const checker = this.#program.getTypeChecker()
    const found = checker.getSymbolAtLocation(node.typeName)
    if (found === undefined) return undefined
    const isAlias = (found.flags & ts.SymbolFlags.Alias) !== 0
    const symbol = isAlias ? checker.getAliasedSymbol(found) : found
    const declarations = symbol.declarations ?? []
    if (symbol.name === 'Array' || symbol.name === 'ReadonlyArray') return undefined
    // A declaration of the user is checked separately, with the places of its methods.
    const isBuiltIn = declarations.some(one => this.#program.isSourceFileDefaultLibrary(one.getSourceFile()))
    const hasMethods = declarations.some(one => hasMembers(one) && one.members.some(isFunction))
    return isBuiltIn && hasMethods ? symbol.name : undefined
  }
}

type WithMembers = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeLiteralNode

function hasMembers(node: ts.Node): node is WithMembers {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node)
}

function isFunction(member: ts.Node): boolean {
  const isMethod = ts.isMethodSignature(member) || ts.isMethodDeclaration(member)
  return isMethod || ts.isCallSignatureDeclaration(member) || ts.isConstructSignatureDeclaration(member)
}

const keywords: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.BigIntKeyword, 'bigint'],
  [ts.SyntaxKind.SymbolKeyword, 'symbol'],
])

const instead: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bigint: 'Take int64 of @wherry/crd.',
    symbol: 'Take a string.',
    Date: 'Take Timestamp of @wherry/crd.',
    Set: 'Take a list with @listType set.',
    ReadonlySet: 'Take a list with @listType set.',
    Map: 'Take a Record.',
    ReadonlyMap: 'Take a Record.',
    RegExp: 'Take a string.',
    URL: 'Take a string with @format uri.',
    Promise: 'Take the type of its value.',
  }),
)
