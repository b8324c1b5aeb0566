import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { interfaceDefinitions } from '../interface/definitions.ts'
import { runCommand } from '../run.ts'
import { type Project, temporaryProject } from '../testkit/project.ts'
import { run, testkit } from '../testkit/run.ts'
import { comparable } from '../testkit/same-definition.ts'
import { TypeFile } from './fields.ts'

const root = resolve(import.meta.dirname, '../../../..')
let project: Project
let folder: string

beforeEach(async () => {
  project = await temporaryProject()
  folder = project.folder
})

afterEach(() => project[Symbol.asyncDispose]())

async function definitionsIn(file: string): Promise<CustomResourceDefinition[]> {
  const documents = parseAllDocuments(await readFile(file, 'utf8')).map(one => one.toJS())
  return documents.filter(one => one?.kind === 'CustomResourceDefinition')
}

const examples = globSync('examples/{*,ported/*}/{deploy/crd/*,manifest}.yaml', { cwd: root })
const { WHERRY_DATA: data } = process.env
const given = data === undefined ? [] : globSync('**/*.crd.yaml', { cwd: data }).map(file => join(data, file))
const files = [
  ...examples.map(file => join(root, file)),
  ...given,
  join(testkit, 'game.yaml'),
  join(testkit, 'every.yaml'),
]

interface Odd {
  readonly names?: object
  readonly spec?: object
  readonly metadata?: object
  readonly version?: object
}

/** Writes a definition with these parts to odd.json. */
async function writeOdd({ names, spec = { type: 'object' }, metadata, version }: Odd): Promise<void> {
  const [game] = await definitionsIn(join(testkit, 'game.yaml'))
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const definition = {
    ...game,
    metadata: { ...game?.metadata, ...metadata },
    spec: {
      ...{ ...game?.spec, names: { kind: 'Game', plural: 'games', ...names } },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...version }],
    },
  }
  await writeFile(join(folder, 'odd.json'), JSON.stringify(definition))
}

/** What `wherry crd` makes of the types of such a definition. */
async function roundTrip(odd: Odd): Promise<CustomResourceDefinition | undefined> {
  await writeOdd(odd)
  const { stdout, stderr } = await run('types odd.json --out .', folder)
  expect(stderr).toBe('')
  return interfaceDefinitions([join(folder, stdout.replace('./', '').split(':')[0] ?? '')], folder)[0]
}

function specOf(definition: CustomResourceDefinition | undefined): unknown {
  return definition?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec
}

