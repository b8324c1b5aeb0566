import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command } from '../../tools/test/command.ts'
import { root } from '../../tools/workspace.ts'
import { compile } from './compile.ts'
import { examplesOf, sourcesWithExamples } from './examples.ts'
import { anchorsOf, blocksOf, linksOf, pages } from './markdown.ts'

const all = pages()
const blocks = all.flatMap(blocksOf)

it('compiles every TypeScript block of every page, and every @example of a docstring', () => {
  const examples = sourcesWithExamples().flatMap(examplesOf)
  expect(blocks.length).toBeGreaterThan(30)
  expect(examples.length).toBeGreaterThan(60)
  const long = examples.filter(({ code }) => code.split('\n').filter(line => line !== '').length > 12)
  expect(long.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  expect(compile([...blocks, ...examples])).toEqual([])
})

it('says at which line of a page a block is wrong', () => {
  const text = '# Title\n\n<!-- given\ndeclare const a: number\n-->\n```ts\nconst b = a\nconst c: string = b\n```\n'
  expect(compile(blocksOf({ path: 'docs/x.md', text }))).toEqual([
    "docs/x.md:8: Type 'number' is not assignable to type 'string'.",
  ])
})

it('says at which line of a source an @example is wrong, and refuses one without code', () => {
  const path = 'packages/client/src/x.ts'
  const docstring =
    '/**\n * Says.\n *\n * @example\n * ```ts\n * // One\n * const a: string = 1\n * ```\n * @throws no\n * ```ts\n * b\n * ```\n */\n'
  expect(compile(examplesOf({ path, text: `${docstring}export const a = 1\n` }))).toEqual([
    `${path}:7: Type 'number' is not assignable to type 'string'.`,
  ])
  for (const text of [
    ' * @example\n * a()\n',
    '/** Says. @example a() */',
    ' * @example one\n * ```ts\n * a()\n * ```\n',
  ]) {
    expect(() => examplesOf({ path, text })).toThrow('Write "@example" on a line of its own')
  }
  expect(examplesOf({ path, text: ' * Write to a@example.com.\n' })).toEqual([])
})

/** Whole blocks that bring an API server along. The first of a package's README, and files of a tutorial, are run by the install test. */
const runnable = blocks.filter((block, index) => {
  const isFirst = blocks.findIndex(({ page }) => page === block.page) === index
  const isOfInstall = block.page.startsWith('packages/') && isFirst
  return (
    block.given === undefined &&
    block.file === undefined &&
    block.code.includes("from '@wherry/testing'") &&
    !isOfInstall
  )
})

describe.each(runnable)('the block at $page:$line', ({ code }) => {
  it('runs to its end', async () => {
    // Where it finds what it imports that is not ours.
    const folder = mkdtempSync(join(root, 'tools/demo/.block-'))
    const file = join(folder, 'block.ts')
    const hook = join(import.meta.dirname, '../examples/from-source.ts')
    try {
      writeFileSync(file, code)
      const { code: exit, output } = await command(process.execPath, ['--import', hook, file], { limitMs: 120_000 })
      expect(exit, output).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

it('leads nowhere by no link', () => {
  const broken = all.flatMap(page =>
    linksOf(page)
      .filter(({ target }) => !leads(page.path, target))
      .map(({ line, target }) => `${page.path}:${line}: ${target}`),
  )
  expect(broken).toEqual([])
})

it('sees the links that lead nowhere', () => {
  const text = '[a](b.md) ![p](c.png)\n`[x](y)`\n\n[n]: #none\n\n# A `b`: c\n'
  const page = { path: 'docs/x.md', text }
  expect(linksOf(page).map(({ line, target }) => `${line} ${target}`)).toEqual(['1 b.md', '1 c.png', '4 #none'])
  expect([...anchorsOf(page)]).toEqual(['a-b-c'])
  expect(leads('docs/benchmarks.md', 'when-narrow.md')).toBe(true)
  expect(leads('docs/benchmarks.md', 'none.md')).toBe(false)
  expect(leads('README.md', 'https://github.com/wherry-dev/wherry/blob/main/docs/when-narrow.md')).toBe(true)
  expect(leads('README.md', 'https://github.com/wherry-dev/wherry/blob/main/docs/none.md')).toBe(false)
  expect(leads('docs/benchmarks.md', 'when-narrow.md#no-such-heading')).toBe(false)
})

/** Whether a link of that page leads to a file, or a heading of a page. Other sites are not asked; their URL must be one. */
function leads(from: string, target: string): boolean {
  const own = /^https:\/\/github\.com\/wherry-dev\/wherry\/(?:blob|tree)\/main\/(.*)$/.exec(target)?.[1]
  // Published pages are read elsewhere than in the repository.
  if (own !== undefined) return leads('README.md', own)
  if (/^[a-z]+:/.test(target)) return URL.canParse(target) && target.startsWith('https:')
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, from) : join(root, dirname(from), decodeURIComponent(path))
  if (!existsSync(file) || relative(root, file).startsWith('..')) return false
  if (anchor === undefined || statSync(file).isDirectory()) return anchor === undefined
  return file.endsWith('.md') && anchorsOf({ path: file, text: readFileSync(file, 'utf8') }).has(anchor)
}

describe('the configuration for production', () => {
  const folder = join(root, 'docs/production')
  const names = readFileSync(join(root, 'packages/controller/src/metrics/names.txt'), 'utf8')
  const labels = new Map(
    [...names.matchAll(/^(\w+) (\w+)\{(.*)\}$/gm)].map(([, kind, name = '', of = '']) => [
      name,
      { kind, labels: of.split(',') },
    ]),
  )
  /** Of the process, by prom-client; and what Prometheus adds itself. */
  const others = new Set(['process_resident_memory_bytes', 'process_cpu_seconds_total'])

  /** The metrics of an expression that nobody measures, and labels of theirs that they do not have. */
  function unknown(expression: string): string[] {
    const wrong: string[] = []
    const known = new Set(['job', 'instance', 'le'])
    for (const [, name = ''] of expression.matchAll(/\b([a-z]+_[a-z_]+)(?=[{[)\s]|$)/g)) {
      if (['label_values', 'histogram_quantile', 'min_over_time', 'max_over_time'].includes(name)) continue
      const of = labels.get(name) ?? labels.get(name.replace(/_(bucket|sum|count)$/, ''))
      if (of === undefined && !others.has(name)) wrong.push(name)
      for (const label of of?.labels ?? []) known.add(label)
    }
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      wrong.push(...list.split(/,\s*/).filter(label => !known.has(label)))
    }
    return wrong
  }

  it('asks only for metrics that there are, by labels that they have', () => {
    const alerts = readFileSync(join(folder, 'alerts.yaml'), 'utf8')
    const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[]
    }
    const expressions = [
      ...[...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ]
    expect(expressions.length).toBeGreaterThan(30)
    expect(expressions.flatMap(expression => unknown(expression).map(what => `${what} in ${expression}`))).toEqual([])
    expect(unknown('sum by (job, colour) (rate(workqueue_dept{job="a"}[5m]))')).toEqual(['workqueue_dept', 'colour'])
  })
})
