/**
 * Runs benchmarks: `npm run bench -- NAME [NAME …] [--objects N] [--runs N] [--json | --markdown]`, or `--list`.
 * Progress goes to stderr; figures go to stdout, with `--json` as one object a line, with `--markdown` as a table. Ends with 1 when a subject failed.
 */
import { parseArgs } from 'node:util'
import { benches } from './benches/index.ts'
import { ChildError } from './harness/child.ts'
import { markdown, report } from './harness/report.ts'
import { jsonLine, runBench } from './harness/run-bench.ts'

const USAGE = 'usage: npm run bench -- NAME [NAME …] [--objects N] [--runs N] [--json | --markdown] | --list'

function wholeNumber(text: string | undefined, name: string, otherwise: number): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a whole number above 0, not ${text}`)
  return value
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: args.filter(arg => arg !== '--'),
    allowPositionals: true,
    options: {
      objects: { type: 'string' },
      runs: { type: 'string' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  })
  if (values.list) {
    for (const bench of benches) {
      console.log(`${bench.name.padEnd(8)} ${bench.measures}`)
      for (const subject of bench.subjects)
        console.log(`${' '.repeat(9)}${subject.name}: ${subject.metrics.join(', ')}`)
      if (bench.best) console.log(`${' '.repeat(9)}${bench.best.name}: the best of ${bench.best.of.join(', ')}`)
    }
    return 0
  }
  const unknown = positionals.filter(name => !benches.some(bench => bench.name === name))
  if (positionals.length === 0 || unknown.length > 0) {
    const names = benches.map(bench => bench.name).join(', ')
    console.error(
      `${unknown.length > 0 ? `no such benchmark: ${unknown.join(', ')}\n` : ''}${USAGE}\nbenchmarks: ${names}`,
    )
    return 2
  }
  const lines: string[] = []
  let failed = false
  for (const name of positionals) {
    const bench = benches.find(each => each.name === name)
    if (bench === undefined) continue
    const outcome = await runBench(bench, {
      objects: wholeNumber(values.objects, 'objects', bench.objects),
      runs: wholeNumber(values.runs, 'runs', 5),
      onProgress: line => console.error(line),
    })
    failed ||= outcome.failures.length > 0
    if (values.json) {
      lines.push(...outcome.figures.map(figure => jsonLine(figure, outcome.workMs?.median)))
      console.error(report(outcome))
    } else if (values.markdown) {
      console.log(`${markdown(outcome.figures, outcome.workMs?.median)}\n`)
      console.error(report(outcome))
    } else {
      console.log(`${report(outcome)}\n`)
    }
  }
  for (const line of lines) console.log(line)
  return failed ? 1 : 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ChildError) && !(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
