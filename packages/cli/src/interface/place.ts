import { relative } from 'node:path'
import type ts from 'typescript'

/** Records an error of the declaration at `place`. */
export type Refuse = (place: string, message: string) => void

/** `src/game.ts:12`. */
export function placeOfNode(node: ts.Node, cwd: string): string {
  const source = node.getSourceFile()
  const { line } = source.getLineAndCharacterOfPosition(node.getStart())
  return `${relative(cwd, source.fileName)}:${line + 1}`
}
