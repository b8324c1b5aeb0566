import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { architecturePage, dependencies } from '../../tools/architecture-diagram.ts'
import { publishedPackages, root } from '../../tools/workspace.ts'
import { leansOn, mayImport } from './architecture.ts'
import { firstCycle, folderCircle, type Import, importsBelow, importsOf } from './imports.ts'
import { moduleState, stateOf } from './module-state.ts'

/** `client` for `@wherry/client/resources/core`; undefined for packages of others. */
function ours(specifier: string): string | undefined {
  return /^@wherry\/([^/]+)/.exec(specifier)?.[1]
}

/** Each path that a pattern names by `{one,other}`. */
function eachOf(pattern: string): string[] {
  const [all, names = ''] = /(?<!!\()\{([^{}]*)\}/.exec(pattern) ?? []
  return all === undefined ? [pattern] : names.split(',').flatMap(name => eachOf(pattern.replace(all, name)))
}

/** Folders of packages with files that form no circle, not even of types: each can be read after those that it imports. */
const untangled: Readonly<Record<string, string>> = { informer: 'src', controller: 'src/reads' }

/** What the tests of each package may import besides. */
const inTests: ReadonlySet<string> = new Set(['testing', 'apiserver'])

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository: object }

describe.each(publishedPackages())('$name', ({ short, folder, manifest }) => {
  const allowed = mayImport(short)

  it('has a place in the architecture', () => {
    expect(allowed).toBeDefined()
  })

  it('imports only what it leans on', () => {
    const wrong = importsBelow(folder, false).filter(one => {
      const name = ours(one.specifier)
      return name !== undefined && name !== short && !allowed?.has(name)
    })
    expect(wrong).toEqual([])
  })

  it('imports no more in its tests than that and testing', () => {
    const wrong = importsBelow(folder, true).filter(one => {
      const name = ours(one.specifier)
      return name !== undefined && name !== short && !allowed?.has(name) && !inTests.has(name)
    })
    expect(wrong).toEqual([])
  })

  it('declares only what it leans on', () => {
    const declared = Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    })
    expect(declared.map(ours).filter(name => name !== undefined && !allowed?.has(name))).toEqual([])
  })

  it('has no circle of files that need each other at run time', () => {
    expect(firstCycle(importsBelow(folder, false))).toBeUndefined()
  })

  it('has no circle of folders that import each other, types included', () => {
    expect(folderCircle(join(folder, 'src'), importsBelow(folder, false))).toBeUndefined()
  })

  it('names only files that are there for its mutants and soaks', () => {
    const { mutants = [], soak = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).wherry ?? {}
    const named = Array.isArray(mutants) ? mutants : Object.entries(mutants).flat(2)
    const paths = [...named, ...Object.values(soak)].flatMap(path => eachOf(path as string))
    expect(paths.filter(path => globSync(path, { cwd: folder }).length === 0)).toEqual([])
  })

  it('reaches into no other package by a path', () => {
    const wrong = importsBelow(folder, false).filter(one => !join(one.from, '..', one.specifier).startsWith(folder))
    expect(wrong.filter(one => one.specifier.startsWith('.'))).toEqual([])
  })

  it('is published whole: README, licence, types, no side effects, for Node 22.19 on', () => {
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      type: 'module',
      license: 'Apache-2.0',
      sideEffects: false,
      engines: { node: '>=22.19' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      repository: { ...repository, directory: `packages/${short}` },
      homepage: expect.stringContaining(`/packages/${short}#readme`),
      wherry: { rules: expect.any(Array) },
    })
    expect(JSON.parse(text)).toMatchObject({ publishConfig: { access: 'public', provenance: true } })
    expect(JSON.parse(text)).not.toHaveProperty('funding')
    // It is read where the other files of the repository are not.
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).not.toMatch(/\]\(\./)
  })
})

