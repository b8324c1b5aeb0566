import { dirname, join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { projectNames, type SchemaKind } from './names.ts'
import { projectFiles } from './project-files.ts'

const packages = resolve(import.meta.dirname, '../../..')
// What a project imports is installed there. Nothing is written.
const folder = join(packages, 'crd/projects-of-a-test')

type Wanted = readonly [kind: string, group: string, schema: SchemaKind, hasWebhook: boolean]

/** What the compiler has against projects of these kinds, all in one program, with a file more in each: it takes seconds to read the packages. */
function problems(wanted: readonly Wanted[], more: Readonly<Record<string, string>> = {}): readonly string[] {
  const files = new Map<string, string>()
  let options: ts.CompilerOptions = {}
  for (const [at, [kind, group, schema, hasWebhook]] of wanted.entries()) {
    const made = projectFiles(projectNames('operator', group, kind), { schema, hasWebhook }, '1.0.0')
    for (const [name, text] of Object.entries({ ...made, ...more }))
      if (name.endsWith('.ts')) files.set(join(folder, `${at}-${kind}`, name), text)
      else if (name === 'tsconfig.json') options = optionsOf(text)
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = file => files.get(file) ?? readFile(file)
  host.fileExists = file => files.has(file) || fileExists(file)
  const folders = new Set([folder, ...[...files.keys()].flatMap(file => [dirname(file), dirname(dirname(file))])])
  host.directoryExists = one => folders.has(one) || ts.sys.directoryExists(one)
  const program = ts.createProgram([...files.keys()], options, host)
  return [...files.keys()].flatMap(name => {
    const file = program.getSourceFile(name)
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    return found.map(one => `${relative(folder, name)}: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`)
  })
}

/** The options of a project, with the sources of our packages in the place of what npm installs. */
function optionsOf(text: string): ts.CompilerOptions {
  const { options } = ts.convertCompilerOptionsFromJson(JSON.parse(text).compilerOptions, folder)
  const sources = ['client', 'controller', 'crd', 'testing', 'transform-cache', 'webhook'].flatMap(name => [
    [`@wherry/${name}`, [join(packages, name, 'src/index.ts')]],
    [`@wherry/${name}/*`, [join(packages, name, 'src/*.ts')]],
  ])
  return { ...options, paths: Object.fromEntries(sources) }
}

const projected = `import type { Operator } from '@wherry/controller'
import { pick } from '@wherry/transform-cache'
import { games } from './game.ts'

export function addProjected(operator: Operator): void {
  operator.controller('spec').for(games.project(pick('spec'))).reconcile(async ({ object, status }) => {
    const message: string = object.spec.message
    await status({ conditions: [{ type: 'Ready', status: 'True', reason: 'Applied', message }] })
  })
  operator.controller('status').for(games.project(pick('status'))).reconcile(async ({ object, status }) => {
    const reason: string | undefined = object.status?.conditions?.[0]?.reason
    await status({ conditions: [{ type: 'Ready', status: 'True', reason: reason ?? 'Applied' }] })
  })
  operator.controller('metadata').for(games.metadata()).reconcile(async ({ status }) => {
    await status({ conditions: [{ type: 'Ready', status: 'True', reason: 'Applied' }] })
  })
}
`

it("projections of a project's kind have a type, and its status can be written after them", () => {
  const game: Wanted = ['Game', 'arcade.example.com', 'interface', false]
  expect(problems([game], { 'src/projected.ts': projected })).toEqual([])
}, 300_000)

const tricky = [
  'Webhook',
  'LimitsWebhook',
  'Reconcile',
  'Class',
  'Record',
  'Client',
  'Operator',
  'Our',
  'ConfigMap',
  'Z',
  'Test',
  'Await',
  'No',
]

it('create makes projects that compile, of any kind, group and way to describe it', () => {
  const kind = fc.oneof(fc.constantFrom(...tricky), fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,30}$/))
  const group = fc.oneof(
    fc.constant('no.example.com'),
    fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?\.[a-z]{2,9}$/),
  )
  const schema = fc.constantFrom<SchemaKind>('interface', 'zod')
  // The compiler names each file: to look for a smaller failure would take minutes.
  const wanted = fc.array(fc.tuple(kind, group, schema, fc.boolean()), { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(fc.noShrink(wanted), all => {
      expect(problems(all)).toEqual([])
    }),
    { numRuns: 1 },
  )
}, 300_000)
