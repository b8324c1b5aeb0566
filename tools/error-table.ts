/** Writes the tables of docs/errors.md from the docstrings of the error classes: `node tools/error-table.ts`. `test/structure` holds that they are as the source is. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { exportsOf } from '../test/structure/front-doors.ts'
import { publishedPackages, root } from './workspace.ts'

interface ErrorClass {
  readonly name: string
  readonly short: string
  readonly codes: readonly string[]
  readonly isPublic: boolean
  readonly meaning: string
}

const page = join(root, 'docs/errors.md')
/** What comes before the tables is written by hand. */
const marker = '<!-- The tables are made from the source: node tools/error-table.ts -->\n'

/** The page with its tables as they have to be. */
export function errorPage(text: string = readFileSync(page, 'utf8')): string {
  const classes = publishedPackages().flatMap(({ short, folder }) => {
    const index = join(folder, 'src/index.ts')
    const own = exportsOf(index, readFileSync(index, 'utf8')).filter(({ from }) => !from?.startsWith('@wherry/'))
    const names = new Set(own.map(({ name }) => name))
    return errorClasses(folder).map(one => ({ ...one, short, isPublic: names.has(one.name) }))
  })
  const open = classes.filter(one => one.isPublic && one.codes.length > 0)
  const shown = new Set(open.flatMap(({ codes }) => codes))
  const others = classes.filter(one => !one.isPublic && one.codes.some(code => !shown.has(code)))
  const head = text.slice(0, text.indexOf(marker) + marker.length)
  const isByName = (a: { codes: readonly string[] }, b: { codes: readonly string[] }): number =>
    (a.codes[0] ?? '') < (b.codes[0] ?? '') ? -1 : 1
  const first = open
    .toSorted(isByName)
    .map(({ codes, name, short, meaning }) => [code(codes), `\`${name}\``, short, meaning])
  const second = others.toSorted(isByName).map(({ codes, short, meaning }) => [code(codes), short, meaning])
  return `${head}
## Errors with a class

${table(['code', 'class', 'package', 'what it says'], first)}
## Errors that have a code only

${table(['code', 'package', 'what it says'], second)}`
}

function code(codes: readonly string[]): string {
  return codes.map(one => `\`${one}\``).join(', ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`
}

/** The error classes of a package that have a docstring and a code. */
function errorClasses(folder: string): Pick<ErrorClass, 'name' | 'codes' | 'meaning'>[] {
  const files = globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', '**/testkit/**'] }).sort()
  return files.flatMap(file => {
    const text = readFileSync(join(folder, file), 'utf8')
    const found = text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:abstract )?class (\w+Error)[\s\S]*?\n\}/g)
    return [...found].map(([whole, docstring = '', name = '']) => ({
      name,
      codes: codesOf(whole, text),
      meaning: firstSentence(docstring),
    }))
  })
}

/** The codes that a class can have: its one, or those of the union that its `code` is of. */
function codesOf(declaration: string, text: string): string[] {
  const one = /readonly code(?::[^=]*)? = '([A-Z_]+)'/.exec(declaration)?.[1]
  if (one !== undefined) return [one]
  const union = /readonly code: (\w+)/.exec(declaration)?.[1]
  const members =
    union === undefined ? undefined : new RegExp(`export type ${union} =([^\\n]*(?:\\n  [^\\n]*)*)`).exec(text)?.[1]
  return [...(members?.matchAll(/'([A-Z_]+)'/g) ?? [])].map(([, member = '']) => member)
}

function firstSentence(docstring: string): string {
  const text = docstring
    .replace(/\n\s*\* @[\s\S]*$/, '')
    .replaceAll(/\n\s*\* ?/g, ' ')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/ \(rules? [^)]*\)/g, '')
    .trim()
  return (/^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text).replaceAll('|', '\\|')
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(page, errorPage())
  console.log(`wrote ${relative(root, page)}`)
}