describe('wherry types', () => {
  it('K2: types made from a definition make that definition again', { timeout: 300_000 }, async () => {
    const definitions = await Promise.all(files.map(definitionsIn))
    // One program reads the types of all kinds. Another definition of the same kind needs another program.
    const rounds: Map<string, CustomResourceDefinition>[] = []
    for (const definition of definitions.flat()) {
      const { name = '' } = definition.metadata ?? {}
      const round = rounds.find(one => isDeepStrictEqual(one.get(name) ?? definition, definition))
      if (round === undefined) rounds.push(new Map([[name, definition]]))
      else round.set(name, definition)
    }
    for (const [at, round] of rounds.entries()) {
      const types: string[] = []
      for (const [name, definition] of round) {
        const made = join(folder, `${name}.yaml`)
        await writeFile(made, JSON.stringify(definition))
        const out = join(folder, `${at}/${name}`)
        expect(await run(`types ${made} --out ${out}`)).toMatchObject({ status: 0, stderr: '' })
        types.push(join(out, `${definition.spec.names.kind.toLowerCase()}.ts`))
      }
      const again = new Map(interfaceDefinitions(types, folder).map(one => [one.metadata?.name, comparable(one)]))
      expect(again).toEqual(new Map([...round].map(([name, one]) => [name, comparable(one)])))
    }
    expect(rounds[0]?.size).toBeGreaterThan(3)
  })

  it('K2: what the server takes and no tag says comes back as it was', async () => {
    const odd = {
      listed: { type: 'string', nullable: true, enum: ['a', 'b'] },
      numbers: { type: 'integer', nullable: true, enum: [1, 2], minimum: 1, format: 'int32' },
      text: { type: 'string', maximum: 3, format: 'int32' },
      time: { type: 'string', format: 'date-time', pattern: '^2' },
      list: { type: 'array', maxLength: 2, items: { type: 'string' } },
      any: { 'x-kubernetes-preserve-unknown-fields': true, minimum: 1 },
      values: { 'x-kubernetes-preserve-unknown-fields': true, enum: [1] },
      map: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true, required: ['q'] },
      port: {
        ...{ 'x-kubernetes-int-or-string': true, nullable: true, format: 'int32' },
        anyOf: [{ type: 'integer' }, { type: 'string' }],
      },
    }
    const [game] = await definitionsIn(join(testkit, 'game.yaml'))
    const metadata = { type: 'object', properties: { name: { type: 'string', maxLength: 20, pattern: '^a' } } }
    const own = { metadata, spec: { type: 'object', properties: odd } }
    const schema = { openAPIV3Schema: { type: 'object', properties: own } }
    const definition = {
      ...game,
      spec: { ...game?.spec, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    }
    await writeFile(join(folder, 'odd.json'), JSON.stringify(definition))
    await run('types odd.json --out .', folder)
    const [again] = interfaceDefinitions([join(folder, 'game.ts')], folder)
    const { properties } = again?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec ?? {}
    expect(properties).toEqual(odd)
    expect(again?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.metadata).toEqual(metadata)
  })

  it.each([
    ...[
      'class',
      'string',
      'any',
      'interface',
      'Map',
      'Set',
      'Date',
      'Record',
      'Object',
      'Function',
      'Array',
      'Promise',
    ],
    ...['ObjectMeta', 'Partial', 'Error', 'Symbol', 'Omit', 'Exclude', 'import', 'await', 'object', 'Int', 'a-b'],
  ])('K2: a kind with the name of something else comes back: %s', async kind => {
    const spec = {
      type: 'object',
      properties: { constructor: { type: 'object', properties: { a: { type: 'string' } } } },
    }
    const again = await roundTrip({ names: { kind }, spec })
    expect(again?.spec.names.kind).toBe(kind)
    expect(specOf(again)).toEqual(spec)
  })

  it('K2: a required field that is none of the properties is kept, whatever objects have', async () => {
    const spec = { type: 'object', properties: { a: { type: 'string' } }, required: ['constructor', 'a'] }
    expect(specOf(await roundTrip({ spec }))).toEqual({ ...spec, required: ['constructor', 'a'] })
  })

  it.each([
    'a\nb',
    'a\r\n@group other.example.com',
    ' a',
    '',
    '"a"',
    '"a',
    'a*/b\n',
    'a*\\/b',
    '\\u2028 \u2028\n',
    '@group x',
  ])('K2: an annotation, a label and a warning come back as they were: %j', async text => {
    const metadata = { annotations: { 'example.com/a': text, z: 'last' }, labels: { a: text } }
    const again = await roundTrip({ metadata, version: { deprecated: true, deprecationWarning: text } })
    expect(again?.metadata).toMatchObject(metadata)
    expect(again?.spec).toMatchObject({ group: 'arcade.example.com' })
    expect(again?.spec.versions[0]).toMatchObject({
      deprecated: true,
      ...(text !== '' && { deprecationWarning: text }),
    })
  })

  it('K2: keys of a list map with a line break add no tags', async () => {
    const item = { type: 'object', properties: { a: { type: 'string' } } }
    const keys = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a\n * @maxItems 1'] }
    await writeOdd({ spec: { type: 'object', properties: { list: { type: 'array', items: item, ...keys } } } })
    expect((await run('types odd.json', folder)).stdout).not.toMatch(/^ *\* @maxItems/m)
  })

  it('names that collapse into one are found in time that grows with their number', async () => {
    const properties = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `${String.fromCodePoint(0x4e00 + at)}`,
          { type: 'object', properties: { a: { type: 'string' } } },
        ]),
      )
    const names = new TypeFile()
    let asked = 0
    const has = Set.prototype.has
    Set.prototype.has = function counted(this: Set<unknown>, value: unknown) {
      asked += 1
      return has.call(this, value)
    }
    try {
      names.members({ type: 'object', properties: properties(5000) } as never, 'Game')
    } finally {
      Set.prototype.has = has
    }
    expect(asked).toBeLessThan(200_000)
  })

  it('writes interfaces with doc comments', async () => {
    const { stdout } = await run('types every.yaml')
    await expect(stdout).toMatchFileSnapshot('../testkit/every.ts.txt')
  })

  it('reads the standard input', async () => {
    let stdout = ''
    const stdin = Readable.from([await readFile(join(testkit, 'every.yaml'), 'utf8')])
    const output = { write: (text: string) => (stdout += text) }
    expect(await runCommand(['types', '-'], { stdin, stdout: output, stderr: output, cwd: testkit })).toBe(0)
    expect(stdout).toBe((await run('types every.yaml')).stdout)
  })

  it('K5: --check fails for stale and missing files, with the command that renews them', async () => {
    const line = `types every.yaml --out ${folder}`
    const missing = await run(`${line} --check`)
    expect([missing.status, missing.stdout]).toEqual([1, `${folder}/every.ts: missing\n`])
    expect(missing.stderr).toContain(`this command renews them: wherry ${line}\n`)
    expect((await run(line)).stdout).toBe(`${folder}/every.ts: written\n`)
    expect(await run(`${line} --check`)).toMatchObject({ status: 0, stdout: `${folder}/every.ts: current\n` })
    const formatted = (await readFile(join(folder, 'every.ts'), 'utf8')).replaceAll(/^ {2}/gm, '\t')
    await writeFile(join(folder, 'every.ts'), formatted)
    expect((await run(line)).stdout).toBe(`${folder}/every.ts: current\n`)
    expect(await readFile(join(folder, 'every.ts'), 'utf8')).toBe(formatted)
    await writeFile(join(folder, 'every.ts'), 'export {}\n')
    expect(await run(`${line} --check`)).toMatchObject({ status: 1, stdout: `${folder}/every.ts: stale\n` })
  })

  it.for([
    ['types none.yaml', 2, "none.yaml can't be read"],
    ['types every.yaml --check', 2, '--check needs --out'],
    ['types run.ts', 1, 'run.ts'],
    ['types empty.yaml', 1, 'empty.yaml has no CustomResourceDefinition'],
  ] as const)('ends the command line "%s" with %i', async ([line, status, words]) => {
    await writeFile(join(folder, 'empty.yaml'), 'kind: Namespace\n')
    const ran = await run(line.replace('empty', `${folder}/empty`))
    expect([ran.status, ran.stdout]).toEqual([status, ''])
    expect(ran.stderr).toContain(words)
  })
})

it('the definition that has everything is one', async () => {
  expect(parse(await readFile(join(testkit, 'every.yaml'), 'utf8'))).toMatchObject({ kind: 'CustomResourceDefinition' })
})