describe('package.json as a search finds it', () => {
  const published = publishedPackages().map(({ name, folder }) => {
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    return { name, ...(JSON.parse(text) as { readonly description: string; readonly keywords: readonly string[] }) }
  })

  it.each(published)(
    '$name says in a line that it is for Kubernetes, and has keywords',
    ({ description, keywords }) => {
      expect(description).toMatch(/Kubernetes/)
      expect(description.length).toBeGreaterThan(60)
      // What npm shows of it in a list.
      expect(description.length).toBeLessThanOrEqual(180)
      expect(description).not.toMatch(/\.$/)
      expect(keywords.slice(0, 4)).toEqual(['kubernetes', 'k8s', 'operator', 'typescript'])
      expect(keywords.length).toBeGreaterThan(7)
      expect(new Set(keywords).size).toBe(keywords.length)
      for (const one of keywords) expect(one).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    },
  )

  it('has another description for each package', () => {
    expect(new Set(published.map(({ description }) => description)).size).toBe(published.length)
  })
})

it.each(Object.entries(untangled))('packages/%s/%s has no circle of files, types included', (name, inside) => {
  const folder = join(root, 'packages', name)
  const imports = importsBelow(folder, false).filter(({ from }) => from.startsWith(join(folder, inside)))
  expect(imports.length).toBeGreaterThan(0)
  expect(firstCycle(imports.map(one => ({ ...one, typeOnly: false })))).toBeUndefined()
})

