import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** How many lines of these files have code: no blank lines, and none of comments alone. */
export function codeLinesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + codeLines(readFileSync(file, 'utf8')), 0)
}

/** How many lines of a text have code. */
export function codeLines(text: string): number {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const lines = new Set<number>()
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source).filter(child => !ts.isJSDoc(child))
    for (const child of children) visit(child)
    if (children.length > 0 || node.getWidth(source) === 0) return
    for (let line = lineAt(node.getStart(source)); line <= lineAt(node.getEnd()); line++) lines.add(line)
  }
  visit(source)
  return lines.size
}
