import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { exampleNames } from '../../tools/runner/examples.ts'
import { root } from '../../tools/workspace.ts'

const page = readFileSync(join(root, 'examples/README.md'), 'utf8')

interface Row {
  /** What the first link of the row leads to, from `examples`. */
  readonly target: string
  readonly lines: number
  readonly command: string
}

/** The rows of the page's tables, in their order. */
const rows: readonly Row[] = page
  .split('\n')
  .filter(line => line.startsWith('| ['))
  .map(line => {
    const cells = line.split('|').map(cell => cell.trim())
    const [command = '', lines = ''] = cells.slice(1, -1).reverse()
    const target = /\]\(([^)]+)\)/.exec(cells[1] ?? '')?.[1] ?? ''
    return { target, lines: Number(lines), command: command.replaceAll('`', '') }
  })

const isSmall = ({ target }: Row): boolean => target.endsWith('.ts')

/** The files of TypeScript that a user of the example reads: no tests, and nothing that plays its users. */
function sourcesOf(target: string): string[] {
  if (target.endsWith('.ts')) return [`examples/${target}`]
  const exclude = ['**/node_modules/**', '**/testkit/**', '**/*.test.ts', '**/verify.ts']
  return globSync(`examples/${target}/**/*.ts`, { cwd: root, exclude })
}

function linesOf(target: string): number {
  const texts = sourcesOf(target).map(file => readFileSync(join(root, file), 'utf8'))
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
}

it('has a row for each example, the files of examples/small one by one', () => {
  const folders = globSync('examples/{*,ported/*}/package.json', { cwd: root }).map(file =>
    dirname(file).replace('examples/', ''),
  )
  const files = globSync('examples/small/*.ts', { cwd: root }).map(file => file.replace('examples/', ''))
  const wanted = [...folders.filter(folder => folder !== 'small'), ...files]
  expect(rows.map(({ target }) => target).sort()).toEqual(wanted.sort())
})

it.each(rows)('says of $target how many lines it has, within ten percent', ({ target, lines }) => {
  const counted = linesOf(target)
  expect(lines).toBeGreaterThanOrEqual(counted * 0.9)
  expect(lines).toBeLessThanOrEqual(counted * 1.1)
})

it('says by which command each is run', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  for (const { target, command } of rows) {
    const [, script] = /^npm run (\S+)/.exec(command) ?? []
    if (script === undefined) expect(command).toMatch(new RegExp(`^node examples/${target}`))
    else expect(scripts).toHaveProperty(script)
  }
  const run = rows.flatMap(({ command }) => /^npm run example -- (\S+)$/.exec(command)?.[1] ?? [])
  expect(run.sort()).toEqual([...exampleNames].sort())
})

it('has the small ones first, and smaller folders before larger ones', () => {
  expect(rows.filter(isSmall)).toEqual(
    rows.slice(
      0,
      rows.findIndex(row => !isSmall(row)),
    ),
  )
  const examples = rows.filter(({ command }) => command.startsWith('npm run example -- ')).map(({ lines }) => lines)
  expect(examples).toEqual(examples.toSorted((a, b) => a - b))
})