describe('importsOf', () => {
  it('sees every way to import, and which of them are gone at run time', () => {
    const text = [
      "import a from 'value'",
      "import 'effect'",
      "import type { B } from 'type'",
      "import { type C, type D } from 'types'",
      "import { type E, f } from 'mixed'",
      "export * from 're-export'",
      "export type { G } from 're-export-type'",
      "const h = await import('dynamic')",
      "type I = import('import-type').I",
      "// import j from 'comment'",
    ].join('\n')
    const seen = importsOf('x.ts', text).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' (type)' : ''}`)
    expect(seen).toEqual([
      ...['value', 'effect', 'type (type)', 'types (type)', 'mixed', 're-export', 're-export-type (type)'],
      ...['dynamic', 'import-type (type)'],
    ])
  })
})

describe('firstCycle', () => {
  it('finds a circle of values, not one of types', () => {
    const edge = (from: string, to: string, typeOnly = false) => ({ from: `/${from}`, specifier: `./${to}`, typeOnly })
    expect(firstCycle([edge('a', 'b'), edge('b', 'c'), edge('c', 'b')])).toEqual(['/b', '/c', '/b'])
    expect(firstCycle([edge('a', 'b'), edge('b', 'a', true)])).toBeUndefined()
  })
})

describe('folderCircle', () => {
  const edge = (from: string, to: string) => ({ from: `/src/${from}`, specifier: to, typeOnly: true })
  const circle = (...imports: Import[]) => folderCircle('/src', imports)

  it('finds a circle of folders, of types and without a circle of files too', () => {
    expect(circle(edge('a/x.ts', '../b/x.ts'), edge('b/y.ts', '../a/y.ts'))).toEqual(['a', 'b', 'a'])
    expect(
      circle(edge('a/x.ts', '../b/x.ts'), edge('a/y.ts', '../c/x.ts'), edge('b/x.ts', '../c/x.ts')),
    ).toBeUndefined()
    expect(circle(edge('a/x.ts', './y.ts'), edge('a/y.ts', './x.ts'))).toBeUndefined()
  })

  it('takes a folder within a folder for one of its own', () => {
    expect(circle(edge('a/x.ts', './b/x.ts'), edge('a/b/x.ts', '../y.ts'))).toEqual(['a', 'a/b', 'a'])
  })

  it('takes each file of the root for one of its own, and finds only circles through a folder', () => {
    expect(circle(edge('x.ts', './a/x.ts'), edge('a/x.ts', '../y.ts'))).toBeUndefined()
    expect(circle(edge('x.ts', './a/x.ts'), edge('a/x.ts', '../x.ts'))).toEqual(['a', 'x.ts', 'a'])
    expect(circle(edge('x.ts', './y.ts'), edge('y.ts', './x.ts'))).toBeUndefined()
  })
})

describe('mayImport', () => {
  it('is drawn on docs/architecture.md as the package.json files have it (node tools/architecture-diagram.ts)', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    expect(architecturePage(page)).toBe(page)
  })

  it('is what each package declares, no more and no less', () => {
    for (const [name, declared] of dependencies())
      expect([name, declared]).toEqual([name, [...(leansOn(name) ?? [])].sort()])
  })

  it('follows the arrows down, and gives testing nothing but its server and cel', () => {
    expect(mayImport('transform-cache')).toEqual(new Set(['informer', 'client']))
    expect(mayImport('testing')).toEqual(new Set(['apiserver', 'cel']))
    expect(mayImport('apiserver')).toEqual(new Set(['cel']))
    expect(mayImport('cel')).toEqual(new Set())
  })
})

it('stateOf finds what changes, and neither constants nor what a function keeps for itself', () => {
  const text = [
    'let counter = 0',
    'const known = new Map()',
    'const fixed = new Set([1])',
    'const list = [1]',
    'export function note(key) { counter += 1; known.set(key, fixed.has(key)); const list = []; return list }',
  ].join('\n')
  expect(stateOf('x.ts', text)).toEqual(['counter', 'known'])
})

it('has no conflict of a merge left in a file', () => {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/generated/**']
  const files = globSync('{packages,test,tools,examples,docs}/**/*.{ts,mts,md,json,yaml,go,rs,py}', {
    cwd: root,
    exclude,
  })
  expect(files.length).toBeGreaterThan(2000)
  const withMarkers = files.filter(file => /^(?:<{7}|>{7}) /m.test(readFileSync(join(root, file), 'utf8')))
  expect(withMarkers).toEqual([])
})

it('names no registry host in a lockfile', () => {
  for (const file of [
    'pnpm-lock.yaml',
    'tools/toolchain/node24/package-lock.json',
    'tools/toolchain/node22/package-lock.json',
  ])
    expect(readFileSync(join(root, file), 'utf8')).not.toMatch(/https?:\/\//)
  // It names where its packages ask for money, too.
  expect(readFileSync(join(root, 'tools/toolchain/site/package-lock.json'), 'utf8')).not.toContain('"resolved"')
})

it('builds the site with the TypeDoc that checks the reference', () => {
  const read = (file: string): Record<string, Record<string, string>> =>
    JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, Record<string, string>>
  const site = read('tools/toolchain/site/package.json').dependencies
  const own = read('package.json').devDependencies
  expect([site?.typedoc, site?.typescript]).toEqual([own?.typedoc, own?.typescript])
})

it('names in the README and CONTRIBUTING only commands that there are', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const text = ['README.md', 'CONTRIBUTING.md'].map(file => readFileSync(join(root, file), 'utf8')).join('\n')
  const named = [...text.matchAll(/npm run ([\w-]+)/g)].map(match => match[1] as string)
  // Of the project that `npm create wherry-operator` makes.
  const created = ['dev']
  expect(named.filter(name => !(name in scripts) && !created.includes(name))).toEqual([])
  for (const command of Object.values(scripts)) expect(command).toMatch(/^node tools\/bootstrap\.mjs /)
})

/** What modules keep for speed. None of it is of one cache, client or object: each says why. */
const keptByModules: Readonly<Record<string, string>> = {
  'packages/cel/src/functions/regex.ts: compiled': 'patterns of constants, a thousand at most',
  'packages/cel/src/validator.ts: compiled': 'the rules of a schema, for as long as somebody holds the schema',
  'packages/client/src/any-signal.ts: followers':
    'signals that follow those of other libraries, for as long as somebody holds these',
  'packages/client/src/views/without-managed-fields.ts: shapes':
    'names of fields of metadata, sixteen sets of them at most',
  'packages/hash-compare/src/canonical/hash.ts: scratch': 'the text of one digest',
  'packages/hash-compare/src/canonical/writer.ts: spare': 'a buffer, wiped after each use',
}

it('D10: no module keeps what belongs to a cache or a client', () => {
  const found = publishedPackages()
    .filter(({ short }) => !inTests.has(short))
    .flatMap(({ folder }) => moduleState(folder))
  expect(found.toSorted()).toEqual(Object.keys(keptByModules).toSorted())
})
