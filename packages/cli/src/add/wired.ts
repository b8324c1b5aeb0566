import ts from 'typescript'
import { functionOf, type NewWebhook } from './webhook-sources.ts'

/** The lines that a program needs for a webhook. A user could add them by hand. */
export interface WebhookLines {
  readonly imports: readonly string[]
  readonly statements: readonly string[]
}

/** The lines for a webhook. @param webhooks the constant with the Webhooks that the program has already, if any */
export function webhookLines({ name, resource, operator }: NewWebhook, of: string, webhooks?: string): WebhookLines {
  const { group } = resource
  const groups = group === '' ? '' : `, groups: ['${group}']`
  const add = functionOf(name)
  const imported = `import { ${add} } from './webhooks/${name}.ts'`
  if (webhooks !== undefined) return { imports: [imported], statements: [`${add}(${webhooks})`] }
  return {
    imports: ["import { Webhooks } from '@wherry/webhook'", imported],
    statements: [
      '// `service` is the Service that `wherry manifests` writes. While no replica serves, requests for resources of `groups` are refused: failurePolicy Fail.',
      `const webhooks = new Webhooks(${of}, { service: '${operator}'${groups} })`,
      `${add}(webhooks)`,
    ],
  }
}

/**
 * The text of a program with a webhook added, before its operator is run. `undefined` if the program can't be changed safely: if it does not have
 * exactly one `await operator.run(…)` at the top of the file, or if a name is taken.
 */
export function wired(text: string, webhook: NewWebhook): string | undefined {
  const file = ts.createSourceFile('main.ts', text, ts.ScriptTarget.Latest, true)
  const runs = file.statements.filter(one => runOf(one) !== undefined)
  const imports = file.statements.filter(ts.isImportDeclaration)
  const [run, ...others] = runs
  const last = imports.at(-1)
  if (run === undefined || others.length > 0 || last === undefined) return undefined
  const operator = runOf(run) ?? ''
  const there = webhooksOf(file, operator)
  if (there.length > 1) return undefined
  const { imports: imported, statements } = webhookLines(webhook, operator, there[0])
  const names = namesIn(file)
  const added = [functionOf(webhook.name), ...(there.length === 0 ? ['webhooks'] : [])]
  if (added.some(name => names.has(name))) return undefined
  const hasClass = /import\s*\{[^}]*\bWebhooks\b[^}]*\}\s*from\s*['"]@wherry\/webhook['"]/.test(text)
  if (!hasClass && there.length === 0 && names.has('Webhooks')) return undefined
  const lines = imported.filter(line => !(hasClass && line.includes('@wherry/webhook')))
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const at = run.getStart(file)
  const before = lines.map(line => `${end}${line}`).join('')
  const calls = statements.map(line => `${line}${end}`).join('')
  return `${text.slice(0, last.end)}${before}${text.slice(last.end, at)}${calls}${text.slice(at)}`
}

/** The constant of the operator that a statement runs: `operator` of `await operator.run()`. */
function runOf(statement: ts.Statement): string | undefined {
  if (!ts.isExpressionStatement(statement) || !ts.isAwaitExpression(statement.expression)) return undefined
  const { expression: call } = statement.expression
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return undefined
  const { expression: of, name } = call.expression
  return name.text === 'run' && ts.isIdentifier(of) ? of.text : undefined
}

/** The constants at the top of a file that are the Webhooks of an operator. */
function webhooksOf(file: ts.SourceFile, operator: string): readonly string[] {
  return file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations.flatMap(({ name, initializer }) => {
      if (!ts.isIdentifier(name) || initializer === undefined || !ts.isNewExpression(initializer)) return []
      const { expression, arguments: [first] = [] } = initializer
      const isOf = first !== undefined && ts.isIdentifier(first) && first.text === operator
      return ts.isIdentifier(expression) && expression.text === 'Webhooks' && isOf ? [name.text] : []
    }),
  )
}

/** All names that a file mentions. */
function namesIn(file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}
