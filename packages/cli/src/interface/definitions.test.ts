import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { definitionYaml, type StructuralSchema } from '@wherry/crd'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Project, temporaryProject } from '../testkit/project.ts'
import { run, testkit } from '../testkit/run.ts'
import { interfaceDefinitions } from './definitions.ts'

let project: Project
let folder: string

beforeEach(async () => {
  project = await temporaryProject()
  folder = project.folder
})

afterEach(() => project[Symbol.asyncDispose]())

const kind = '/**\n * @group arcade.example.com\n * @version v1\n */\n'
const scalars = "import type { int } from '@wherry/crd'\n"

/** Runs `wherry crd` on a file of this text. */
async function crd(text: string): ReturnType<typeof run> {
  await writeFile(join(folder, 'game.ts'), text)
  return run('crd game.ts', folder)
}

async function specOf(fields: string, imports = scalars): Promise<StructuralSchema> {
  const { stdout, stderr } = await crd(`${imports}${kind}export interface Game {\n  spec: {\n${fields}\n}\n}\n`)
  expect(stderr).toBe('')
  const definition = parse(stdout) as CustomResourceDefinition
  return definition.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec as StructuralSchema
}

describe('an interface with doc comments', () => {
  it('K1: gives the definition whole', async () => {
    await copyFile(join(testkit, 'game.ts'), join(folder, 'game.ts'))
    const [definition] = interfaceDefinitions([join(folder, 'game.ts')], folder)
    await expect(definition && definitionYaml(definition)).toMatchFileSnapshot('../testkit/game.yaml')
  })

  it('gives one definition with its versions, also from several files', async () => {
    const version = (name: string, tags: string): string =>
      `/**\n * @group arcade.example.com\n * @kind Game\n * @version ${name}\n${tags} */\nexport interface Game${name} { spec: { a?: string } }\n`
    await writeFile(join(folder, 'old.ts'), version('v1beta1', ' * @shortName old\n * @deprecated Use v1.\n'))
    await writeFile(join(folder, 'new.ts'), version('v1', ' * @shortName gm\n * @storage\n * @cluster\n'))
    const { stdout } = await run('crd old.ts new.ts --json', folder)
    const { spec } = JSON.parse(stdout) as CustomResourceDefinition
    expect([spec.scope, spec.names.plural, spec.names.shortNames]).toEqual(['Cluster', 'games', ['gm']])
    expect(spec.versions.map(one => [one.name, one.storage, one.deprecationWarning])).toEqual([
      ['v1beta1', false, 'Use v1.'],
      ['v1', true, undefined],
    ])
    const { stderr } = await run('crd new.ts old.ts new.ts', folder)
    expect(stderr).toBe('')
  })

  it('keeps the rules of a type beside those of a field', async () => {
    await writeFile(
      join(folder, 'game.ts'),
      `${kind}export interface Game { spec: {\n/** @validation \`self.a != 'y'\` no y */\na: Inner } }\n/** @immutable */\ninterface Inner { a: string }\n`,
    )
    const { stdout } = await run('crd game.ts', folder)
    expect([...stdout.matchAll(/rule: (.*)/g)].map(([, rule]) => rule)).toEqual(['self == oldSelf', "self.a != 'y'"])
  })

  it('reads a description as it stands, with what else looks like a tag', async () => {
    const { properties } = await specOf(
      '/** Write to\n * \\@group, as {a} or `b`. *\\/\n *   - indented\n */\na?: string',
    )
    expect(properties?.a?.description).toBe('Write to\n@group, as {a} or `b`. */\n  - indented')
  })

  it('makes fields required by `?`, by a default and by tags', async () => {
    const { required } = await specOf(
      'a: int\nb?: int\n/** @default 1 */ c: int\n/** @optional */ d: int\n/** @default 1\n@required */ e: int\nf: int | undefined',
    )
    expect(required).toEqual(['a', 'e', 'f'])
  })
})

