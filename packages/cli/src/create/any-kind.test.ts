import { readYaml } from '@wherry/crd/internal'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { checkedDefinition } from '../definition/checked.ts'
import { projectNames, type SchemaKind } from './names.ts'
import { projectFiles } from './project-files.ts'

/** What a file declares at its top, and the names that it imports. */
function topNames(text: string): readonly string[] {
  const names: string[] = []
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
  for (const one of file.statements) {
    if (ts.isImportDeclaration(one)) {
      const bindings = one.importClause?.namedBindings
      if (bindings !== undefined && ts.isNamedImports(bindings))
        names.push(...bindings.elements.map(each => each.name.text))
    } else if (ts.isVariableStatement(one)) {
      names.push(...one.declarationList.declarations.map(each => each.name.getText(file)))
    } else if (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) names.push(one.name.text)
    else if (ts.isFunctionDeclaration(one)) names.push(one.name?.text ?? '')
  }
  return names
}

/** Whether a project of this kind can be compiled, and has the kind in its definition. */
function check(kind: string, schema: SchemaKind, hasWebhook = false): void {
  const files = projectFiles(projectNames('operator', 'arcade.example.com', kind), { schema, hasWebhook }, '1.0.0')
  expect(Object.keys(files)).toHaveLength(hasWebhook ? 16 : 14)
  expect(files['src/main.ts']).toContain('operator.run()')
  for (const [file, text] of Object.entries(files)) {
    if (!file.endsWith('.ts')) continue
    const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, fileName: file })
    expect(
      diagnostics.map(({ messageText }) => messageText),
      `${file} of ${kind}`,
    ).toEqual([])
    // A global value or type has no other meaning in a file.
    const names = topNames(text)
    expect(new Set(names).size, `${file} of ${kind}: ${names}`).toBe(names.length)
    expect(names.filter(name => Object.hasOwn(globalThis, name) || name === 'Record')).toEqual([])
  }
  const definitions = Object.entries(files).filter(([file]) => file.startsWith('deploy/crd/'))
  for (const [, text] of definitions) {
    const [found] = readYaml(text) as readonly Readonly<Record<string, unknown>>[]
    expect(checkedDefinition(found ?? {}).spec.names.kind).toBe(kind)
  }
}

const kinds = [
  ...[
    'Reconcile',
    'Main',
    'Class',
    'Function',
    'String',
    'Object',
    'Record',
    'Promise',
    'Operator',
    'Client',
    'Our',
    'Thi',
  ],
  ...[
    'Argument',
    'Condition',
    'Conditions',
    'ObjectMeta',
    'Z',
    'No',
    'Y',
    'Yes',
    'Ye',
    'Null',
    'True',
    'Import',
    'Statu',
  ],
  ...['ConfigMap', 'Test', 'Enum', 'Undefined', 'NaN', 'Await', 'A', 'List', 'Event', 'Lease', 'Constructor'],
  ...['Webhook', 'Webhooks', 'Limit', 'Limits', 'LimitsWebhook', 'Draft', 'Deny', 'Review'],
]

describe.each(['interface', 'zod'] as const)('create --schema %s', schema => {
  it.each(kinds)('makes a project of the kind %s', kind => {
    check(kind, schema)
    check(kind, schema, true)
  })

  it('makes a project of any kind', () => {
    const kind = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,8}$/)
    fc.assert(
      fc.property(kind, fc.boolean(), (one, hasWebhook) => check(one, schema, hasWebhook)),
      { numRuns: 30 },
    )
  })
})

it('create refuses a kind if its plural is too long for a server', () => {
  expect(() => projectNames('operator', 'arcade.example.com', `G${'a'.repeat(62)}`)).toThrow('is too long')
})
