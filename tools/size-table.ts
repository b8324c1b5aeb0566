/** Writes the tables of docs/sizes.md from bounds, benchmarks and what is installed: `node tools/size-table.ts`. `test/structure` holds that they are current. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crdBench } from '../test/bench/benches/crd/bench.ts'
import { importBench } from '../test/bench/benches/import/bench.ts'
import type { Bench } from '../test/bench/harness/bench.ts'
import { installedWith } from './checks/installed.ts'
import { maxBytes } from './checks/sizes.ts'
import { publishedPackages, root } from './workspace.ts'

const page = join(root, 'docs/sizes.md')
/** What comes before the tables is written by hand. */
const marker = '<!-- The tables are made from the bounds and the benchmarks: node tools/size-table.ts -->\n'

/** What a program may install, and what for. */
const installs: readonly (readonly [names: readonly string[], what: string])[] = [
  [['@wherry/client'], 'a client'],
  [['@wherry/client', '@wherry/controller'], 'an operator in a cluster'],
  [['@wherry/client', '@wherry/controller', 'prom-client'], 'the same with metrics'],
  [['@kubernetes/client-node'], 'the official client'],
]

/** The page with its tables as they have to be. */
export function sizePage(text: string = readFileSync(page, 'utf8')): string {
  const head = text.slice(0, text.indexOf(marker) + marker.length)
  return head + [installTable(), bytesTable(), benchTable()].join('')
}

function installTable(): string {
  // A folder from which all of these are found.
  const homes = ['client', 'controller', 'webhook'].map(short => join(root, 'packages', short))
  const counted = installs.map(([names, what]) => {
    const all = new Set(names.flatMap(name => [...installedWith([name], homeOf(name, homes)).keys()]))
    const ours = [...all].filter(name => name.startsWith('@wherry/')).length
    return [code(names), what, `${ours}`, `${all.size - ours}`]
  })
  return table('Packages that npm installs', ['`npm install`', 'for', 'of Wherry', 'of others'], counted)
}

function homeOf(name: string, homes: readonly string[]): string {
  const home = homes.find(folder => {
    try {
      return installedWith([name], folder).size > 0
    } catch {
      return false
    }
  })
  if (home === undefined) throw new Error(`${name} is not installed for any package`)
  return home
}

function bytesTable(): string {
  const rows = publishedPackages().map(one => [code([one.name]), `${(maxBytes(one) / 1000).toLocaleString('en')} kB`])
  return table('Code that an import loads', ['Package', 'at most'], rows)
}

/** What the benchmarks measured, as their pages have it, and the bounds that they have. */
function benchTable(): string {
  const wanted: readonly (readonly [string, Bench, string, string, string, string])[] = [
    ['import, credentials, and one GET', importBench, 'client', 'import_ms', 'wherry', 'client-node'],
    ['memory of that, above bare Node', importBench, 'client', 'rss_bytes', 'wherry', 'client-node'],
    ['memory of an idle operator, the whole process', crdBench, 'definitions', 'rss_bytes', 'without-schema', ''],
  ]
  const rows = wanted.map(([what, bench, of, metric, subject, peer]) => {
    const measured = measuredOf(of)
    const bound = bench.targets?.find(one => one.metric === metric && one.subject === subject)
    return [
      `[${what}](benchmarks/${of}.md)`,
      measured(subject, metric) ?? '–',
      measured(peer, metric) ?? '–',
      measured('limit', metric) ?? '–',
      bound === undefined ? '–' : boundOf(bound),
    ]
  })
  return table('Time and memory', ['What', 'Wherry', 'client-node', 'bare Node', 'bound'], rows)
}

function boundOf({ atMost = 0, metric, times }: NonNullable<Bench['targets']>[number]): string {
  if (times !== undefined) return `${atMost} × ${times.subject === 'limit' ? 'bare Node' : times.subject}`
  return metric.endsWith('_bytes') ? `${atMost / 1e6} MB` : `${atMost} ms`
}

/** Reads the medians of a page of benchmarks. */
function measuredOf(name: string): (subject: string, metric: string) => string | undefined {
  const lines = readFileSync(join(root, `docs/benchmarks/${name}.md`), 'utf8').split('\n')
  const cells = lines.map(line => line.split('|').map(cell => cell.trim()))
  return (subject, metric) => {
    if (subject === '') return undefined
    return cells.find(([, , one, other]) => one === subject && other === metric)?.[4]
  }
}

function code(names: readonly string[]): string {
  return `\`${names.join(' ')}\``
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return `\n## ${title}\n\n${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`
}

if (import.meta.main) writeFileSync(page, sizePage())
