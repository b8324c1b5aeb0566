import { AnyType, type BaseType, type SubNodeParser } from 'ts-json-schema-generator'
import ts from 'typescript'

/** Checks each type that a schema refers to, and reports missing types, which the generator would read as `any`. */
export class References implements SubNodeParser {
  readonly #checker: ts.TypeChecker
  readonly #onMissing: (node: ts.Node) => void
  readonly #files = new Set<string>()
  #hasMissed = false

  constructor(checker: ts.TypeChecker, onMissing: (node: ts.Node) => void) {
    this.#checker = checker
    this.#onMissing = onMissing
  }

  /** The files that declare the types. */
  get files(): ReadonlySet<string> {
    return this.#files
  }

  /** Whether a type was not found. */
  get hasMissed(): boolean {
    return this.#hasMissed
  }

  supportsNode(node: ts.Node): boolean {
    const name = nameOf(node)
    // A node that the generator made itself has no place.
    if (name === undefined || name.pos < 0) return false
    const symbol = this.#checker.getSymbolAtLocation(name)
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
    const declarations = (isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol)?.declarations
    for (const declaration of declarations ?? []) this.#files.add(declaration.getSourceFile().fileName)
    return declarations === undefined
  }

  createType(node: ts.Node): BaseType {
    this.#hasMissed = true
    this.#onMissing(node)
    return new AnyType()
  }
}

/** The name in a reference to a type. */
function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return ts.isConstTypeReference(node) ? undefined : node.typeName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}
