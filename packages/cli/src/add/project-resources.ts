import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import type { ProjectResource } from './webhook-sources.ts'

/** The resources that files of a folder export: each `export const games = defineResource({ … })` with its names as literals. */
export async function resourcesIn(folder: string): Promise<readonly ProjectResource[]> {
  const names = await readdir(folder, { recursive: true })
  const files = names
    .filter(name => /(?<!\.d|\.test)\.ts$/.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name))
    .sort()
  const found = await Promise.all(
    files.map(async name => {
      const text = await readFile(join(folder, name), 'utf8')
      // Files without the name are not parsed, because to parse all files of a project takes long.
      return text.includes('defineResource') ? resourcesOf(name.replaceAll('\\', '/'), text) : []
    }),
  )
  return found.flat()
}

function resourcesOf(name: string, text: string): ProjectResource[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  return file.statements.filter(ts.isVariableStatement).flatMap(({ modifiers = [], declarationList }) => {
    if (![...modifiers].some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    return declarationList.declarations.flatMap(({ name: constant, initializer }) => {
      const fields = initializer && namesOf(initializer)
      const { group, version, kind, plural } = fields ?? {}
      if (group === undefined || version === undefined || kind === undefined || plural === undefined) return []
      return ts.isIdentifier(constant) ? [{ constant: constant.text, file: name, group, version, kind, plural }] : []
    })
  })
}

/** The fields of the argument of `defineResource` that are literal texts. */
function namesOf(value: ts.Expression): Readonly<Record<string, string>> | undefined {
  if (!ts.isCallExpression(value) || !ts.isIdentifier(value.expression)) return undefined
  const [given] = value.arguments
  if (value.expression.text !== 'defineResource' || given === undefined || !ts.isObjectLiteralExpression(given))
    return undefined
  const texts = given.properties
    .filter(ts.isPropertyAssignment)
    .flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) && ts.isStringLiteralLike(initializer) ? [[name.text, initializer.text]] : [],
    )
  return Object.fromEntries(texts)
}
