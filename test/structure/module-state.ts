import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../../tools/workspace.ts'
import { isTestCode } from './imports.ts'

/** Calls that change a collection or a buffer. */
const changing = 'set|add|push|unshift|splice|delete|clear|write|fill'

/** The variables of a module that change while a program runs: `let`, and collections and buffers that are written to. */
export function stateOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0
    return declarationList.declarations
      .map(({ name }) => name.getText(source))
      .filter(name => !isConstant || new RegExp(`(?<![\\w.#])${name}\\.(?:${changing})\\(`).test(text))
  })
}

/** The same of all that a package publishes: `FILE: NAME` each. */
export function moduleState(folder: string): string[] {
  return globSync('src/**/*.ts', { cwd: folder })
    .filter(name => !isTestCode(name))
    .map(name => join(folder, name))
    .flatMap(file => stateOf(file, readFileSync(file, 'utf8')).map(name => `${relative(root, file)}: ${name}`))
}
