import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inOrder } from './build.ts'
import { loadedBy } from './checks/sizes.ts'
import { entries, withClassNames } from './tsdown.ts'
import type { WorkspacePackage } from './workspace.ts'

function onePackage(short: string, ...leansOn: string[]): WorkspacePackage {
  const name = `@wherry/${short}`
  const dependencies = Object.fromEntries(leansOn.map(other => [`@wherry/${other}`, 'workspace:*']))
  return { short, name, folder: `/packages/${short}`, manifest: { name, version: '0.0.0', dependencies } }
}

it('builds each package after those that it leans on', () => {
  const packages = [
    onePackage('controller', 'informer', 'client'),
    onePackage('informer', 'client'),
    onePackage('client'),
  ]
  expect(inOrder(packages).map(one => one.short)).toEqual(['client', 'informer', 'controller'])
})

it('refuses packages that lean on each other', () => {
  expect(() => inOrder([onePackage('a', 'b'), onePackage('b', 'a')])).toThrow('@wherry/a → @wherry/b → @wherry/a')
})

it('takes the sources of a package from its exports', () => {
  expect(entries({ '.': { default: './dist/index.js' }, './x': { default: './dist/x/y.js' } })).toEqual([
    'src/index.ts',
    'src/x/y.ts',
  ])
})

it('declares a class that names itself, so that it keeps its name', () => {
  const code = 'var A = class A extends Error {\n\tstatic a = new A();\n};\nconst b = class c {};\n'
  expect(withClassNames(code)).toBe('class A extends Error {\n\tstatic a = new A();\n};\nconst b = class c {};\n')
})

it('counts the chunks that an entry loads, and not those that it may load later', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sizes-'))
  const files = {
    'index.js': 'import {\n  a,\n} from "./a.js"\nconst c = () => import("./later.js")\nimport "node:fs"\n',
    'a.js': 'const d=1;import{e}from"node:os";import{f,\ng}from"./b.js";export{d};\n',
    'b.js': '',
    'later.js': '',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const names = [...loadedBy(join(folder, 'index.js'))].map(file => file.slice(folder.length + 1))
  rmSync(folder, { recursive: true })
  expect(names.sort()).toEqual(['a.js', 'b.js', 'index.js'])
})
