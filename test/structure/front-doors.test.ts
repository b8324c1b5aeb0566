import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../tools/error-table.ts'
import { publishedPackages, root } from '../../tools/workspace.ts'
import { exportsOf, publicNames, whatUsersRead } from './front-doors.ts'

const names = publishedPackages().flatMap(publicNames)

describe('the front doors', () => {
  it('have at most 380 names', () => {
    expect(names.length).toBeLessThanOrEqual(380)
    expect(names.length).toBeGreaterThan(200)
  })

  it('have at most 42 classes of errors', () => {
    const errors = new Set(
      names.filter(({ name }) => name.endsWith('Error') && !name.startsWith('is')).map(one => one.name),
    )
    expect(errors.size).toBeLessThanOrEqual(42)
  })

  it('have no name that no page, example or docstring names', () => {
    const words = new Set(whatUsersRead(root).match(/[A-Za-z_$][\w$]*/g))
    expect(names.filter(({ name }) => !words.has(name)).map(({ name, door }) => `${name} of ${door}`)).toEqual([])
  })

  it('have no name with two meanings', () => {
    const meanings = Map.groupBy(names, ({ name }) => name)
    const twice = [...meanings].filter(([, all]) => new Set(all.map(({ origin }) => origin)).size > 1)
    expect(twice.map(([name, all]) => `${name}: ${all.map(({ door }) => door).join(', ')}`)).toEqual([])
  })

  it('are the only ones that examples, pages and the demo use', () => {
    const files = globSync(
      ['README.md', 'docs/*.md', 'packages/*/README.md', 'examples/**/*.{ts,md}', 'tools/demo/**/*.{ts,md}'],
      {
        cwd: root,
        exclude: ['**/node_modules/**', '**/*.test.ts'],
      },
    )
    const wrong = files.filter(file => readFileSync(join(root, file), 'utf8').includes("/internal'"))
    expect(wrong).toEqual([])
  })
})

describe('`./internal`', () => {
  it('has no name that is public too', () => {
    const twice = publishedPackages().flatMap(({ name, folder, manifest }) => {
      if (manifest.exports?.['./internal'] === undefined) return []
      const source = join(folder, 'src/internal.ts')
      const internal = exportsOf(source, readFileSync(source, 'utf8')).map(one => one.name)
      return names.filter(one => one.door === name && internal.includes(one.name)).map(one => `${one.name} of ${name}`)
    })
    expect(twice).toEqual([])
  })
})

it('exportsOf finds names, renamed ones, types and constants', () => {
  const text = "export { a, b as c } from './x.ts'\nexport type { T } from '@wherry/client'\nexport const d = 1"
  expect(exportsOf('a.ts', text)).toEqual([
    { name: 'a', from: './x.ts' },
    { name: 'c', from: './x.ts' },
    { name: 'T', from: '@wherry/client' },
    { name: 'd', from: undefined },
  ])
})

it('the tables of docs/errors.md are as the source is (node tools/error-table.ts)', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  expect(errorPage(page)).toBe(page)
})
