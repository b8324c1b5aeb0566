import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import type { WorkspacePackage } from '../../tools/workspace.ts'

/** A name that a program can import. */
export interface PublicName {
  readonly name: string
  /** What it is imported from: `@wherry/client`. */
  readonly door: string
  /** Where it is declared: a re-export of another package's name is that name. */
  readonly origin: string
  /** The file of this package that it is declared in; `undefined` for a name of another package. */
  readonly file: string | undefined
  /** It is a type alone: nothing of it is there when the program runs. */
  readonly isType: boolean
}

/** A name that a module exports. */
export interface Exported {
  readonly name: string
  /** The specifier of the module that it comes from. */
  readonly from: string | undefined
  readonly isType: boolean
}

/** The names behind the doors of a package that programs use: not `./internal`, and not the hundreds of built-in resources. */
export function publicNames({ name, folder, manifest }: WorkspacePackage): PublicName[] {
  const doors = Object.entries(manifest.exports ?? {}).filter(([door]) => !/internal|resources/.test(door))
  return doors.flatMap(([door, { default: file }]) => {
    const source = join(folder, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
    return exportsOf(source, readFileSync(source, 'utf8')).map(one => ({
      name: one.name,
      door: `${name}${door.slice(1)}`,
      origin: originOf(one.from, source, one.name, name),
      file: fileOf(one.from, source),
      isType: one.isType,
    }))
  })
}

/** The names that a source text exports. */
export function exportsOf(file: string, text: string): Exported[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  return source.statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement
      const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        throw new Error(`${file} exports unnamed things`)
      const isType = (element: ts.ExportSpecifier): boolean => statement.isTypeOnly || element.isTypeOnly
      return exportClause.elements.map(element => ({ name: element.name.text, from, isType: isType(element) }))
    }
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    return declaredBy(statement).map(name => ({ name, from: undefined, isType: false }))
  })
}

/** The values that a statement declares. An overload has the name of its function. */
function declaredBy(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    const names = statement.declarationList.declarations.map(one => one.name)
    return names.filter(ts.isIdentifier).map(one => one.text)
  }
  if (!ts.isFunctionDeclaration(statement) && !ts.isClassDeclaration(statement)) return []
  return statement.name === undefined ? [] : [statement.name.text]
}

function originOf(from: string | undefined, source: string, name: string, own: string): string {
  if (from?.startsWith('@wherry/')) return `${from.split('/').slice(0, 2).join('/')} ${name}`
  return `${own} ${name}${from?.includes('testing/') ? ` of ${resolve(source, from)}` : ''}`
}

function fileOf(from: string | undefined, source: string): string | undefined {
  if (from === undefined) return source
  return from.startsWith('.') ? resolve(dirname(source), from) : undefined
}

/**
 * All that a user reads: pages, READMEs, examples, and the docstrings of packages, without the declarations that they stand at. An `@example` is left
 * out: it names the value that it is for, so it is no proof that anybody needs that value.
 */
export function whatUsersRead(root: string): string {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/*.test.ts']
  const pages = globSync(
    ['README.md', 'docs/*.md', 'packages/*/README.md', 'examples/**/*.{md,ts}', 'tools/demo/**/*.{md,ts}'],
    {
      cwd: root,
      exclude,
    },
  )
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root, exclude })
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const docstrings = sources.flatMap(file => read(file).match(/\/\*\*[\s\S]*?\*\//g) ?? [])
  return [...pages.map(read), ...docstrings.map(one => one.replace(/@example\b[\s\S]*/, ''))].join('\n')
}
