import ts from 'typescript'

/**
 * The values of a source text that have no `@example` in their docstring, of those that are named. Classes of errors and guards (`isConflict`) may share
 * the example of the first of them in the file. A name that the text does not declare has none.
 */
export function withoutExample(text: string, names: readonly string[]): string[] {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const withExample = new Map<string, boolean>()
  for (const statement of source.statements) {
    for (const name of namesOf(statement)) {
      withExample.set(name, withExample.get(name) === true || hasExample(statement))
    }
  }
  const first = [...withExample.keys()].find(name => names.includes(name) && mayShare(name))
  return names.filter(name => withExample.get(name) !== true && !(mayShare(name) && hasOne(withExample, name, first)))
}

function hasOne(withExample: ReadonlyMap<string, boolean>, name: string, first: string | undefined): boolean {
  return withExample.has(name) && first !== undefined && withExample.get(first) === true
}

function mayShare(name: string): boolean {
  return /Error$|^is[A-Z]/.test(name)
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    return statement.name === undefined ? [] : [statement.name.text]
  }
  if (!ts.isVariableStatement(statement)) return []
  const names = statement.declarationList.declarations.map(one => one.name)
  return names.filter(ts.isIdentifier).map(one => one.text)
}

/** Whether the docstring right before it, and no earlier comment, has an example in TypeScript. */
function hasExample(statement: ts.Statement): boolean {
  const doc = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).at(-1)
  return (doc?.tags ?? []).some(
    ({ tagName, comment }) => tagName.text === 'example' && /^```ts$/m.test(ts.getTextOfJSDocComment(comment) ?? ''),
  )
}
