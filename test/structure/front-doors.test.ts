import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../tools/error-table.ts'
import { optionPage, optionSets } from '../../tools/option-table.ts'
import { sizePage } from '../../tools/size-table.ts'
import { publishedPackages, root } from '../../tools/workspace.ts'
import { exportsOf, publicNames, whatUsersRead } from './front-doors.ts'

const names = publishedPackages().flatMap(publicNames)
/** Types are not bounded: each one that a public signature names is exported (`npm test -- --all --only api`). */
const values = names.filter(({ isType }) => !isType)
/** One that two packages export is one: `testing` exports what its server does. */
const count = new Set(values.map(({ name, origin }) => `${name} ${origin}`)).size

/** Types of two packages that have one name: seams that packages have of their own, in one shape, and words of the field that are small. */
const shared = [
  ...['Applied', 'Clock', 'CloseReason', 'Condition', 'Connection', 'Deleted', 'Environment', 'ErrorContext'],
  ...['Exchange', 'Handler', 'Hold', 'LogFields', 'LogLevel', 'MetricLabels', 'Metrics', 'RawSocket'],
  ...['ReadListOptions'],
  ...['ReadOptions', 'ReplaceOptions', 'RequestHead', 'ResponseHandlers', 'ResponseHeaders', 'StopOptions', 'Timer'],
  ...['Transport', 'WaitOptions', 'WarningContext'],
]

describe('the front doors', () => {
  it('have at most 206 values', () => {
    expect(count).toBeLessThanOrEqual(206)
    expect(count).toBeGreaterThan(150)
  })

  it('have at most 46 classes of errors', () => {
    const errors = new Set(
      values.filter(({ name }) => name.endsWith('Error') && !name.startsWith('is')).map(one => one.name),
    )
    expect(errors.size).toBeLessThanOrEqual(46)
  })

  it('have no value that no page, example or docstring names', () => {
    const words = new Set(whatUsersRead(root).match(/[A-Za-z_$][\w$]*/g))
    expect(values.filter(({ name }) => !words.has(name)).map(({ name, door }) => `${name} of ${door}`)).toEqual([])
  })

  it('have no name with two meanings, but for small types', () => {
    const meanings = Map.groupBy(names, ({ name }) => name)
    const twice = [...meanings].filter(([, all]) => new Set(all.map(({ origin }) => origin)).size > 1)
    expect(twice.map(([name]) => name).sort()).toEqual(shared)
    const valuesTwice = twice.filter(([, all]) => all.filter(({ isType }) => !isType).length > 1)
    expect(valuesTwice.map(([name]) => name)).toEqual([])
  })

  it('are the only ones that examples, pages and the demo use', () => {
    const files = globSync(
      ['README.md', 'docs/*.md', 'packages/*/README.md', 'examples/**/*.{ts,md}', 'tools/demo/**/*.{ts,md}'],
      {
        cwd: root,
        exclude: ['**/node_modules/**', '**/*.test.ts'],
      },
    )
    const wrong = files.filter(file => readFileSync(join(root, file), 'utf8').match(/\/internal[\w/-]*'/))
    expect(wrong).toEqual([])
  })
})

/** Loaded as a whole, by one file, if a program has expressions. */
const isEvaluator = (door: string): boolean => door === './internal/evaluator'

describe('`./internal`', () => {
  const internal = publishedPackages().flatMap(({ name, folder, manifest }) => {
    const doors = Object.keys(manifest.exports ?? {}).filter(
      door => door.startsWith('./internal') && !isEvaluator(door),
    )
    return doors.flatMap(door => {
      const source = join(folder, `src/${door.slice(2)}.ts`)
      return exportsOf(source, readFileSync(source, 'utf8')).map(one => ({
        ...{ name: one.name, of: name, folder },
        door: `${name}${door.slice(1)}`,
      }))
    })
  })

  it('has no name that is public too', () => {
    const twice = internal.filter(one => names.some(({ name, door }) => door === one.of && name === one.name))
    expect(twice).toEqual([])
  })

  it('has only what another package, a test of the workspace, a tool or an example imports', () => {
    const files = globSync('{packages/*/{src,scripts}/**,test/**,tools/**,examples/**}/*.ts', {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    })
    const imported = new Set(
      files.flatMap(file => {
        const text = readFileSync(join(root, file), 'utf8')
        const lists = text.matchAll(
          /(?:import|export|const) (?:type )?\{([^}]*)\} (?:from |= await import\()'(@wherry\/[\w-]+\/internal[\w/-]*)'/g,
        )
        const spaces = text.matchAll(/import (?:type )?\* as (\w+) from '(@wherry\/[\w-]+\/internal[\w/-]*)'/g)
        return [
          ...[...lists].flatMap(([, list = '', of]) =>
            list.split(',').map(
              one =>
                `${
                  one
                    .trim()
                    .replace(/^type /, '')
                    .split(' as ')[0]
                } of ${of}`,
            ),
          ),
          ...[...spaces].flatMap(([, as, of]) =>
            [...text.matchAll(new RegExp(`\\b${as}\\.(\\w+)`, 'g'))].map(([, one]) => `${one} of ${of}`),
          ),
        ]
      }),
    )
    const unused = internal.map(({ name, door }) => `${name} of ${door}`).filter(one => !imported.has(one))
    expect(unused).toEqual([])
  })
})

it('exportsOf finds names, renamed ones, types and constants', () => {
  const text = "export { a, b as c } from './x.ts'\nexport type { T } from '@wherry/client'\nexport const d = 1"
  expect(exportsOf('a.ts', text)).toEqual([
    { name: 'a', from: './x.ts', isType: false },
    { name: 'c', from: './x.ts', isType: false },
    { name: 'T', from: '@wherry/client', isType: true },
    { name: 'd', from: undefined, isType: false },
  ])
})

it('the tables of docs/errors.md are as the source is (node tools/error-table.ts)', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  expect(errorPage(page)).toBe(page)
})

describe('docs/sizes.md', () => {
  const page = readFileSync(join(root, 'docs/sizes.md'), 'utf8')

  it('is as bounds, benchmarks and lockfile are (node tools/size-table.ts)', () => {
    expect(sizePage(page)).toBe(page)
  })

  it('has a figure in each cell that is ours', () => {
    const rows = page.split('\n').filter(line => /^\| (`|\[)/.test(line) && !line.includes('npm install'))
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter(line => !/\d/.test(line.split(' | ').slice(1, 3).join()))).toEqual([])
  })
})

describe('docs/options.md', () => {
  it('is as the source is (node tools/option-table.ts)', () => {
    const page = readFileSync(join(root, 'docs/options.md'), 'utf8')
    expect(optionPage(page)).toBe(page)
  })

  it('says of each option what it does, and of each set what it is for', () => {
    const sets = optionSets()
    const silent = sets.flatMap(({ name, meaning, options }) => [
      ...(meaning === '' ? [name] : []),
      ...options.filter(one => one.meaning === '').map(one => `${name}.${one.name}`),
    ])
    expect(silent).toEqual([])
    expect(sets.length).toBeGreaterThan(80)
  })
})

it('each name that a text gives to a package is exported by it', () => {
  const exported = new Map(
    publishedPackages().map(one => [one.name, new Set(publicNames(one).map(({ name }) => name))]),
  )
  const wrong = [...whatUsersRead(root).matchAll(/`([A-Za-z]\w+)` \(?(?:of|from) `(@wherry\/[\w-]+)`/g)].filter(
    ([, name = '', of = '']) => exported.get(of)?.has(name) !== true,
  )
  expect(wrong.map(([text]) => text)).toEqual([])
})
