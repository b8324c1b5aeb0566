import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readYaml } from '@wherry/crd/internal'
import { growth } from '@wherry/testing/testkit/growth'
import fc from 'fast-check'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Project, temporaryProject } from '../testkit/project.ts'
import { type Ran, run, testkit } from '../testkit/run.ts'

const numRuns = Number(process.env.WHERRY_SEEDS ?? 150)
let project: Project

beforeEach(async () => {
  project = await temporaryProject()
})

afterEach(() => project[Symbol.asyncDispose]())

/** A definition with this schema for its field spec, and other changes. */
const defined = (spec: object, changes: object = {}): Record<string, unknown> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { kind: 'Game', plural: 'games' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
    ...changes,
  },
})

const named = (names: object) => defined({ type: 'object' }, { names: { kind: 'Game', plural: 'games', ...names } })

/** One sentence: the status of a refusal, and a line. */
function expectSentence({ status, stderr }: Ran): void {
  expect([1, 2]).toContain(status)
  expect(stderr).toMatch(/^wherry: .+\n$/)
  expect(stderr).not.toMatch(/\bat .*\.ts:\d|TypeError|RangeError|undefined is not|Cannot read/)
}

describe('a definition of a stranger is refused with a sentence', () => {
  it.for([
    ['a kind that leaves the folder', named({ kind: '../../escaped' }), 'spec.names.kind'],
    ['a kind of another file', named({ kind: '../main' }), 'spec.names.kind'],
    ['a list kind', named({ listKind: 'X*/ y' }), 'spec.names.listKind'],
    ['a plural', named({ plural: '../x' }), 'spec.names.plural'],
    [
      'code in a type',
      defined({ type: 'string }; globalThis.x = 1; interface Q { b: string' }),
      'it takes one of string',
    ],
    ['code in a limit', defined({ type: 'string', maxLength: '1 */' }), 'maxLength'],
    ['a list without items', defined({ type: 'array' }), 'an array needs items'],
    ['a schema that is null', defined({ type: 'object', properties: { a: null } }), 'properties[a]: a schema is a map'],
    ['no spec', { ...defined({}), spec: undefined }, 'spec: it is missing'],
    ['versions that are no list', defined({}, { versions: { v1: {} } }), 'spec.versions: it takes a list'],
    ['versions of null', defined({}, { versions: [null] }), 'a version is a map'],
    ['an older version of definitions', { ...defined({}), apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'apiVersion'],
    ['items of null', { kind: 'List', items: [null] }, 'has no CustomResourceDefinition'],
    ['a field of null', defined({ type: null }), 'type: it takes one of'],
  ] as const)('%s', async ([, definition, words]) => {
    const input = JSON.stringify(definition)
    for (const line of [`types - --out ${project.folder}/out`, 'types -', 'crd arcade.crd.ts --diff -']) {
      const ran = await run(line, testkit, input)
      expectSentence(ran)
      expect(ran.stderr).toContain(words)
    }
    expect(readdirSync(project.folder)).toEqual(['tsconfig.json'])
  })

  it.for([
    [
      'a bomb',
      `a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n${[...'bcdefghijkl'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijk'[at]}`)}]\n`).join('')}`,
    ],
    ['a key twice', 'kind: CustomResourceDefinition\nkind: CustomResourceDefinition\n'],
    ['an anchor in itself', '&a [*a]'],
    ['100,000 brackets', '['.repeat(100_000)],
    ['5,000 levels', Array.from({ length: 5000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['no text', '\u0000\u001b[31m: ['],
  ] as const)('%s', async ([, input]) => {
    for (const line of ['types -', 'crd arcade.crd.ts --diff -']) expectSentence(await run(line, testkit, input))
    await writeFile(join(project.folder, 'roles.yaml'), input)
    await mkdir(join(project.folder, '.wherry/rights'), { recursive: true })
    const right = { verb: 'get', group: '', resource: 'pods', namespace: 'a', name: 'b' }
    await writeFile(join(project.folder, '.wherry/rights/a.json'), JSON.stringify({ test: 'a', rights: [right] }))
    expectSentence(await run('rbac --granted roles.yaml', project.folder))
  })

  it('1,000 levels of a schema', async () => {
    let schema: object = { type: 'string' }
    for (let level = 0; level < 1000; level += 1) schema = { type: 'object', properties: { a: schema } }
    expectSentence(await run('types -', testkit, JSON.stringify(defined(schema))))
  })
})

it('merge keys and the scalars of YAML 1.1 are read as kubectl reads them', async () => {
  const [{ base, game } = { base: 0, game: 0 }] = readYaml(
    'base: &base { served: yes, mode: 0644 }\ngame: { <<: *base, name: "no" }',
  ) as readonly { readonly base: unknown; readonly game: unknown }[]
  expect([base, game]).toEqual([
    { served: true, mode: 420 },
    { served: true, mode: 420, name: 'no' },
  ])
})

it('--out is not left through a link', async () => {
  await mkdir(join(project.folder, 'out'))
  const victim = join(project.folder, 'main.ts')
  await writeFile(victim, 'mine')
  await symlink(victim, join(project.folder, 'out/game.ts'))
  const input = JSON.stringify(defined({ type: 'object' }))
  for (const flag of ['', ' --check']) {
    const ran = await run(`types - --out out${flag}`, project.folder, input)
    expectSentence(ran)
    expect(ran.stderr).toContain('out/game.ts is a link')
  }
  expect(await readFile(victim, 'utf8')).toBe('mine')
})

it('maps are read in time that grows with them', { timeout: 120_000 }, () => {
  const texts = new Map(
    [1000, 40_000].map(size => [size, Array.from({ length: size }, (_, at) => `k${at}: ${at}`).join('\n')]),
  )
  expect(growth([1000, 40_000], size => void readYaml(texts.get(size) ?? ''))).toBeLessThan(250)
})

/** Any JSON in the place of a part of a definition. */
const anything = fc.oneof(
  fc.constantFrom(
    '../x',
    '*/ x',
    '`',
    'a\n@group x',
    '__proto__',
    'string',
    'object',
    'array',
    -1,
    1e308,
    null,
    [],
    {},
  ),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
)

const full = defined(
  {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', description: 'An a.', pattern: '^a', enum: ['a', 'b'], default: 'a' },
      b: { type: 'array', items: { type: 'integer', minimum: 1 }, 'x-kubernetes-list-type': 'set' },
      c: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-validations': [{ rule: 'true' }] },
    },
  },
  {},
)

