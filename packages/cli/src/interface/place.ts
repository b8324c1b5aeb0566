import { relative } from 'node:path'
import type ts from 'typescript'

/** Records an error in the declaration at `place`. */
export type Refuse = (place: string, message: string) => void

/** Returns the node's file, relative to `cwd`, and its line, for example `src/game.ts:12`. */
export function placeOfNode(node: ts.Node, cwd: string): string {
  const source = node.getSourceFile()
  const { line } = source.getLineAndCharacterOfPosition(node.getStart())
  return `${relative(cwd, source.fileName)}:${line + 1}`
}