describe('a type of Kubernetes', () => {
  const from = (name: string, module: string): string => `import type { ${name} } from '@wherry/${module}'\n`

  it('is taken whole, with its ports that are numbers or names, its quantities and its times', async () => {
    const spec = await specOf('    template: PodTemplateSpec', from('PodTemplateSpec', 'client/resources/core'))
    const at = (...path: readonly string[]): unknown =>
      path.reduce<unknown>((schema, key) => (schema as Record<string, unknown>)[key], spec)
    const container = [
      'properties',
      'template',
      'properties',
      'spec',
      'properties',
      'containers',
      'items',
      'properties',
    ]
    const probe = [...container, 'readinessProbe', 'properties', 'httpGet', 'properties', 'port']
    expect(at(...probe)).toEqual({ 'x-kubernetes-int-or-string': true })
    const limits = [...container, 'resources', 'properties', 'limits', 'additionalProperties']
    expect(at(...limits)).toEqual({ 'x-kubernetes-int-or-string': true })
  })

  it('is any object if the field is @opaque', async () => {
    const spec = await specOf('    /** @opaque */\n    job: JobSpec', from('JobSpec', 'client/resources/batch'))
    expect(spec.properties?.job).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
  })

  it('is a list of conditions, a map by their type', async () => {
    const spec = await specOf('    conditions?: Conditions', from('Conditions', 'crd/conditions'))
    expect(spec.properties?.conditions).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
    })
  })
})

describe('the metadata of a template', () => {
  const text = { type: 'string' }
  const embedded = {
    type: 'object',
    properties: {
      annotations: { type: 'object', additionalProperties: text },
      finalizers: { type: 'array', items: text },
      labels: { type: 'object', additionalProperties: text },
      name: text,
      namespace: text,
    },
  }
  const meta = "import type { ObjectMeta } from '@wherry/client'\n"

  it('keeps the labels and all else that templates have', async () => {
    const imports = `${meta}import type { PodTemplateSpec } from '@wherry/client/resources/core'\n`
    const { properties } = await specOf('pod: PodTemplateSpec\na?: ObjectMeta\nb: { c?: ObjectMeta }[]', imports)
    expect(properties?.pod?.properties?.metadata).toEqual(embedded)
    expect(properties?.a).toEqual(embedded)
    expect(properties?.b?.items).toMatchObject({ properties: { c: embedded } })
  })

  it('can be a part of it, and more', async () => {
    const { properties } = await specOf(
      "a: Pick<ObjectMeta, 'labels'>\n/** @maxProperties 2 */ b: ObjectMeta & { name: string }",
      meta,
    )
    expect(properties?.a).toEqual({ type: 'object', properties: { labels: embedded.properties.labels } })
    expect(properties?.b).toEqual({ ...embedded, required: ['name'], maxProperties: 2 })
  })

  it("is the server's own in a resource inside of another", async () => {
    const { properties } = await specOf('/** @embeddedResource */\na: { kind: string; metadata?: ObjectMeta }', meta)
    expect(properties?.a?.properties?.metadata).toEqual({ type: 'object' })
  })
})