/** The definition with a part of it replaced, and with a key of it renamed. */
function changed(value: unknown, steps: readonly number[], part: unknown, rename: string | undefined): unknown {
  if (typeof value !== 'object' || value === null || steps.length === 0) return part
  const [step = 0, ...rest] = steps
  const entries = Object.entries(value)
  const at = step % Math.max(entries.length, 1)
  const next = entries.map(([key, one], index) => {
    if (index !== at) return [key, one] as const
    return [
      rest.length === 0 ? (rename ?? key) : key,
      changed(one, rest, rename === undefined ? part : one, rename),
    ] as const
  })
  return Array.isArray(value) ? next.map(([, one]) => one) : Object.fromEntries(next)
}

/** What a file of types may say: nothing that runs. */
function isOnlyTypes(text: string): boolean {
  const file = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest)
  return file.statements.every(
    one => ts.isImportDeclaration(one) || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one),
  )
}

it('each definition becomes types and nothing that runs, or is refused with a sentence', {
  timeout: 3_600_000,
}, async () => {
  const definition = fc
    .tuple(fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }), anything, fc.option(fc.string(), { nil: undefined }))
    .map(([steps, part, rename]) => changed(full, steps, part, rename))
  const input = fc.oneof(
    { weight: 4, arbitrary: definition.map(one => JSON.stringify(one)) },
    { weight: 2, arbitrary: definition.map(one => stringify(one)) },
    {
      weight: 1,
      arbitrary: fc.tuple(definition, fc.nat(), fc.string({ maxLength: 5 })).map(([one, at, text]) => {
        const yaml = stringify(one)
        const place = at % (yaml.length + 1)
        return yaml.slice(0, place) + text + yaml.slice(place)
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(input, async content => {
      const types = await run('types -', testkit, content)
      if (types.status === 0) expect([isOnlyTypes(types.stdout), types.stderr]).toEqual([true, ''])
      else expectSentence(types)
      const diff = await run('crd arcade.crd.ts --diff -', testkit, content)
      // It says how many changes are not safe, or that this is another definition.
      if (diff.status !== 0) expectSentence(diff)
      expect(existsSync(join(testkit, 'x'))).toBe(false)
    }),
    { numRuns },
  )
})
