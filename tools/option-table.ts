/** Writes docs/options.md from the docstrings of the options: `node tools/option-table.ts`. `test/structure` holds that it is as the source is. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { exportsOf } from '../test/structure/front-doors.ts'
import { publishedPackages, root } from './workspace.ts'

/** One option, as its docstring says it. */
export interface Option {
  readonly name: string
  readonly type: string
  /** `undefined`: it has to be given. */
  readonly fallback: string | undefined
  readonly meaning: string
}

/** The options of one public constructor or call. */
export interface OptionSet {
  readonly name: string
  readonly short: string
  readonly meaning: string
  /** Options that it takes over from another set. */
  readonly bases: readonly string[]
  readonly options: readonly Option[]
}

const page = join(root, 'docs/options.md')
/** What comes before the tables is written by hand. */
const marker = '<!-- The tables are made from the source: node tools/option-table.ts -->\n'

/** What a user holds, and the packages with its options. */
const groups: readonly (readonly [title: string, packages: readonly string[]])[] = [
  ['An operator and its controllers', ['controller', 'webhook']],
  ['A client', ['client', 'streams']],
  ['Informers, caches and watches', ['informer', 'dynamic-cache', 'narrow-cache', 'transform-cache', 'watch-manager']],
  ['Writes', ['hash-compare', 'copies']],
  ['A queue', ['work-queue']],
  ['Definitions', ['crd', 'storage-migrator']],
  ['Tests', ['testing', 'apiserver', 'cel']],
]

/** The public sets of options of all packages, each package's by name. */
export function optionSets(): OptionSet[] {
  return publishedPackages().flatMap(({ short, folder, manifest }) => {
    const doors = Object.keys(manifest.exports ?? {}).filter(door => !/internal|resources/.test(door))
    const files = doors.map(door => join(folder, 'src', `${door === '.' ? 'index' : door.slice(2)}.ts`))
    const names = new Set(files.flatMap(file => exportsOf(file, readFileSync(file, 'utf8')).map(({ name }) => name)))
    const exclude = ['**/*.test.ts', '**/testkit/**', '**/generated/**', '**/resources/**']
    const sources = globSync('src/**/*.ts', { cwd: folder, exclude }).sort()
    const sets = sources.flatMap(file => setsIn(join(folder, file), short))
    return sets.filter(one => names.has(one.name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  })
}

function setsIn(file: string, short: string): OptionSet[] {
  const text = readFileSync(file, 'utf8')
  if (!/^export interface \w+(Options|Settings)\b/m.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  return source.statements.flatMap(node => {
    if (!ts.isInterfaceDeclaration(node) || !/(Options|Settings)$/.test(node.name.text)) return []
    const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map(one => oneLine(one.getText())))
    const options = node.members.flatMap(member => {
      if (!ts.isPropertySignature(member) && !ts.isMethodSignature(member)) return []
      return [optionOf(member)]
    })
    return [{ name: node.name.text, short, meaning: docOf(node).text, bases, options }]
  })
}

function optionOf(member: ts.PropertySignature | ts.MethodSignature): Option {
  const { text, fallback } = docOf(member)
  const type = ts.isMethodSignature(member)
    ? `(${member.parameters.map(one => one.getText()).join(', ')}) => ${member.type?.getText() ?? 'void'}`
    : (member.type?.getText() ?? '')
  const isOptional = member.questionToken !== undefined
  return {
    name: member.name.getText(),
    type: oneLine(type)
      .replace(/^\| /, '')
      .replace(/ \| undefined$/, ''),
    fallback: isOptional ? (fallback ?? 'none') : undefined,
    meaning: text,
  }
}

/** The tags of docstrings. A name of a package such as `@wherry/crd` that stands without backticks is read as another one, and ends the sentence. */
const tagNames: ReadonlySet<string> = new Set([
  'default',
  'throws',
  'param',
  'returns',
  'example',
  'see',
  'deprecated',
  'internal',
])

/** @throws Error for a docstring with a tag that nobody meant and that cuts off the rest */
function checkTags(node: ts.Node, tags: readonly ts.JSDocTag[]): void {
  const unknown = tags.find(one => !tagNames.has(one.tagName.text))
  if (unknown === undefined) return
  const { fileName, text } = node.getSourceFile()
  const line = text.slice(0, unknown.pos).split('\n').length
  throw new Error(
    `${relative(root, fileName)}:${line}: @${unknown.tagName.text} is read as a tag: write it in backticks`,
  )
}

function docOf(node: ts.Node): { readonly text: string; readonly fallback: string | undefined } {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tags = doc?.tags ?? []
  checkTags(node, tags)
  const said = (comment: ts.JSDoc['comment']): string => oneLine(ts.getTextOfJSDocComment(comment) ?? '')
  const fallback = tags.find(one => one.tagName.text === 'default')
  const throws = tags.filter(one => one.tagName.text === 'throws').map(one => `Throws ${said(one.comment)}.`)
  return {
    text: [said(doc?.comment), ...throws].join(' ').trim(),
    fallback: fallback === undefined ? undefined : said(fallback.comment),
  }
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{@link(?:code|plain)? ([^}|\s]+)[^}]*\}/g, '`$1`')
    .trim()
}

/** The page with its tables as they have to be. */
export function optionPage(text: string = readFileSync(page, 'utf8')): string {
  const head = text.slice(0, text.indexOf(marker) + marker.length)
  const sets = optionSets()
  const grouped = new Set(groups.flatMap(([, packages]) => packages))
  const lost = sets.filter(({ short }) => !grouped.has(short) && short !== 'cli')
  if (lost.length > 0) throw new Error(`${relative(root, page)} has no group for ${lost[0]?.name} of ${lost[0]?.short}`)
  const body = groups.map(([title, packages]) => {
    const parts = packages.flatMap(short => sets.filter(one => one.short === short).map(printed))
    return parts.length === 0 ? '' : `\n## ${title}\n${parts.join('')}`
  })
  return head + body.join('')
}

function printed({ name, short, meaning, bases, options }: OptionSet): string {
  const about = [meaning, ...(bases.length > 0 ? [`Has the options of ${bases.map(code).join(' and ')}, too.`] : [])]
  const rows = options.map(one => [
    `\`${one.name}\``,
    code(one.type),
    one.fallback === undefined ? '**required**' : one.fallback,
    one.meaning,
  ])
  const table = rows.map(cells => `| ${cells.map(cell).join(' | ')} |\n`).join('')
  const lines =
    rows.length === 0 ? '' : `\n| option | type | default | what it does |\n| --- | --- | --- | --- |\n${table}`
  return `\n### \`${name}\` of \`@wherry/${short}\`\n\n${about.join(' ').trim()}\n${lines}`
}

function code(text: string): string {
  return `\`${text}\``
}

/** The text of a cell: a bar would end it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

if (import.meta.main) writeFileSync(page, optionPage())