describe('the metadata of the kind', () => {
  const meta = "import type { ObjectMeta } from '@wherry/client'\n"

  it('has the limits of a name, and the age is a date', async () => {
    const tags = kind.replace(' */', ' * @printColumn Age .metadata.creationTimestamp\n */')
    const { stdout, stderr } = await crd(
      `${meta}${tags}export interface Game { metadata: ObjectMeta & {\n/** @maxLength 20 */ name: string }\nspec: {} }\n`,
    )
    expect(stderr).toBe('')
    const [version] = (parse(stdout) as CustomResourceDefinition).spec.versions
    expect(version?.schema?.openAPIV3Schema?.properties?.metadata).toEqual({
      type: 'object',
      properties: { name: { type: 'string', maxLength: 20 } },
    })
    expect(version?.additionalPrinterColumns).toEqual([
      { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
    ])
  })

  it('K1: has no other limits: they are refused', async () => {
    const { stderr } = await crd(
      `${meta}${kind}export interface Game { metadata: ObjectMeta & {\n/** @maxProperties 2 */ labels: Record<string, string> }\nspec: {} }\n`,
    )
    expect(stderr).toContain('metadata.labels has @maxProperties, and a server takes limits of metadata.name')
  })
})

describe('a type from around the files', () => {
  const game = `import type { Inner } from './inner.ts'\n${kind}export interface Game { spec: Inner }\n`

  it.for([
    ['the file itself', `${kind}export interface Game { spec: { state: DocumentReadyState } }`, ''],
    ['a file that it imports', game, 'export interface Inner { state: DocumentReadyState }'],
    ['code beside the interface', `${game}console.log(1)`, 'export interface Inner { state: string }'],
  ] as const)('of the browser is found by %s', async ([, file, inner]) => {
    await using other = await temporaryProject(['ES2015', 'DOM'])
    await writeFile(join(other.folder, 'game.ts'), file)
    await writeFile(join(other.folder, 'inner.ts'), `${inner}\nexport {}`)
    const { stdout, stderr } = await run('crd game.ts', other.folder)
    expect(stderr).toBe('')
    expect(stdout).toContain('state:')
    expect(stdout).not.toContain('preserve-unknown-fields')
  })

  it('is refused if it is not found, also by a file that is imported', async () => {
    await writeFile(join(folder, 'inner.ts'), 'export interface Inner {\na: string\nb: Nothing\n}')
    const { status, stderr } = await crd(game)
    expect([status, stderr]).toEqual([1, 'wherry: inner.ts:3: has the type Nothing, which is not found.\n'])
  })
})

describe('a type or null', () => {
  const all = "import type { int, IntOrString, Quantity } from '@wherry/crd'\n"

  it('has the limits of its tags, and may be null', async () => {
    const fields = [
      '/** @maxItems 3 */ list?: int[] | null',
      '/** @format int32 */ format?: int | null',
      '/** @minimum 1 */ number?: int | null',
      '/** @maxLength 3 */ text: null | string',
      'port?: IntOrString | null',
      '/** @maxLength 9 */ quantity?: Quantity | null',
      '/** @maxProperties 1 */ map?: Record<string, int> | null',
    ]
    const { properties } = await specOf(fields.join('\n'), all)
    expect(properties).toMatchObject({
      list: { type: 'array', items: { type: 'integer' }, maxItems: 3, nullable: true },
      format: { type: 'integer', format: 'int32', nullable: true },
      number: { type: 'integer', minimum: 1, nullable: true },
      text: { type: 'string', maxLength: 3, nullable: true },
      port: { 'x-kubernetes-int-or-string': true, nullable: true },
      quantity: { 'x-kubernetes-int-or-string': true, maxLength: 9, pattern: expect.anything(), nullable: true },
      map: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1, nullable: true },
    })
  })

  it('of listed values is held to them by a rule, which the server does not run for null', async () => {
    const { properties } = await specOf(
      "a: 'x' | 'yy' | null\n/** @enum x, yy */ b: string | null\n/** @enum x, yy\n@nullable */ c: string",
    )
    const ruled = {
      ...{ type: 'string', nullable: true, maxLength: 2 },
      'x-kubernetes-validations': [{ rule: 'self in ["x", "yy"]', message: 'must be null or one of: "x", "yy"' }],
    }
    expect(properties).toEqual({ a: ruled, b: ruled, c: ruled })
  })
})

describe('a type that is made from another', () => {
  const base =
    "import type { int, Quantity } from '@wherry/crd'\n/** @validation `self.a != 3` not 3 */\ninterface Base {\n/** The a.\n@minimum 1 */ a: int\nb?: Quantity\n/** @maxItems 2 */ c: int[] | null\n}\n"
  const quantity = { 'x-kubernetes-int-or-string': true, pattern: expect.anything() }
  const fields = {
    a: { description: 'The a.', type: 'integer', minimum: 1 },
    b: quantity,
    c: { type: 'array', items: { type: 'integer' }, maxItems: 2, nullable: true },
  }
  const rules = [{ rule: 'self.a != 3', message: 'not 3' }]

  it.for([
    ['Required<Base>', ['a', 'b', 'c'], ['a', 'b', 'c'], rules],
    ['Readonly<Base>', ['a', 'b', 'c'], ['a', 'c'], rules],
    ['Base & { d?: int }', ['a', 'b', 'c'], ['a', 'c'], rules],
    ['More', ['a', 'b', 'c'], ['a', 'c'], rules],
  ] as const)('keeps what the doc comments say: %s', async ([type, names, required, kept]) => {
    const more = 'interface More extends Base { d?: int }\n'
    const { properties } = await specOf(`x: ${type}`, `${base}${more}`)
    const { d: _, ...own } = properties?.x?.properties ?? {}
    expect(own).toEqual(Object.fromEntries(names.map(name => [name, fields[name]])))
    expect(properties?.x?.required).toEqual(required)
    expect(properties?.x?.['x-kubernetes-validations']).toEqual(kept)
  })

  it.for(["Omit<Base, 'b'>", 'Partial<Base>', "Pick<Base, 'a'>", "Partial<Pick<Base, 'a' | 'c'>>"])(
    'keeps what the doc comments of fields say: %s',
    async type => {
      const { properties } = await specOf(`x: ${type}`, base.replace(/\/\*\* @validation.*\n/, ''))
      const own = properties?.x?.properties ?? {}
      expect(own).toEqual(Object.fromEntries(Object.keys(own).map(name => [name, fields[name as 'a']])))
      expect(Object.keys(own)).toContain('a')
    },
  )

  it('K1: does not lose rules of the whole: they are refused', async () => {
    const { stderr } = await crd(`${base}${kind}export interface Game { spec: {\nx: Partial<Base>\n} }\n`)
    expect(stderr).toContain('game.ts:14: is Partial<Base>, which loses @validation of the type')
  })
})

