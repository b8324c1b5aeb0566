import ts from 'typescript'
import { docCommentOf } from '../interface/doc-comment.ts'

/**
 * Whether a file is equal to the types that would be written: it has the same declarations with the same doc comments. Other comments, the layout, quotes
 * and the order of fields make no difference.
 *
 * @returns false for a text that the compiler can't parse
 */
export function isCurrentTypes(text: string, made: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true })
  return diagnostics.length === 0 && meaningOf(text) === meaningOf(made)
}

function meaningOf(text: string): string {
  return meaning(ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true))
}

/** A text that is equal for nodes with the same meaning. */
function meaning(node: ts.Node): string {
  // Formatters add and remove parentheses, and the quotes of names.
  if (ts.isParenthesizedTypeNode(node)) return meaning(node.type)
  if (ts.isIdentifier(node) || ts.isStringLiteral(node)) return JSON.stringify(node.text)
  if (ts.isNumericLiteral(node)) return node.text
  const parts: string[] = []
  ts.forEachChild(node, child => void parts.push(meaning(child)))
  if (isUnordered(node)) parts.sort()
  const comment = isDescribed(node) ? docCommentOf(node) : undefined
  return `(${node.kind} ${JSON.stringify(comment) ?? ''} ${parts.join(' ')})`
}

function isUnordered(node: ts.Node): boolean {
  return (
    ts.isSourceFile(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node) || ts.isNamedImports(node)
  )
}

function isDescribed(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node)
}
