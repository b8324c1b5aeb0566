/**
 * Plays published cases at full size: `npm run replays [-- K1 K3] [--tenth] [--runs N] [--json | --markdown]`, or
 * `--from FILE --markdown`: the tables of what an earlier run gave with `--json`. K1 to K8 need a real API server, and so do some rows of K11.
 * Progress goes to stderr; figures go to stdout. Ends with 1 if a program failed.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allCases } from './cases.ts'
import { jsonLines, rowsIn } from './harness/json.ts'

const USAGE = 'usage: npm run replays [-- ID …] [--tenth] [--runs N] [--json | --markdown] | --from FILE [--markdown]'

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: args.filter(arg => arg !== '--'),
    allowPositionals: true,
    options: {
      tenth: { type: 'boolean', default: false },
      runs: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      from: { type: 'string' },
    },
  })
  const cases = await allCases()
  const known = cases.map(({ id }) => id)
  const unknown = positionals.filter(id => !known.includes(id))
  const runs = Number(values.runs)
  if (unknown.length > 0 || !Number.isSafeInteger(runs) || runs < 1) {
    const wrong = unknown.length > 0 ? `no such case: ${unknown.join(', ')}` : '--runs takes a whole number above 0'
    console.error(`${wrong}\n${USAGE}\ncases: ${known.join(', ')}`)
    return 2
  }
  const earlier = values.from === undefined ? undefined : rowsIn(readFileSync(values.from, 'utf8'))
  const options = { runs, part: values.tenth ? 0.1 : 1, say: (line: string) => console.error(line) }
  let section = ''
  const wanted = cases.filter(({ id }) => positionals.length === 0 || positionals.includes(id))
  for (const { id, section: heading, play, tableOf } of wanted) {
    const rows = earlier?.filter(({ replay }) => replay === id) ?? (await play(options))
    if (rows.length === 0) continue
    if (values.json) for (const line of jsonLines(rows)) console.log(line)
    else {
      if (values.markdown && heading !== section) console.log(`## ${heading}\n`)
      section = heading
      console.log(tableOf(rows, values.markdown))
    }
  }
  return 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