describe('K1: what a definition can not express is refused with its file and line', () => {
  it('of fields, all at once', async () => {
    const fields = [
      'date: Date',
      '/** @minium 1 */ unknown: int',
      '/** @minimum one */ number: int',
      '/** @validation self > 1 */ rule: int',
      'list: { /** @pattern ^(?!x) */ b: string }[]',
      'tuple: [string, int]',
      'tree: Tree',
      '/** @constructor */ inherited: int',
    ]
    const { status, stdout, stderr } = await crd(
      `${scalars}${kind}export interface Game {\n  spec: {\n${fields.join('\n')}\n}\n}\ninterface Tree { left?: Tree }\n`,
    )
    expect([status, stdout]).toEqual([1, ''])
    const lines = stderr.replace('wherry: ', '').trimEnd().split('\n')
    expect(lines.map(line => line.slice(0, 60)).toSorted()).toEqual([
      'game.ts:10: has @minimum one, which takes a number.',
      'game.ts:11: has @validation self > 1, which takes a CEL rule',
      'game.ts:12: spec.list[].b the pattern ^(?!x) has a lookaroun',
      'game.ts:13: spec.tuple is a tuple of several types. The API ',
      'game.ts:15: has the tag @constructor, which is not known. Ta',
      'game.ts:18: spec.tree.left.left is recursive (#/definitions/',
      'game.ts:8: is a Date, which JSON does not have. Take Timesta',
      'game.ts:9: has the tag @minium, which is not known. Tags of ',
    ])
  })

  it.for([
    ['a function', 'a: () => void', 'game.ts:6: '],
    ['a type that is not found', 'a: Nothing', "game.ts:6: Cannot find name 'Nothing'"],
  ] as const)('%s', async ([, field, words]) => {
    const { status, stderr } = await crd(`${kind}export interface Game { spec: {\n${field}\n} }\n`)
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
  })

  it.for([
    ['@minimum 1', 'string', 'limits integers and numbers, and this is a text'],
    ['@minimum 1', 'int[]', 'limits integers and numbers, and this is a list'],
    ['@maxLength 1', 'int', 'limits texts, and this is an integer'],
    ['@maxItems 1', 'string', 'limits lists, and this is a text'],
    ['@maxItems 1', 'string | null', 'limits lists, and this is a text'],
    ['@pattern a', 'int', 'limits texts, and this is an integer'],
    ['@maxProperties 1', 'IntOrString', 'limits objects, and this is an integer or a text'],
    ['@format int32', 'string', 'limits integers and numbers, and this is a text'],
    ['@format date-time', 'boolean', 'limits texts, and this is a boolean'],
    ['@listType set', 'Record<string, int>', 'limits lists, and this is an object'],
  ] as const)('a limit that limits nothing: %s of %s', async ([tag, type, why]) => {
    const imports = "import type { int, IntOrString } from '@wherry/crd'\n"
    const { status, stdout, stderr } = await crd(
      `${imports}${kind}export interface Game { spec: {\n/** ${tag} */\na: ${type} } }`,
    )
    const name = tag.replace(/ .*/, '')
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      `wherry: game.ts:8: spec.a has ${name}, which ${why}. Leave it out.\n`,
    ])
  })

  it.for([
    ['a: Set<string>', 'is a Set, which JSON does not have. Take a list with @listType set.'],
    ['a: Map<string, int>[]', 'is a Map, which JSON does not have. Take a Record.'],
    ['a: bigint', 'is a bigint, which JSON does not have. Take int64 of @wherry/crd.'],
    ['a?: symbol | null', 'is a symbol, which JSON does not have. Take a string.'],
    ['a: Record<string, Date>', 'is a Date, which JSON does not have. Take Timestamp of @wherry/crd.'],
    ['a: Promise<int>', 'is a Promise, which JSON does not have. Take the type of its value.'],
    ['a: RegExp', 'is a RegExp, which JSON does not have. Take a string.'],
    ['a: Uint8Array', 'is a Uint8Array, which JSON does not have. Take an interface with its fields.'],
    ['run(): int', 'has the method run, which JSON does not have. Leave it out.'],
    ['get a(): int', 'has the accessor a, which would be lost. Take a field.'],
    [
      ['a: `x-$', '{string}`'].join(''),
      'is a template of texts, which would become any text. Take a string with @pattern.',
    ],
  ] as const)('a type that JSON does not have: %s', async ([field, why]) => {
    const { status, stdout, stderr } = await crd(
      `${scalars}${kind}export interface Game { spec: {\nb?: int\n${field}\n} }`,
    )
    expect([status, stdout, stderr]).toEqual([1, '', `wherry: game.ts:8: ${why}\n`])
  })

  it.for([
    ['@printColumn X spec.a', 'printColumns: has the column X with the path spec.a, which must begin with a dot'],
    ['@printColumn `X .spec.a`', 'printColumns: has the column `X with the path .spec.a`, which is no JSON path'],
    ['@printColumn X .spec.a type=text', 'printColumns: has the column X of the type text'],
    ['@printColumn X .spec.a priority=low', 'printColumns: has the column X of the priority NaN'],
    ['@shortName Shirts', 'shortNames: has "Shirts"'],
    ['@category All', 'categories: has "All"'],
    ['@selectableField .spec.b', 'selectableFields: names .spec.b, which is not a string'],
  ] as const)('of the tags of a kind that a server refuses: %s', async ([tag, why]) => {
    const imports = "import type { IntOrString } from '@wherry/crd'\n"
    const tags = kind.replace(' */', ` * ${tag}\n */`)
    const { status, stdout, stderr } = await crd(
      `${imports}${tags}export interface Game { spec: { a: string; b: IntOrString } }\n`,
    )
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(`game.ts:7: ${why}`)])
  })

  it('of the tags of a kind', async () => {
    const tags = [
      'a.example.com',
      'arcade\n * @version v1',
      'b.example.com\n * @version v1\n * @printColumn A .spec.none',
      'c.example.com\n * @version v1\n * @printColumn A',
      'd.example.com\n * @version v1\n * @scale .spec.a',
      'e.example.com\n * @version v1\n * @plural Games',
      'f.example.com\n * @version v1\n * @version v2',
      'g.example.com\n * @version v1\n * @kind Twice',
      'g.example.com\n * @version v2\n * @kind Twice',
    ]
    const texts = tags.map(
      (one, at) => `/**\n * @group ${one} */\nexport interface Game${at} { spec: { a?: string } }\n`,
    )
    const { status, stderr } = await crd(texts.join(''))
    expect(status).toBe(1)
    const lines = stderr.replace('wherry: ', '').trimEnd().split('\n')
    expect(lines.map(line => line.slice(0, 60)).toSorted()).toEqual([
      'game.ts:12: printColumns: names .spec.none, which the schema',
      'game.ts:17: has @printColumn A, which takes a name and a JSO',
      'game.ts:22: has @scale, which takes the paths of the replica',
      'game.ts:27: plural "Games" must be of a to z, 0 to 9 and \'-\'',
      'game.ts:32: has @version twice.',
      'game.ts:37: Twice has the versions v1 (game.ts:37), v2 (game',
      'game.ts:3: has no @version. Add one: @version v1',
      'game.ts:7: has @group arcade, which takes a domain with a do',
    ])
  })
})
